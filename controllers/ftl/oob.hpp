// Content of the out-of-band word of a mapping unit, 64 bits: logical unit and data version, or the page number of the
// metadata log.
#pragma once

#include <bit>
#include <cstdint>

#include "models/onfi/onfi_command.hpp"

namespace flashloom {

struct FtlContext;

/// The low bits hold the logical unit + 1, in as many bits as the device needs (one more than the units: metadata; all
/// ones: padding). The highest bit marks lost data (a copy of uncorrectable data). The rest holds the version, a
/// host-write sequence number that GC preserves: at least 31 bits, 37 on a 256 GB device with 4 KiB units. Where
/// units differ in size, the version's lowest bits tell how much smaller than whole one is. Where nobody needs data versions they are 0, and the
/// flash stores no bits for them (NandMedia::keep_low_bits).
class OobLayout {
 public:
  /// `sizes`: of a mapping unit, in steps (UnitSizes); 1: all are whole. `versions`: data have versions.
  explicit OobLayout(std::uint64_t logical_units, std::uint32_t sizes = 1, bool versions = true)
      : logical_units_(logical_units),
        unit_bits_(static_cast<unsigned>(std::bit_width(logical_units + 2))),
        version_shift_(unit_bits_ + static_cast<unsigned>(std::bit_width(sizes - 1))),
        unit_mask_((std::uint64_t{1} << unit_bits_) - 1),
        version_mask_(versions ? ~std::uint64_t{0} << version_shift_ : 0),
        whole_(sizes) {}

  OobWord encode(std::uint32_t unit, std::uint64_t version) const {
    return ((version << version_shift_) & version_mask_) | (std::uint64_t{unit} + 1);
  }
  /// For a unit of `steps` steps.
  OobWord encode(std::uint32_t unit, std::uint64_t version, std::uint32_t steps) const {
    return encode(unit, version) | (OobWord{whole_ - steps} << unit_bits_);
  }
  /// Steps that the data of a logical unit take.
  std::uint32_t steps(OobWord word) const {
    return whole_ - static_cast<std::uint32_t>((word & ~(~OobWord{0} << version_shift_)) >> unit_bits_);
  }
  OobWord padding() const { return unit_mask_; }
  /// Padding with number n (from 1) in place of a version, such as the n-th parity of its stripe.
  OobWord parity(std::uint32_t n) const { return unit_mask_ | (OobWord{n} << version_shift_); }
  /// The number n of such a word; 0 for any other word.
  std::uint32_t parity_of(OobWord word) const {
    return (word & unit_mask_) == unit_mask_ ? static_cast<std::uint32_t>(version(word)) : 0;
  }
  /// The word of page `number` of the metadata log, stored as its version.
  OobWord metadata(std::uint64_t number) const { return (number << version_shift_) | (logical_units_ + 1); }
  bool is_metadata(OobWord word) const { return (word & unit_mask_) == logical_units_ + 1; }
  /// Whether the word is of a logical unit's data (neither unwritten, metadata nor padding).
  bool is_data(OobWord word) const { return (word & unit_mask_) - 1 < logical_units_; }
  std::uint32_t unit(OobWord word) const { return static_cast<std::uint32_t>((word & unit_mask_) - 1); }
  std::uint64_t version(OobWord word) const { return (word & ~kLost) >> version_shift_; }
  /// Bits below the version.
  unsigned low_bits() const { return version_shift_; }
  /// The highest version that fits.
  std::uint64_t max_version() const { return ~kLost >> version_shift_; }
  /// The unit was unreadable when this place was programmed: reads of it fail until it is rewritten or trimmed.
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

/// The layout of a device whose units have so many sizes.
OobLayout oob_layout(const FtlContext& context, std::uint32_t sizes);
/// The layout of a device whose context says which sizes units have.
OobLayout oob_layout(const FtlContext& context);

}  // namespace flashloom
