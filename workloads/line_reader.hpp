// Reads lines of a text file, plain or compressed, as views into one block buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/byte_stream.hpp"
#include "workloads/leading_number.hpp"

namespace flashloom {

/// UTF-8 byte order mark, with which Windows programs begin a text; it is not part of the text.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

class LineReader {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;  ///< bytes; a longer line is an error

  /// Throws WorkloadError (line 0) if the file cannot be opened.
  explicit LineReader(std::string path);
  /// Reads `bytes`; `name` stands for the file in messages.
  LineReader(std::string name, std::unique_ptr<ByteStream> bytes);

  /// The next line without its end ("\n" or "\r\n"), valid until the next call; false at the end of the file.
  /// Throws WorkloadError with the line reached: truncated or corrupt compressed data, a line over 1 MiB.
  bool next(std::string_view& line);
  /// Reads the next line as a number, if the line is in the buffer and holds only a number of 1 to 19 digits below
  /// `limit`. Otherwise returns false, and next() gives out the line.
  bool next_number(std::uint64_t& number, std::uint64_t limit) {
    if (end_ - begin_ < kLeadingNumberReads) return false;
    const char* const line = buffer_.data() + begin_;
    const std::size_t digits = leading_number(line, number);
    if (digits == 0 || digits > kLongestNumber || number >= limit) return false;
    const std::size_t ending = line[digits] == '\r' ? 1 : 0;
    if (line[digits + ending] != '\n') return false;
    scanned_ = begin_ += digits + ending + 1;
    ++line_;
    return true;
  }

  std::uint64_t line() const { return line_; }  ///< number of the line given out last, from 1
  const std::string& file() const { return path_; }

 private:
  static constexpr std::size_t kLongestNumber = 19;  // digits that always fit into 64 bits

  void refill();

  std::string path_;
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // first byte not given out
  std::size_t scanned_ = 0;  // no line end in [begin_, scanned_)
  std::size_t end_ = 0;      // end of the bytes read
  std::uint64_t line_ = 0;
  bool ended_ = false;
};

}  // namespace flashloom
