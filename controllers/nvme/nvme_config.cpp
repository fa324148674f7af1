#include "controllers/nvme/nvme_config.hpp"

#include <algorithm>

#include "models/common/config_problem.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kModelCharacters = 40;
constexpr std::size_t kSerialCharacters = 20;
constexpr std::uint64_t kLeastPage = 4096;

bool printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

void check_config(const NvmeConfig& nvme) {
  require(nvme.model.size() <= kModelCharacters && printable(nvme.model), "nvme.model",
          "must be at most 40 printable characters of ASCII");
  require(nvme.serial.size() <= kSerialCharacters && printable(nvme.serial), "nvme.serial",
          "must be at most 20 printable characters of ASCII");
  require((nvme.max_transfer & (nvme.max_transfer - 1)) == 0 && nvme.max_transfer >= kLeastPage, "nvme.max_transfer",
          "is no power of 2 from 4 KiB on");
}

}  // namespace flashloom
