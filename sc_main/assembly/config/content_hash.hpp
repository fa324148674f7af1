// Hash of a file's content, which identifies inputs in results.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flashloom {

/// Incremental 64-bit FNV-1a hash (Fowler, Noll, Vo; IETF draft-eastlake-fnv).
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

/// Hash of a text.
std::string content_hash(std::string_view text);
/// Hash of a whole file, as stored (compressed or not). Empty if it is no regular file, or cannot be read: opening it
/// reports the error.
std::string content_hash_of_file(const std::string& path);

}  // namespace flashloom
