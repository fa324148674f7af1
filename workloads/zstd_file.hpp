// A zstd file, written piece by piece in constant memory; open_byte_stream reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/byte_stream.hpp"
#include "workloads/part_file.hpp"

struct ZSTD_CCtx_s;

namespace flashloom {

/// One skippable frame of plain text, for people and for a first look (RFC 8878, section 3.1.2), then one frame of
/// compressed bytes that ends with a checksum of them, then whatever is appended as it is. A PartFile, which
/// close() commits. All throw StreamError, and std::runtime_error if the disk is full.
class ZstdFile {
 public:
  explicit ZstdFile(const std::string& path);
  ZstdFile(const ZstdFile&) = delete;
  ZstdFile& operator=(const ZstdFile&) = delete;

  /// First, and once.
  void write_text(std::string_view text);
  void write(const void* data, std::size_t size);
  /// The compressed frame is complete.
  void end_frame();
  /// Bytes behind it.
  void append(const void* data, std::size_t size);
  /// Bytes of the file so far, when the frame is complete.
  std::uint64_t size() const { return size_; }
  /// See PartFile.
  bool to_stdout() const { return file_.to_stdout(); }
  /// Completes frame and file.
  void close();

  /// The text of such a file; empty if it does not begin with one of at most `limit` bytes.
  static std::string read_text(const std::string& path, std::size_t limit);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* state) const;
  };
  void compress(const void* data, std::size_t size, bool last);
  void put(const void* data, std::size_t size);

  PartFile file_;
  std::unique_ptr<ZSTD_CCtx_s, Free> state_;
  std::vector<char> block_;
  std::uint64_t size_ = 0;
  bool frame_ended_ = false;
};

}  // namespace flashloom
