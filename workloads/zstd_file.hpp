// Writes a zstd file piece by piece in constant memory; open_byte_stream() reads it.
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

/// The file holds one skippable frame of plain text (RFC 8878, section 3.1.2), readable without decompression, then one
/// frame of compressed bytes with a checksum, then the appended bytes uncompressed. It is a PartFile, which close()
/// commits. All functions throw StreamError, and std::runtime_error if the disk is full.
class ZstdFile {
 public:
  explicit ZstdFile(const std::string& path);
  ZstdFile(const ZstdFile&) = delete;
  ZstdFile& operator=(const ZstdFile&) = delete;

  /// To be called first, and once.
  void write_text(std::string_view text);
  void write(const void* data, std::size_t size);
  /// Completes the compressed frame.
  void end_frame();
  /// Writes uncompressed bytes after the frame.
  void append(const void* data, std::size_t size);
  /// Bytes of the file so far; exact once the frame is complete.
  std::uint64_t size() const { return size_; }
  /// See PartFile.
  bool to_stdout() const { return file_.to_stdout(); }
  /// Completes the frame if end_frame() was not called, and commits the file.
  void close();

  /// The text of a file written by this class; empty if it does not begin with a text of at most `limit` bytes.
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
