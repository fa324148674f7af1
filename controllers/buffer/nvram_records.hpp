// Metadata of a data buffer in NVRAM, by which new firmware finds its data after a power cut.
//
// Each slot has two places for a header of four words {unit and stream, version, sectors, check}, used in turn: the
// newest one with a correct check counts, so that a header torn by a power cut leaves the previous one valid. Data are
// written to unused sectors before their header, so that a whole header implies whole data; the places of these sectors
// are not modelled (with verify, each header place has room for its unit's tokens). A slot whose data are on flash,
// discarded or superseded is released: its checks are overwritten by 0, the older one first.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/ftl.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/runtime/wait_list.hpp"
#include "models/memory/nvram_contents.hpp"

namespace flashloom {

class NvramRecords {
 public:
  static constexpr std::uint32_t kHeaderBytes = 32;
  static constexpr std::uint32_t kReleaseBytes = 16;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Records of `slots` slots, each with room for `sectors` tokens (0 without verify), from word `first` on.
  NvramRecords(NvramContents& contents, std::size_t first, Hardware& hardware, std::uint32_t slots,
               std::uint32_t sectors)
      : contents_(contents), first_(first), hardware_(hardware), slots_(slots), sectors_(sectors), newest_(slots) {
    scratch_.reserve(sectors);
  }
  /// Words of NVRAM that the records take.
  static std::size_t words(std::uint32_t slots, std::uint32_t sectors) { return slots * 2ULL * (4 + sectors); }

  /// Writes the header of the slot's new data; returns the instant from which it is persistent. `unit` is read at once.
  /// Then releases the slot `superseded`, which holds older data of the same unit.
  Task<Picoseconds> write(std::uint32_t slot, const WriteUnit& unit, std::uint32_t superseded = kNone);
  /// Releases the slot. Only a trim waits for this, since NVRAM keeps the order of its writes.
  void release(std::uint32_t slot);
  /// Returns when the releases before the call are persistent.
  Task<void> until_released();

  /// After power-on: reads all headers, which takes time. `held` gets the slots with data, oldest version first; if
  /// several slots hold a unit, only the newest, and the others are released. Fills in `units`, which are by slot.
  Task<void> recover(std::vector<std::uint32_t>& held, const std::vector<WriteUnit*>& units);

  void state(StateArchive& archive) { archive(newest_); }

 private:
  struct Header {
    std::uint32_t unit;
    std::uint8_t stream;
    PlacementId placement;
    std::uint64_t version;
    std::uint64_t sectors;
  };
  std::size_t header_at(std::uint32_t slot, unsigned place) const { return first_ + (slot * 2ULL + place) * 4; }
  std::size_t tokens_at(std::uint32_t slot, unsigned place) const {
    return first_ + slots_ * 8ULL + (slot * 2ULL + place) * sectors_;
  }
  bool read(std::uint32_t slot, unsigned place, Header& header) const;
  struct Release {
    NvramContents::Write older, newer;
  };
  Release begin_release(std::uint32_t slot);
  void end_release(const Release& release, Picoseconds from, Picoseconds until);
  Task<void> pass_release(std::uint32_t slot);

  NvramContents& contents_;
  std::size_t first_;
  Hardware& hardware_;
  std::uint32_t slots_;
  std::uint32_t sectors_;
  std::vector<std::uint8_t> newest_;  // place of a slot's newest header
  std::uint32_t releasing_ = 0;       // releases that the memory has not completed
  Picoseconds released_ = 0;          // when the completed ones are persistent
  WaitList answered_;
  std::vector<std::uint64_t> scratch_;
};

}  // namespace flashloom
