// Bytes of a plain, gzip, zstd or xz file, decompressed on the way in constant memory.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

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

/// Opens a regular file; its first bytes tell the compression, not its name. A name that ends in .gz, .zst or .xz
/// without such bytes is an error. Throws StreamError.
std::unique_ptr<ByteStream> open_byte_stream(const std::string& path);

}  // namespace flashloom
