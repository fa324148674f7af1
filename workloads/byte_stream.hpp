// Bytes of a plain, gzip, zstd, xz or bzip2 input, decompressed on the way in constant memory.
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

  /// Fills up to `size` > 0 bytes; 0 only at the end of the data. Throws StreamError; never ends early in silence.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// A stream whose first bytes can be looked at before they are read.
class PeekedStream final : public ByteStream {
 public:
  /// Reads up to `size` bytes ahead. What goes wrong there is thrown by the read() that comes to that place.
  PeekedStream(std::unique_ptr<ByteStream> input, std::size_t size);

  std::string_view head() const { return head_; }
  bool failed() const { return failure_ != nullptr; }  ///< while reading ahead
  std::size_t read(char* to, std::size_t size) override;

 private:
  std::unique_ptr<ByteStream> input_;
  std::string head_;
  std::size_t taken_ = 0;  // of head_
  std::exception_ptr failure_;
};

/// The bytes of a file as they are stored; "-": of the standard input. What can be read only once (a pipe) is kept, so
/// that it can be opened again. Throws StreamError.
std::unique_ptr<ByteStream> open_stored_bytes(const std::string& path);
/// What is left of all inputs that can be read only once: for processes that are made now and read them, too.
void keep_inputs_whole();
/// Bytes in memory, which must outlive the stream.
std::unique_ptr<ByteStream> memory_bytes(std::string_view bytes);
/// What `stored` holds, decompressed: its first bytes tell the compression, not its name. A name that ends in .gz, .zst
/// .xz or .bz2 without such bytes is an error. Throws StreamError.
std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> stored, const std::string& name);
/// Both: a file, decompressed. Throws StreamError.
std::unique_ptr<ByteStream> open_byte_stream(const std::string& path);

}  // namespace flashloom
