// Hash of a file's content, by which results name their inputs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flashloom {

/// FNV-1a, 64 bits, of bytes that come piece by piece (Fowler, Noll, Vo; IETF draft-eastlake-fnv).
class ContentHash {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) {
      state_ ^= static_cast<unsigned char>(byte);
      state_ *= 0x100000001b3U;
    }
  }
  /// 16 hexadecimal digits.
  std::string text() const;

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

/// Of a text.
std::string content_hash(std::string_view text);
/// Of a whole file, as stored (compressed or not). Empty if it is no regular file, or cannot be
/// read: whoever opens it says so.
std::string content_hash_of_file(const std::string& path);

}  // namespace flashloom
