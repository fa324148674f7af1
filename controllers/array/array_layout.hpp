// Address arithmetic of an array: which data lie where on its drives.
//
// A stripe is a row of chunks at the same offset of all drives. Its columns are the data chunks, in the order of array
// addresses, then P, then Q. Mirrored levels have `mirrors` slots per column. A slot is a drive's position in the
// array; a drive that was rebuilt onto a spare has lost its slot to the spare.
//
// Parity rotates as in Linux md by default (left-symmetric; drivers/md/raid5.c, raid5_compute_sector()).
#pragma once

#include <algorithm>
#include <cstdint>

#include "controllers/array/array_config.hpp"

namespace flashloom {

/// Bit of a column in masks of columns.
constexpr std::uint64_t column_bit(std::uint32_t column) { return std::uint64_t{1} << column; }

/// A part of one chunk.
struct ArrayExtent {
  std::uint32_t stripe = 0;
  std::uint32_t column = 0;
  std::uint64_t row = 0;     ///< bytes from the start of the chunk
  std::uint64_t length = 0;  ///< bytes
  std::uint64_t at = 0;      ///< bytes from the start of the range that was divided
};

class ArrayLayout {
 public:
  ArrayLayout(const ArrayConfig& array, std::uint64_t drive_bytes);

  std::uint32_t slots() const { return slots_; }
  std::uint32_t data_columns() const { return data_; }
  std::uint64_t data_mask() const { return column_bit(data_) - 1; }  ///< mask of the data columns
  std::uint32_t parities() const { return parities_; }
  std::uint32_t columns() const { return data_ + parities_; }
  std::uint32_t mirrors() const { return mirrors_; }  ///< slots per column
  bool redundant() const { return parities_ != 0 || mirrors_ > 1; }
  std::uint64_t chunk() const { return chunk_; }  ///< bytes; for a jbod, a whole drive
  std::uint64_t stripes() const { return stripes_; }
  std::uint64_t stripe_bytes() const { return data_ * chunk_; }  ///< of data
  std::uint64_t capacity() const { return stripes_ * stripe_bytes(); }
  /// Lock granularity, bytes of array addresses; divides stripe_bytes().
  std::uint64_t lock_bytes() const { return lock_bytes_; }

  /// Slot of copy `mirror` of a column.
  std::uint32_t slot_of(std::uint64_t stripe, std::uint32_t column, std::uint32_t mirror = 0) const {
    if (parities_ == 0) return column * mirrors_ + mirror;
    const auto p = static_cast<std::uint32_t>(slots_ - 1 - stripe % slots_);
    return (p + (column < data_ ? parities_ + column : column - data_)) % slots_;
  }
  std::uint32_t column_of(std::uint64_t stripe, std::uint32_t slot) const {
    if (parities_ == 0) return slot / mirrors_;
    const auto p = static_cast<std::uint32_t>(slots_ - 1 - stripe % slots_);
    const std::uint32_t behind = (slot + slots_ - p) % slots_;
    return behind < parities_ ? data_ + behind : behind - parities_;
  }
  /// Byte offset on its drive.
  std::uint64_t place(const ArrayExtent& extent) const { return extent.stripe * chunk_ + extent.row; }

  /// The first part of [offset, offset + length), up to the end of its chunk.
  ArrayExtent extent(std::uint64_t offset, std::uint64_t length, std::uint64_t at = 0) const {
    const std::uint64_t chunk = offset / chunk_;
    const std::uint64_t row = offset % chunk_;
    return {.stripe = static_cast<std::uint32_t>(chunk / data_),
            .column = static_cast<std::uint32_t>(chunk % data_),
            .row = row,
            .length = std::min(length, chunk_ - row),
            .at = at};
  }
  /// Calls f(extent) for all parts of [offset, offset + length).
  template <class F>
  void each_extent(std::uint64_t offset, std::uint64_t length, F&& f) const {
    for (std::uint64_t at = 0; at < length;) {
      const ArrayExtent part = extent(offset + at, length - at, at);
      f(part);
      at += part.length;
    }
  }

 private:
  std::uint32_t slots_;
  std::uint32_t parities_;
  std::uint32_t mirrors_;
  std::uint32_t data_;
  std::uint64_t chunk_;
  std::uint64_t stripes_;
  std::uint64_t lock_bytes_;
};

}  // namespace flashloom
