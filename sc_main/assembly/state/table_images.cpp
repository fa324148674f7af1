#include "sc_main/assembly/state/table_images.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace flashloom {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::uint64_t kBoundary = std::uint64_t{64} << 10;
constexpr std::uint64_t kMagic = 0x53454C4241544C46;  // "FLTABLES"

struct Footer {
  std::uint64_t magic;
  std::uint64_t compressed_end;
  std::uint64_t images_end;
  std::uint64_t checksums;  // how many: of each MiB from compressed_end to images_end
  std::uint64_t hash;       // of the checksums and of the words above
};

std::uint64_t boundary(std::uint64_t at) { return (at + kBoundary - 1) / kBoundary * kBoundary; }

std::uint64_t hash_of(std::vector<std::uint64_t> checksums, const Footer& footer) {
  checksums.insert(checksums.end(), {footer.magic, footer.compressed_end, footer.images_end, footer.checksums});
  return XXH64(checksums.data(), checksums.size() * sizeof(std::uint64_t), 0);
}

/// Writes blocks of 1 MiB into the file, and computes the checksum of each.
class Blocks {
 public:
  explicit Blocks(ZstdFile& file) : file_(file), block_(kPiece) {}

  /// Null: zeroes.
  void put(const std::byte* data, std::size_t size) {
    while (size != 0) {
      const std::size_t part = std::min(size, kPiece - filled_);
      if (data == nullptr)
        std::memset(block_.data() + filled_, 0, part);
      else
        std::memcpy(block_.data() + filled_, data, part);
      data = data == nullptr ? nullptr : data + part;
      size -= part;
      filled_ += part;
      if (filled_ == kPiece) flush();
    }
  }
  void flush() {
    if (filled_ == 0) return;
    checksums.push_back(XXH64(block_.data(), filled_, 0));
    file_.append(block_.data(), filled_);
    filled_ = 0;
  }
  std::vector<std::uint64_t> checksums;

 private:
  ZstdFile& file_;
  std::vector<std::byte> block_;
  std::size_t filled_ = 0;
};

/// A stream of the first bytes of a file.
class FirstBytes final : public ByteStream {
 public:
  FirstBytes(const std::string& path, std::uint64_t size) : input_(open_stored_bytes(path)), left_(size) {}

  std::size_t read(char* to, std::size_t size) override {
    if (left_ == 0) return 0;
    const std::size_t got = input_->read(to, static_cast<std::size_t>(std::min<std::uint64_t>(size, left_)));
    left_ -= got;
    return got;
  }

 private:
  std::unique_ptr<ByteStream> input_;
  std::uint64_t left_;
};

bool all_zero(const std::byte* data, std::size_t size) {
  return size == 0 || (data[0] == std::byte{0} && std::memcmp(data, data + 1, size - 1) == 0);
}

[[noreturn]] void fail(const std::string& what) { throw StreamError(what + std::strerror(errno)); }

}  // namespace

ImagePieces TableImages::add(const std::byte* memory, std::size_t size) {
  ImagePieces pieces;
  bool running = false;
  for (std::size_t at = 0; at < size; at += kPiece) {
    const std::size_t length = std::min(kPiece, size - at);
    const bool stored = !all_zero(memory + at, length);
    pieces.push_back(stored ? 1 : 0);
    if (stored && running) runs_.back().size += length;
    if (stored && !running) runs_.push_back({memory + at, length});
    running = stored;
  }
  return pieces;
}

void TableImages::write(ZstdFile& file) const {
  Footer footer{kMagic, file.size(), file.size(), 0, 0};
  Blocks blocks(file);
  if (!runs_.empty()) {
    footer.images_end = boundary(file.size());
    blocks.put(nullptr, footer.images_end - footer.compressed_end);
  }
  for (const Run& run : runs_) {
    blocks.put(run.memory, run.size);
    blocks.put(nullptr, boundary(run.size) - run.size);
    footer.images_end += boundary(run.size);
  }
  blocks.flush();
  footer.checksums = blocks.checksums.size();
  footer.hash = hash_of(blocks.checksums, footer);
  file.append(blocks.checksums.data(), blocks.checksums.size() * sizeof(std::uint64_t));
  file.append(&footer, sizeof footer);
}

MappedImages::MappedImages(const std::string& path) : path_(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) fail("cannot open: ");
  try {
    check();
  } catch (...) {
    close(file_);
    throw;
  }
}

MappedImages::~MappedImages() { close(file_); }

void MappedImages::check() {
  struct stat status {};
  if (fstat(file_, &status) != 0) fail("cannot open: ");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const StreamError truncated("is no saved state, or is truncated");
  Footer footer{};
  if (size < sizeof footer) throw truncated;
  read(&footer, sizeof footer, size - sizeof footer);
  if (footer.magic != kMagic || footer.images_end > size || footer.compressed_end > footer.images_end) throw truncated;
  const std::uint64_t images = footer.images_end - footer.compressed_end;
  if (footer.checksums != (images + kPiece - 1) / kPiece ||
      size != footer.images_end + footer.checksums * sizeof(std::uint64_t) + sizeof footer)
    throw truncated;
  std::vector<std::uint64_t> checksums(footer.checksums);
  read(checksums.data(), checksums.size() * sizeof(std::uint64_t), footer.images_end);
  if (hash_of(checksums, footer) != footer.hash) throw StreamError("is damaged: its checksums are");

  posix_fadvise(file_, 0, 0, POSIX_FADV_SEQUENTIAL);
  std::vector<std::byte> block(kPiece);
  for (std::size_t i = 0; i < checksums.size(); ++i) {
    const std::uint64_t at = footer.compressed_end + i * kPiece;
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, footer.images_end - at));
    read(block.data(), length, at);
    if (XXH64(block.data(), length, 0) != checksums[i])
      throw StreamError("is damaged between bytes " + std::to_string(at) + " and " + std::to_string(at + length));
  }
  compressed_end_ = footer.compressed_end;
  end_ = footer.images_end;
  next_ = std::min(boundary(compressed_end_), end_);
}

void MappedImages::read(void* to, std::size_t size, std::uint64_t at) const {
  auto* next = static_cast<char*>(to);
  while (size != 0) {
    const ssize_t got = pread(file_, next, size, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read error: ");
    if (got == 0) throw StreamError("ends early");
    next += got;
    at += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

std::unique_ptr<ByteStream> MappedImages::compressed() const {
  return decompressed(std::make_unique<FirstBytes>(path_, compressed_end_), path_);
}

void MappedImages::map(std::byte* memory, std::size_t size, const ImagePieces& pieces) {
  if (pieces.size() != (size + kPiece - 1) / kPiece) throw StreamError("has a table of another size");
  for (std::size_t first = 0; first < pieces.size();) {
    std::size_t last = first;
    while (last < pieces.size() && pieces[last] != 0) ++last;
    if (last == first) {
      ++first;
      continue;
    }
    const std::size_t length = std::min(last * kPiece, size) - first * kPiece;
    if (boundary(length) > end_ - next_) throw StreamError("ends before its tables do");
    if (mmap(memory + first * kPiece, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file_,
             static_cast<off_t>(next_)) == MAP_FAILED)
      fail("cannot be mapped: ");
    next_ += boundary(length);
    first = last;
  }
}

}  // namespace flashloom
