#include "workloads/byte_stream.hpp"

#include <bzlib.h>
#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kBlock = 256 * 1024;

ssize_t read_some(int file, char* to, std::size_t size) {
  for (;;) {
    const ssize_t n = ::read(file, to, size);
    if (n >= 0) return n;
    if (errno != EINTR) throw StreamError(std::string("read error: ") + std::strerror(errno));
    give_up_if_interrupted();
  }
}

int open_to_read(const std::string& path) {
  for (;;) {
    const int file =
        path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (file >= 0) return file;
    if (errno == ENOENT) throw StreamError("no such file");
    if (errno != EINTR) throw StreamError(std::string("cannot open: ") + std::strerror(errno));
    give_up_if_interrupted();  // a FIFO waits for its writer
  }
}

class PlainFile final : public ByteStream {
 public:
  explicit PlainFile(int file) : file_(file) {}
  ~PlainFile() override { ::close(file_); }
  std::size_t read(char* to, std::size_t size) override { return static_cast<std::size_t>(read_some(file_, to, size)); }

 private:
  int file_;
};

/// An input that can be read only once, and a copy of the bytes read so far in an unnamed file in $TMPDIR (else /tmp).
/// Several readers can each read it from its beginning: the first pass of fit_addresses() and the run, for example.
class Kept {
 public:
  explicit Kept(int source) : source_(source) {
    const char* const folder = std::getenv("TMPDIR");
    std::string name = std::string(folder == nullptr ? "/tmp" : folder) + "/flashloom-input-XXXXXX";
    copy_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (copy_ < 0) throw StreamError(name + ": cannot keep the input: " + std::strerror(errno));
    ::unlink(name.c_str());
  }

  void read_all() {
    std::vector<char> block(kBlock);
    while (read(size_, block.data(), block.size()) != 0) {
    }
  }

  std::size_t read(std::uint64_t at, char* to, std::size_t size) {
    if (at == size_) {
      const auto got = static_cast<std::size_t>(read_some(source_, to, size));
      for (std::size_t done = 0; done < got;) {
        const ssize_t n = ::pwrite(copy_, to + done, got - done, static_cast<off_t>(size_ + done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) throw std::runtime_error(std::string("the input cannot be kept: ") + std::strerror(errno));
        done += static_cast<std::size_t>(n);
      }
      size_ += got;
      return got;
    }
    const ssize_t n = ::pread(copy_, to, std::min<std::uint64_t>(size, size_ - at), static_cast<off_t>(at));
    if (n <= 0) throw StreamError(std::string("read error: ") + std::strerror(errno));
    return static_cast<std::size_t>(n);
  }

 private:
  int source_;  // never closed: a later reader may need more of it
  int copy_ = -1;
  std::uint64_t size_ = 0;
};

class KeptInput final : public ByteStream {
 public:
  explicit KeptInput(Kept& input) : input_(input) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = input_.read(at_, to, size);
    at_ += got;
    return got;
  }

 private:
  Kept& input_;
  std::uint64_t at_ = 0;
};

std::map<std::string, Kept>& kept_inputs() {
  static auto& kept = *new std::map<std::string, Kept>;
  return kept;
}

std::unique_ptr<ByteStream> open_stored(const std::string& path) {
  auto& kept = kept_inputs();
  if (const auto found = kept.find(path); found != kept.end()) return std::make_unique<KeptInput>(found->second);
  const int file = open_to_read(path);
  struct stat status {};
  if (::fstat(file, &status) != 0 || S_ISDIR(status.st_mode)) {
    ::close(file);
    throw StreamError("is a directory, not a file");
  }
  if (S_ISREG(status.st_mode) && path != "-") return std::make_unique<PlainFile>(file);
  return std::make_unique<KeptInput>(kept.try_emplace(path, file).first->second);
}

class Memory final : public ByteStream {
 public:
  explicit Memory(std::string_view bytes) : left_(bytes) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = left_.copy(to, size);
    left_.remove_prefix(got);
    return got;
  }

 private:
  std::string_view left_;
};

/// Reads compressed input block by block.
class Decoder : public ByteStream {
 protected:
  explicit Decoder(std::unique_ptr<ByteStream> input) : input_(std::move(input)), block_(kBlock) {}

  /// The next block of compressed bytes; empty at the end of the file.
  std::string_view refill() { return {block_.data(), input_->read(block_.data(), block_.size())}; }

 private:
  std::unique_ptr<ByteStream> input_;
  std::vector<char> block_;
};

class GzipDecoder final : public Decoder {
 public:
  explicit GzipDecoder(std::unique_ptr<ByteStream> input) : Decoder(std::move(input)) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&state_, MAX_WBITS + kGzipOnly) != Z_OK) throw StreamError("cannot start the gzip decoder");
  }
  ~GzipDecoder() override { inflateEnd(&state_); }

  std::size_t read(char* to, std::size_t size) override {
    state_.next_out = reinterpret_cast<Bytef*>(to);
    state_.avail_out = static_cast<uInt>(size);
    while (state_.avail_out == size) {
      if (state_.avail_in == 0) {
        const std::string_view block = refill();
        if (block.empty()) {
          if (!member_ended_) throw StreamError("truncated gzip data");
          return 0;
        }
        state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
        state_.avail_in = static_cast<uInt>(block.size());
      }
      if (member_ended_) {  // a file of several members is their concatenation
        inflateReset(&state_);
        member_ended_ = false;
      }
      const int result = inflate(&state_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        member_ended_ = true;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        throw StreamError(std::string("corrupt gzip data: ") + (state_.msg != nullptr ? state_.msg : "bad stream"));
      }
    }
    return size - state_.avail_out;
  }

 private:
  z_stream state_{};
  bool member_ended_ = false;
};

class ZstdDecoder final : public Decoder {
 public:
  explicit ZstdDecoder(std::unique_ptr<ByteStream> input) : Decoder(std::move(input)), state_(ZSTD_createDStream()) {
    if (!state_) throw StreamError("cannot start the zstd decoder");
  }

  std::size_t read(char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !input_ended_) {
        const std::string_view block = refill();
        input_ended_ = block.empty();
        in_ = {block.data(), block.size(), 0};
      }
      if (input_ended_ && frame_ended_) return 0;
      const std::size_t result = ZSTD_decompressStream(state_.get(), &out, &in_);
      if (ZSTD_isError(result) != 0U) throw StreamError(std::string("corrupt zstd data: ") + ZSTD_getErrorName(result));
      frame_ended_ = result == 0;
      if (input_ended_ && out.pos == 0 && !frame_ended_) throw StreamError("truncated zstd data");
    }
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* state) const { ZSTD_freeDStream(state); }
  };
  std::unique_ptr<ZSTD_DStream, Free> state_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool input_ended_ = false;
  bool frame_ended_ = false;
};

class XzDecoder final : public Decoder {
 public:
  explicit XzDecoder(std::unique_ptr<ByteStream> input) : Decoder(std::move(input)) {
    constexpr std::uint64_t kMemoryLimit = std::uint64_t{1} << 30;
    if (lzma_stream_decoder(&state_, kMemoryLimit, LZMA_CONCATENATED) != LZMA_OK)
      throw StreamError("cannot start the xz decoder");
  }
  ~XzDecoder() override { lzma_end(&state_); }

  std::size_t read(char* to, std::size_t size) override {
    if (ended_) return 0;
    state_.next_out = reinterpret_cast<std::uint8_t*>(to);
    state_.avail_out = size;
    while (state_.avail_out == size) {
      if (state_.avail_in == 0 && action_ == LZMA_RUN) {
        const std::string_view block = refill();
        if (block.empty()) action_ = LZMA_FINISH;
        state_.next_in = reinterpret_cast<const std::uint8_t*>(block.data());
        state_.avail_in = block.size();
      }
      const lzma_ret result = lzma_code(&state_, action_);
      if (result == LZMA_STREAM_END) {
        ended_ = true;
        break;
      }
      if (result == LZMA_BUF_ERROR) throw StreamError("truncated xz data");
      if (result == LZMA_MEMLIMIT_ERROR) throw StreamError("xz data needs more than 1 GiB to decompress");
      if (result != LZMA_OK) throw StreamError("corrupt xz data");
    }
    return size - state_.avail_out;
  }

 private:
  lzma_stream state_ = LZMA_STREAM_INIT;
  lzma_action action_ = LZMA_RUN;
  bool ended_ = false;
};

class Bzip2Decoder final : public Decoder {
 public:
  explicit Bzip2Decoder(std::unique_ptr<ByteStream> input) : Decoder(std::move(input)) { begin(); }
  ~Bzip2Decoder() override { BZ2_bzDecompressEnd(&state_); }

  std::size_t read(char* to, std::size_t size) override {
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(size, std::numeric_limits<unsigned>::max()));
    state_.next_out = to;
    state_.avail_out = wanted;
    while (state_.avail_out == wanted) {
      if (state_.avail_in == 0) {
        const std::string_view block = refill();
        if (block.empty()) {
          if (!stream_ended_) throw StreamError("truncated bzip2 data");
          return 0;
        }
        state_.next_in = const_cast<char*>(block.data());
        state_.avail_in = static_cast<unsigned>(block.size());
      }
      if (stream_ended_) {  // a file of several streams is their concatenation
        BZ2_bzDecompressEnd(&state_);
        begin();
      }
      const int result = BZ2_bzDecompress(&state_);
      if (result != BZ_OK && result != BZ_STREAM_END) throw StreamError("corrupt bzip2 data");
      stream_ended_ = result == BZ_STREAM_END;
    }
    return wanted - state_.avail_out;
  }

 private:
  void begin() {
    if (BZ2_bzDecompressInit(&state_, 0, 0) != BZ_OK) throw StreamError("cannot start the bzip2 decoder");
  }

  bz_stream state_{};
  bool stream_ended_ = false;
};

}  // namespace

PeekedStream::PeekedStream(std::unique_ptr<ByteStream> input, std::size_t size)
    : input_(std::move(input)), head_(size, '\0') {
  std::size_t filled = 0;
  try {
    while (filled < size) {
      const std::size_t got = input_->read(head_.data() + filled, size - filled);
      if (got == 0) break;
      filled += got;
    }
  } catch (const StreamError&) {
    failure_ = std::current_exception();
  }
  head_.resize(filled);
}

std::size_t PeekedStream::read(char* to, std::size_t size) {
  if (taken_ == head_.size()) {
    if (failure_) std::rethrow_exception(failure_);
    return input_->read(to, size);
  }
  const std::size_t got = head_.copy(to, size, taken_);
  taken_ += got;
  return got;
}

std::unique_ptr<ByteStream> open_stored_bytes(const std::string& path) { return open_stored(path); }

void keep_inputs_whole() {
  for (auto& [path, input] : kept_inputs()) input.read_all();
}

std::unique_ptr<ByteStream> memory_bytes(std::string_view bytes) { return std::make_unique<Memory>(bytes); }

std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> stored, const std::string& name) {
  using std::string_view_literals::operator""sv;
  constexpr std::size_t kLongestMagic = 6;
  auto input = std::make_unique<PeekedStream>(std::move(stored), kLongestMagic);
  const std::string_view magic = input->head();
  if (magic.starts_with("\x1f\x8b"sv)) return std::make_unique<GzipDecoder>(std::move(input));
  if (magic.starts_with("\xfd"
                        "7zXZ\0"sv))
    return std::make_unique<XzDecoder>(std::move(input));
  const bool skippable = magic.size() >= 4 && (static_cast<unsigned char>(magic[0]) & 0xf0U) == 0x50U &&
                         magic.substr(1, 3) == "\x2a\x4d\x18"sv;
  if (magic.starts_with("\x28\xb5\x2f\xfd"sv) || skippable) return std::make_unique<ZstdDecoder>(std::move(input));
  if (magic.starts_with("BZh"sv)) return std::make_unique<Bzip2Decoder>(std::move(input));
  for (const std::string_view suffix : {".gz"sv, ".zst"sv, ".xz"sv, ".bz2"sv})
    if (name.ends_with(suffix))
      throw StreamError("the name ends in " + std::string(suffix) + " but the content is not of that kind");
  return input;
}

std::unique_ptr<ByteStream> open_byte_stream(const std::string& path) {
  return decompressed(open_stored_bytes(path), path);
}

}  // namespace flashloom
