// What a data buffer counts, in mapping units.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "controllers/buffer/buffer_config.hpp"
#include "models/common/named_fields.hpp"

namespace flashloom {

/// Why a dirty unit is handed to the FTL.
enum class DestageCause : std::uint8_t {
  Need,       ///< room for others
  Watermark,  ///< buffer.high_watermark was passed
  Flush,      ///< it must be on flash: flush, FUA, write-through
};
inline constexpr std::size_t kDestageCauses = 3;
inline constexpr std::array<const char*, kDestageCauses> kDestageCauseNames{"need", "watermark", "flush"};

struct BufferStatistics {
  std::uint64_t write_units = 0;  ///< units of host writes looked up
  std::uint64_t write_hits = 0;   ///< of them, found dirty and overwritten in place
  std::uint64_t read_units = 0;
  std::uint64_t read_hits = 0;                           ///< wholly served from resident units
  std::uint64_t read_hits_clean = 0;                     ///< of them, from what the read cache had kept
  std::uint64_t destage_hits = 0;                        ///< wholly served from units on their way to flash
  std::uint64_t evictions = 0;                           ///< dirty units handed to the FTL
  std::uint64_t evicted_groups = 0;                      ///< eviction decisions: of pages, blocks or program units
  std::uint64_t correlated_sets = 0;                     ///< correlated sets of pages evicted together
  std::uint64_t correlated_units = 0;                    ///< units in them
  std::uint64_t padding_units = 0;                       ///< units read from flash to be programmed with their block
  std::array<std::uint64_t, kDestageCauses> destages{};  ///< `evictions` by cause
  std::uint64_t refused_units = 0;                       ///< of `evictions`, those refused by a worn-out FTL
  std::uint64_t evictions_clean = 0;                     ///< clean units evicted
  std::uint64_t read_ahead_units = 0;                    ///< read ahead from the FTL
  std::uint64_t read_ahead_used = 0;                     ///< of them, read by the host afterwards
  std::uint64_t read_ahead_wasted = 0;                   ///< evicted, overwritten or discarded unread
  /// Look-ups by the jobs of one part, whichever part has the unit.
  struct Part {
    std::uint64_t write_units = 0;
    std::uint64_t write_hits = 0;
    std::uint64_t read_units = 0;
    std::uint64_t read_hits = 0;

    FLASHLOOM_REPORT(write_units, write_hits, read_units, read_hits)
  };
  std::array<Part, kMaxBufferParts> parts{};  ///< of a buffer that is split

  /// Units read ahead that are still there, and not read by the host yet.
  std::uint64_t read_ahead_unread() const { return read_ahead_units - read_ahead_used - read_ahead_wasted; }

  BufferStatistics& operator+=(const BufferStatistics& other);
  /// What was counted since `other`, an earlier copy.
  BufferStatistics& operator-=(const BufferStatistics& other);
  /// Before its parts.
  template <class F>
  void report(F&& f) const {
    f(FLASHLOOM_NAMED(write_units, write_hits, read_units, read_hits, destage_hits, read_hits_clean, evictions,
                      evicted_groups, padding_units));
    f("correlated", [this](auto&& g) {
      g("sets", correlated_sets);
      g("units", correlated_units);
    });
    f("destages", [this](auto&& g) {
      for (std::size_t i = 0; i < kDestageCauses; ++i) g(kDestageCauseNames[i], destages[i]);
    });
    f(FLASHLOOM_NAMED(refused_units, evictions_clean));
    f("read_ahead", [this](auto&& g) {
      g("issued", read_ahead_units);
      g("used", read_ahead_used);
      g("wasted", read_ahead_wasted);
    });
  }
};

}  // namespace flashloom
