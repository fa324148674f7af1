// What firmware writes into the out-of-band word of a mapping unit: logical unit and data version in 64 bits, or which
// page of the metadata log it is of.
#pragma once

#include <bit>
#include <cstdint>

#include "models/onfi/onfi_command.hpp"

namespace flashloom {

struct FtlContext;

/// The low bits hold the logical unit + 1, just as many bits as the device needs (one more: metadata; all ones:
/// padding); the highest bit says that the data are lost (a copy of what could not be corrected); the rest holds the
/// version, a host-write sequence number that GC keeps: at least 31 bits, 37 on a 256 GB device with 4 KiB units. Of
/// data that are compressed the version's lowest bits make room for what that saves. Where nobody will ask for versions
/// of data they are 0, and the flash keeps no bits for them (NandMedia::keep_low_bits).
class OobLayout {
 public:
  /// `granules`: of a mapping unit, whose size is noted in them; 1: none is compressed. `versions`: of data are kept.
  explicit OobLayout(std::uint64_t logical_units, std::uint32_t granules = 1, bool versions = true)
      : logical_units_(logical_units),
        unit_bits_(static_cast<unsigned>(std::bit_width(logical_units + 2))),
        version_shift_(unit_bits_ + static_cast<unsigned>(std::bit_width(granules - 1))),
        unit_mask_((std::uint64_t{1} << unit_bits_) - 1),
        version_mask_(versions ? ~std::uint64_t{0} << version_shift_ : 0),
        whole_(granules) {}

  OobWord encode(std::uint32_t unit, std::uint64_t version) const {
    return ((version << version_shift_) & version_mask_) | (std::uint64_t{unit} + 1);
  }
  /// Of so many granules.
  OobWord encode(std::uint32_t unit, std::uint64_t version, std::uint32_t granules) const {
    return encode(unit, version) | (OobWord{whole_ - granules} << unit_bits_);
  }
  /// What the data of a logical unit take.
  std::uint32_t granules(OobWord word) const {
    return whole_ - static_cast<std::uint32_t>((word & ~(~OobWord{0} << version_shift_)) >> unit_bits_);
  }
  OobWord padding() const { return unit_mask_; }
  /// Of parity over dies, the n-th of its stripe, from 1: padding with that number in the place of a version.
  OobWord parity(std::uint32_t n) const { return unit_mask_ | (OobWord{n} << version_shift_); }
  /// The same number; 0 of any other word.
  std::uint32_t parity_of(OobWord word) const {
    return (word & unit_mask_) == unit_mask_ ? static_cast<std::uint32_t>(version(word)) : 0;
  }
  /// Of page `number` of the metadata log, whose version it is.
  OobWord metadata(std::uint64_t number) const { return (number << version_shift_) | (logical_units_ + 1); }
  bool is_metadata(OobWord word) const { return (word & unit_mask_) == logical_units_ + 1; }
  /// Holds the data of a logical unit (neither unwritten nor metadata nor padding).
  bool is_data(OobWord word) const { return (word & unit_mask_) - 1 < logical_units_; }
  std::uint32_t unit(OobWord word) const { return static_cast<std::uint32_t>((word & unit_mask_) - 1); }
  std::uint64_t version(OobWord word) const { return (word & ~kLost) >> version_shift_; }
  /// Of a word: what lies below the version.
  unsigned low_bits() const { return version_shift_; }
  /// Versions beyond this one do not fit.
  std::uint64_t max_version() const { return ~kLost >> version_shift_; }
  /// The unit was not readable when this place was programmed: reads of it fail until it is written anew or trimmed.
  static bool lost(OobWord word) { return (word & kLost) != 0; }
  static OobWord as_lost(OobWord word) { return word | kLost; }

 private:
  static constexpr OobWord kLost = OobWord{1} << 63;

  std::uint64_t logical_units_;
  unsigned unit_bits_;
  unsigned version_shift_;
  std::uint64_t unit_mask_;
  std::uint64_t version_mask_;
  std::uint32_t whole_;
};

/// Of a device.
OobLayout oob_layout(const FtlContext& context);

}  // namespace flashloom
