#include "sc_main/assembly/config/content_hash.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace flashloom {

std::string ContentHash::text() const { return fmt::format("{:016x}", state_); }

std::string content_hash(std::string_view text) {
  ContentHash hash;
  hash.add(text);
  return hash.text();
}

std::string content_hash_of_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};  // pipes and devices may be endless or not rereadable
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  ContentHash hash;
  std::vector<char> block(1 << 16);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0)
    hash.add({block.data(), static_cast<std::size_t>(file.gcount())});
  return hash.text();
}

}  // namespace flashloom
