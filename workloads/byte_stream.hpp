// Bytes of a plain, gzip, zstd, xz or bzip2 input, decompressed while they are read, in constant memory.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace flashloom {

/// A file that cannot be read, or compressed data that is truncated or corrupt.
class StreamError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  /// Reads up to `size` > 0 bytes; returns 0 only at the end of the data. Throws StreamError, also for data that end
  /// early.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// A stream whose first bytes can be looked at before they are read.
class PeekedStream final : public ByteStream {
 public:
  /// Reads up to `size` bytes ahead. The read() that reaches the place of a StreamError met meanwhile throws it.
  PeekedStream(std::unique_ptr<ByteStream> input, std::size_t size);

  std::string_view head() const { return head_; }
  bool failed() const { return failure_ != nullptr; }  ///< whether reading ahead met an error
  std::size_t read(char* to, std::size_t size) override;

 private:
  std::unique_ptr<ByteStream> input_;
  std::string head_;
  std::size_t taken_ = 0;  // bytes of head_ that read() has returned
  std::exception_ptr failure_;
};

/// The bytes of a file as stored; "-" means the standard input. The bytes of an input that can be read only once (a
/// pipe) are kept in a temporary file, so that it can be opened again. Throws StreamError.
std::unique_ptr<ByteStream> open_stored_bytes(const std::string& path);
/// Reads all inputs that can be read only once to their ends, so that processes forked from now on can read them too.
void keep_inputs_whole();
/// Reads bytes in memory, which must outlive the stream.
std::unique_ptr<ByteStream> memory_bytes(std::string_view bytes);
/// The decompressed bytes of `stored`. Its first bytes, not `name`, determine the compression. Throws StreamError, also
/// if `name` ends in .gz, .zst, .xz or .bz2 and the bytes are not compressed.
std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> stored, const std::string& name);
/// Opens a file and decompresses it. Throws StreamError.
std::unique_ptr<ByteStream> open_byte_stream(const std::string& path);

}  // namespace flashloom
