#include "workloads/zstd_file.hpp"

#include <zstd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace flashloom {
namespace {

// The fastest of the ordinary levels: these files are read more often than sent over a network.
constexpr int kLevel = 1;
constexpr std::uint32_t kSkippable = 0x184D2A50;
using Prefix = std::array<std::uint32_t, 2>;  // of a skippable frame: magic number, length; little-endian

}  // namespace

void ZstdFile::Free::operator()(ZSTD_CCtx_s* state) const { ZSTD_freeCCtx(state); }

ZstdFile::ZstdFile(const std::string& path) : file_(path), state_(ZSTD_createCCtx()), block_(ZSTD_CStreamOutSize()) {
  if (!state_ || ZSTD_isError(ZSTD_CCtx_setParameter(state_.get(), ZSTD_c_compressionLevel, kLevel)) != 0U ||
      ZSTD_isError(ZSTD_CCtx_setParameter(state_.get(), ZSTD_c_checksumFlag, 1)) != 0U)
    throw StreamError("cannot start the zstd encoder");
  if (const int error = file_.open_error())
    throw StreamError(std::string("cannot be written: ") + std::strerror(error));
}

void ZstdFile::write_text(std::string_view text) {
  const Prefix prefix{kSkippable, static_cast<std::uint32_t>(text.size())};
  put(prefix.data(), sizeof prefix);
  put(text.data(), text.size());
}

void ZstdFile::write(const void* data, std::size_t size) { compress(data, size, false); }

void ZstdFile::end_frame() {
  compress(nullptr, 0, true);
  frame_ended_ = true;
}

void ZstdFile::append(const void* data, std::size_t size) { put(data, size); }

void ZstdFile::close() {
  if (!frame_ended_) end_frame();
  try {
    file_.commit();
  } catch (const std::filesystem::filesystem_error& error) {
    throw StreamError("cannot be written: " + error.code().message());
  }
}

void ZstdFile::compress(const void* data, std::size_t size, bool last) {
  ZSTD_inBuffer in{data, size, 0};
  for (;;) {
    ZSTD_outBuffer out{block_.data(), block_.size(), 0};
    const std::size_t left = ZSTD_compressStream2(state_.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left) != 0U) throw StreamError(std::string("zstd encoder: ") + ZSTD_getErrorName(left));
    put(block_.data(), out.pos);
    if (last ? left == 0 : in.pos == in.size) return;
  }
}

void ZstdFile::put(const void* data, std::size_t size) {
  file_.write(data, size);
  size_ += size;
}

std::string ZstdFile::read_text(const std::string& path, std::size_t limit) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw StreamError(std::string("cannot open: ") + std::strerror(errno));
  Prefix prefix{};
  if (!file.read(reinterpret_cast<char*>(prefix.data()), sizeof prefix) || prefix[0] != kSkippable || prefix[1] > limit)
    return {};
  std::string text(prefix[1], '\0');
  return file.read(text.data(), static_cast<std::streamsize>(text.size())) ? text : std::string();
}

}  // namespace flashloom
