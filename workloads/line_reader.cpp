#include "workloads/line_reader.hpp"

#include <cstring>
#include <utility>

#include "workloads/interruption.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kBuffer = std::size_t{256} * 1024;

std::unique_ptr<ByteStream> open_input(const std::string& path) {
  try {
    return open_byte_stream(path);
  } catch (const StreamError& error) {
    throw WorkloadError(path, 0, error.what());
  }
}

}  // namespace

LineReader::LineReader(std::string path) : path_(std::move(path)), stream_(open_input(path_)), buffer_(kBuffer) {}

LineReader::LineReader(std::string name, std::unique_ptr<ByteStream> bytes)
    : path_(std::move(name)), stream_(std::move(bytes)), buffer_(kBuffer) {}

bool LineReader::next(std::string_view& line) {
  for (;;) {
    const char* found = scanned_ == end_
                            ? nullptr
                            : static_cast<const char*>(std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_));
    const std::size_t stop = found != nullptr ? static_cast<std::size_t>(found - buffer_.data()) : end_;
    if (stop - begin_ > kLongestLine) throw WorkloadError(path_, line_ + 1, "line longer than 1 MiB");
    if (found != nullptr || (ended_ && begin_ != end_)) {
      line = {buffer_.data() + begin_, stop - begin_};
      begin_ = scanned_ = found != nullptr ? stop + 1 : stop;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line_++ == 0 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
      return true;
    }
    if (ended_) return false;
    scanned_ = end_;
    refill();
  }
}

void LineReader::refill() {
  if (begin_ != 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);  // bounded by kLongestLine
  give_up_if_interrupted();
  try {
    const std::size_t got = stream_->read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    ended_ = got == 0;
  } catch (const StreamError& error) {
    throw WorkloadError(path_, line_ + 1, error.what());
  }
}

}  // namespace flashloom
