// Open blocks that take the copies out of victims, and the program unit of copies that each group fills. Copies of
// each stream have blocks of their own, unless they share those of host data. Data that move for other reasons than
// free space are cold, and have blocks of their own, too.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controllers/ftl/collect/host_blocks.hpp"
#include "controllers/ftl/collect/victims.hpp"

namespace flashloom {

class CopyBlocks : private FtlPart {
 public:
  CopyBlocks(const FtlPart& part, const Victims& victims, HostBlocks& host, ClosedBlocks& closed, OpenBlocks& open);

  struct Group {
    ProgramJob* job = nullptr;    ///< program unit being filled
    bool carried = false;         ///< `job` has copies out of earlier victims
    std::uint8_t cold_slot = 0;   ///< with GC units of several members: which of the two for cold data is being filled
    std::uint32_t to_member = 0;  ///< index of the member that takes the next copies
    /// Open blocks for moved data: the one being filled, and a second if the first is too small.
    std::array<BlockNumber, 2> cold{kNoBlockNumber, kNoBlockNumber};
  };
  Group& operator[](std::uint32_t group) { return groups_[group]; }
  const Group& operator[](std::uint32_t group) const { return groups_[group]; }

  /// Copies go into the open blocks of host data, and always in whole program units, so that none is left waiting for
  /// more data.
  void share_with_host() { shared_ = true; }
  bool shared() const { return shared_; }
  /// Host data and copies share one open block of the group's die, which is all the space that either needs.
  bool goes_on_in_open(std::uint32_t group) const {
    return shared_ && host_.all().size() == groups_.size() && host_.all()[group] != kNoBlockNumber;
  }

  // --- Which blocks take the copies of a group's victim.
  /// The entry for the open block that takes the next copies of a die's victim.
  BlockNumber& next_place(std::uint32_t die) {
    Group& group = groups_[die];
    const Victim& victim = victims_[die];
    if (victim.source->apart()) return group.cold[0];
    if (!shared_ && places_ == 1) return open_[std::size_t{die} * streams_ + stream_for(victim.gc_unit)];
    const std::uint32_t bank = bank_for(victim.gc_unit);
    return !shared_ ? open_[place_of(bank, stream_for(victim.gc_unit))] : host_.all()[bank];
  }
  /// The bank in which to open a block for copies out of `block`.
  std::uint32_t bank_for(BlockNumber block) const;
  /// The stream whose blocks take the copies out of a block.
  std::uint32_t stream_for(BlockNumber block) const {
    const std::uint32_t stream = blocks_[block].stream;
    return copies_streams_.empty() ? stream : copies_streams_[stream];
  }
  /// Whether a block is open and has a program unit left. Host data may occupy the last one, waiting for it to fill.
  bool takes(BlockNumber open) const {
    return open != kNoBlockNumber && (!shared_ || blocks_[open].allocated < context_.geometry.pages);
  }
  /// With GC units of several members: open ones that take the victim's copies, with an entry for each bank of the
  /// group. cold(): of the two for moved data the one being filled, or the other.
  BlockNumber* members(std::uint32_t group);
  BlockNumber* cold(std::uint32_t group, bool other = false) {
    return slot(group, streams_ + (groups_[group].cold_slot ^ (other ? 1 : 0)));
  }
  bool any_open(const BlockNumber* open) const;

  // --- Program units of copies.
  /// Begins the group's next program unit; false if a block must be opened first.
  bool begin(std::uint32_t group);
  /// Programs the group's program unit: launch() when it is full, pad() with padding.
  void launch(std::uint32_t group);
  void pad(std::uint32_t group);
  void close_if_full(std::uint32_t group, BlockNumber block) {
    if (blocks_[block].allocated == context_.geometry.pages || blocks_[block].failed) close(group, block);
  }
  void try_padding(std::uint32_t group) {
    if (FailureHandler* const failures = programmer_.failure_handler())
      failures->try_padding(writer_of(group), victims_[group].source->origin());
  }
  bool busy(std::uint32_t die) const { return copier_.busy(die); }

  // --- What waits for more data: as in HostBlocks.
  void seal();
  void seal_newer(BlockNumber old);
  void pad_exposed(BlockNumber old);
  bool needs(BlockNumber old) const;
  bool safe_once_filled(BlockNumber old) const;

  void open_state(StateArchive& archive) { archive(open_); }
  void failure_state(StateArchive& archive) {
    if (FailureHandler* const failures = programmer_.failure_handler())
      failures->state(archive, writer_of(0), blocks_.groups());
  }

 private:
  static constexpr std::uint32_t kColdSlots = 2;

  /// Host data are written by `streams_` other writers.
  FailureHandler::Writer writer_of(std::uint32_t group) const { return streams_ + group; }

  /// Index in open_ of the open block that takes copies of a stream.
  std::size_t place_of(std::uint32_t bank, std::uint32_t stream) const {
    const std::uint32_t place = places_ == 1 ? blocks_.die_of_bank(bank) : bank;
    return std::size_t{place} * streams_ + stream;
  }
  BlockNumber* slot(std::uint32_t group, std::uint32_t slot) {
    return open_.data() + std::size_t{slot} * blocks_.banks() + blocks_.first_bank(group);
  }
  BlockNumber next_member(std::uint32_t group);
  /// The block for the next copies, with no host data waiting in it; kNoBlockNumber if none is open.
  BlockNumber next_open(std::uint32_t group);
  void launch(std::uint32_t group, ProgramJob& job);
  void pad_block(BlockNumber block);
  void close(std::uint32_t group, BlockNumber block);
  void vacate(std::uint32_t group, BlockNumber block);
  std::vector<BlockNumber> all_open() const;

  const Victims& victims_;
  HostBlocks& host_;
  ClosedBlocks& closed_;
  OpenBlocks& open_blocks_;
  CopyDebt debt_;
  Copier copier_;
  std::uint32_t streams_;
  std::vector<std::uint32_t> copies_streams_;  // by stream; empty: each keeps its own copies
  std::uint32_t places_;                       // open blocks for copies per die and stream: 1, or one per bank
  // Erase units that take copies, by place and stream; GC units of several members: by slot (a stream, or one of two
  // for cold data) and bank.
  std::vector<BlockNumber> open_;
  std::vector<Group> groups_;
  bool shared_ = false;
};

}  // namespace flashloom
