// The last part of a state file: memory images of large tables, to be mapped from the file, with a checksum for each
// MiB.
//
//     compressed part | zeroes to a page boundary | images | checksums | footer
//
// An image is stored in pieces of 1 MiB (the last one up to a page boundary); a piece of zeroes only is left out. The
// boundary is 64 KiB, the largest page size of supported computers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/byte_stream.hpp"
#include "workloads/zstd_file.hpp"

namespace flashloom {

/// Smaller tables go into the compressed part.
inline constexpr std::size_t kSmallestImage = std::size_t{64} << 10;

/// For each piece of an image: 1, or 0 if it is left out.
using ImagePieces = std::vector<std::uint8_t>;

class TableImages {
 public:
  /// Adds an image. Its bytes are read now and again by write().
  ImagePieces add(const std::byte* memory, std::size_t size);
  /// Writes images, checksums and footer after the compressed part, which must have ended. Throws StreamError.
  void write(ZstdFile& file) const;

 private:
  struct Run {
    const std::byte* memory;
    std::size_t size;
  };
  std::vector<Run> runs_;  // consecutive pieces that are not left out
};

/// Maps the images of a state file. All functions throw StreamError.
class MappedImages {
 public:
  /// Opens a state file; reads and compares every checksum after the compressed part.
  explicit MappedImages(const std::string& path);
  MappedImages(const MappedImages&) = delete;
  MappedImages& operator=(const MappedImages&) = delete;
  ~MappedImages();

  /// The compressed part.
  std::unique_ptr<ByteStream> compressed() const;
  /// Maps the next image over zeroed memory; later writes to it are private to this process.
  void map(std::byte* memory, std::size_t size, const ImagePieces& pieces);
  /// Whether every image has been mapped.
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
