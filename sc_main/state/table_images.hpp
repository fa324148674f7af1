// The last part of a state file: large tables as they lie in memory, to be mapped from there, with a checksum for each
// MiB of the file.
//
//     compressed part | zeroes to a page boundary | images | checksums | footer
//
// An image is stored in pieces of 1 MiB (the last one to a page boundary); a piece of nothing but zeroes is left out.
// The boundary is of 64 KiB, the largest page of the computers that this runs on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/byte_stream.hpp"
#include "workloads/zstd_file.hpp"

namespace flashloom {

/// A mapping of less goes into the compressed part.
inline constexpr std::size_t kSmallestImage = std::size_t{64} << 10;

/// Of each piece of an image: 1, or 0 if it is left out.
using ImagePieces = std::vector<std::uint8_t>;

class TableImages {
 public:
  /// Notes an image. Its bytes are read now and by write().
  ImagePieces add(const std::byte* memory, std::size_t size);
  /// Writes what comes after the compressed part, which the file must have ended. Throws StreamError.
  void write(ZstdFile& file) const;

 private:
  struct Run {
    const std::byte* memory;
    std::size_t size;
  };
  std::vector<Run> runs_;  // of pieces that are not left out
};

/// All throw StreamError.
class MappedImages {
 public:
  /// Opens a state file; reads and compares every checksum behind the compressed part.
  explicit MappedImages(const std::string& path);
  MappedImages(const MappedImages&) = delete;
  MappedImages& operator=(const MappedImages&) = delete;
  ~MappedImages();

  /// The compressed part.
  std::unique_ptr<ByteStream> compressed() const;
  /// Maps the next image over memory that is zero; what is written there later stays with this process.
  void map(std::byte* memory, std::size_t size, const ImagePieces& pieces);
  /// Every image has been mapped.
  bool at_end() const { return next_ == end_; }

 private:
  void check();
  void read(void* to, std::size_t size, std::uint64_t at) const;

  std::string path_;
  int file_;
  std::uint64_t compressed_end_ = 0;
  std::uint64_t next_ = 0;  // image
  std::uint64_t end_ = 0;   // of the images
};

}  // namespace flashloom
