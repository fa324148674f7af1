// The addresses of firmware's data in DRAM, for memory models whose timing depends on addresses.
#pragma once

#include <algorithm>
#include <cstdint>

namespace flashloom {

/// From address 0 on: the map, 4 bytes an entry; the data buffer; and what is left is staging, taken in a ring: pages
/// on their way between flash and the host or other flash. A part that is not in DRAM has no bytes, and address 0.
/// Host data arrive before they get a slot of the buffer, so their address is their logical address modulo the size of
/// the buffer, not that of the slot: neighbours in the logical space are neighbours in DRAM.
class DramLayout {
 public:
  static constexpr std::uint64_t kEntryBytes = 4;
  static constexpr std::uint64_t kLine = 64;  ///< bytes; the map is read and written in lines

  DramLayout(std::uint64_t size, std::uint64_t map_bytes, std::uint64_t buffer_bytes)
      : size_(size), map_bytes_(std::min(size, lines(map_bytes))), buffer_bytes_(buffer_bytes) {
    staging_first_ = lines(map_bytes_ + buffer_bytes_);
    if (staging_first_ >= size_) staging_first_ = 0;  // nothing is left: it shares
    staging_next_ = staging_first_;
  }

  /// Of the line that has the map entry of `unit`; an access goes on for `bytes`.
  std::uint64_t map_entry(std::uint64_t unit, std::uint64_t bytes) const {
    if (map_bytes_ == 0) return 0;
    return fit(unit * kEntryBytes % map_bytes_ / kLine * kLine, bytes);
  }
  /// Of what the host has at byte `offset`.
  std::uint64_t buffer(std::uint64_t offset, std::uint64_t bytes) const {
    if (buffer_bytes_ == 0) return 0;
    return fit(map_bytes_ + offset % buffer_bytes_, bytes);
  }
  /// Of the next `bytes` of the staging area.
  std::uint64_t staging(std::uint64_t bytes) {
    if (staging_next_ + bytes > size_) staging_next_ = staging_first_;
    const std::uint64_t address = staging_next_;
    staging_next_ += lines(bytes);
    return fit(address, bytes);
  }

 private:
  static constexpr std::uint64_t lines(std::uint64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }
  // What would go beyond the end begins at 0.
  std::uint64_t fit(std::uint64_t address, std::uint64_t bytes) const { return address + bytes <= size_ ? address : 0; }

  std::uint64_t size_;
  std::uint64_t map_bytes_;
  std::uint64_t buffer_bytes_;
  std::uint64_t staging_first_ = 0;
  std::uint64_t staging_next_ = 0;
};

}  // namespace flashloom
