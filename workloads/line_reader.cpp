#include "workloads/line_reader.hpp"

#include <cstring>
#include <utility>

#include "workloads/workload_error.hpp"

namespace flashloom {

LineReader::LineReader(std::string path) : path_(std::move(path)) {
  try {
    stream_ = open_byte_stream(path_);
  } catch (const StreamError& error) {
    throw WorkloadError(path_, 0, error.what());
  }
  buffer_.resize(std::size_t{256} * 1024);
}

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
      ++line_;
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
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);  // bounded: the longest line is
  try {
    const std::size_t got = stream_->read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    ended_ = got == 0;
  } catch (const StreamError& error) {
    throw WorkloadError(path_, line_ + 1, error.what());
  }
}

}  // namespace flashloom
