// A temporary file for data that do not fit into memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace flashloom {

/// Stores compressed records of less than 64 KiB in an unnamed file, created in $TMPDIR (else /tmp) at the first
/// record; the kernel removes it when the process ends in any way. A released place is reused by a record of as many
/// units.
class SpillFile {
 public:
  struct Place {
    std::uint64_t unit = 0;
    std::uint16_t bytes = 0;  ///< stored bytes; equal to the record's: not compressed
  };
  /// `longest`: largest record, in bytes.
  explicit SpillFile(std::uint32_t longest);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  /// Throws std::runtime_error, which names the folder, if the file cannot be created or cannot grow.
  Place write(const std::byte* record, std::uint32_t bytes);
  /// Reads the record at `place` into `record`; `bytes` is the record's size.
  void read(const Place& place, std::byte* record, std::uint32_t bytes);
  void release(const Place& place);

  std::uint64_t used_bytes() const { return used_ * kUnit; }
  std::uint64_t file_bytes() const { return end_ * kUnit; }

 private:
  static constexpr std::uint64_t kUnit = 512;
  static std::uint64_t units(std::uint64_t bytes) { return (bytes + kUnit - 1) / kUnit; }
  void open();
  [[noreturn]] static void fail(const char* what, int error);

  int file_ = -1;
  std::uint64_t end_ = 0;                         // units
  std::uint64_t used_ = 0;                        // units
  std::vector<std::vector<std::uint64_t>> free_;  // free places (first units) by number of units
  std::vector<std::byte> compressed_;
  ZSTD_CCtx_s* compressor_ = nullptr;
  ZSTD_DCtx_s* decompressor_ = nullptr;
};

}  // namespace flashloom
