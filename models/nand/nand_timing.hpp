// How long the phases of flash commands take, in ticks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/common/divisor.hpp"
#include "models/common/types.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/nand/nand_variation.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// What lets the operations of one die overlap or interrupt each other, in ticks. ONFI 4.1: 5.18 (read cache), 5.24
/// (page cache program); suspension (Wu and He, FAST 2012) and independent plane reads are the vendors'.
struct NandOverlap {
  bool cache_read = false;
  bool cache_program = false;
  bool program_suspend = false;
  bool erase_suspend = false;
  std::uint32_t plane_reads = 1;  ///< reads under way at a time, each on plane groups of its own
  Picoseconds cache_busy = 0;
  Picoseconds move_command = 0;     ///< 3Fh: the page register's data go to the cache register
  Picoseconds suspend_command = 0;  ///< on the bus; so does resuming
  Picoseconds suspend_interval = 0;
  Picoseconds suspend_hold = 0;
  std::uint32_t suspend_limit = 0;
  Picoseconds poll_interval = 0;  ///< 0: R/B# tells
  Picoseconds status_read = 0;    ///< on the bus
  Picoseconds suspend_time[kFlashOperations] = {};
  Picoseconds resume_time[kFlashOperations] = {};

  NandOverlap() = default;
  explicit NandOverlap(const NandConfig& config);

  bool suspends(FlashOperation operation) const {
    return operation == FlashOperation::Program ? program_suspend : operation == FlashOperation::Erase && erase_suspend;
  }
  /// A die may have a second command that caches or interrupts the first.
  bool joins() const { return cache_read || cache_program || program_suspend || erase_suspend; }
  /// A die may have several commands at a time.
  bool several_commands() const { return joins() || plane_reads > 1; }
  /// It has more phases than those of one command after the other, or the bus is used for more than commands and data.
  /// Reads of planes by themselves have no other phases.
  bool any() const { return joins() || poll_interval != 0; }
};

/// The longest time that a program command takes in the array, outside pseudo-SLC mode, without its spread.
Picoseconds longest_program_time(const NandConfig& config);

class NandTiming {
 public:
  /// `seed`: of the spread of tPROG. Throws std::invalid_argument for an array time of 0 or an empty list of them.
  NandTiming(const NandConfig& config, const NandGeometry& geometry, std::uint64_t seed = 0);

  /// Command and address cycles on the bus, of a program with the set-up of its data. A program repeats them for each
  /// of its pages, an erase for each plane.
  Picoseconds command_time(FlashOperation operation) const {
    return command_time_[static_cast<std::size_t>(operation)];
  }
  /// The same of a whole group: pages read together repeat them, parts of one page do not.
  Picoseconds request_time(const OnfiCommand& first) const {
    Picoseconds time = command_time(first.operation);
    if (first.operation == FlashOperation::Program && first.bytes > program_bytes_) [[unlikely]]
      return time * first.bytes / program_bytes_;  // of two passes: cycles for each page that is moved
    if (parts_) return time;
    for (const OnfiCommand* also = first.together; also != nullptr; also = also->together)
      time += command_time(FlashOperation::Read);
    return time;
  }
  /// Bus time before the data of a page go out: tRR, preamble and warm-up; of pages read together (`grouped`) with the
  /// cycles that select a plane's register. (Parts of a page go out as one stream; a gap in it would cost a change of
  /// column, which is not counted.)
  Picoseconds data_out_setup(bool grouped) const {
    return data_out_setup_ + (grouped && !parts_ ? command_time(FlashOperation::Read) : 0);
  }
  const NandOverlap& overlap() const { return overlap_; }

  /// Bus time before the cycles of a way that is not the last one that its channel served.
  Picoseconds way_switch_time() const { return way_switch_time_; }
  /// Two dies, by their positions on the channel, answer to the same chip enable.
  bool same_way(std::uint32_t position, std::uint32_t other) const { return position % ways_ == other % ways_; }

  /// Data cycles of `bytes` of page data, their share of the spare bytes included when the device transfers it.
  Picoseconds data_time(std::uint32_t bytes) const {
    const std::uint32_t units = unit_bytes_.quotient(bytes);
    if (units < data_time_.size() && units * unit_bytes_.value() == bytes) [[likely]]
      return data_time_[units];
    return compute_data_time(bytes);
  }
  /// Bytes on the bus for `bytes` of page data.
  std::uint64_t bus_bytes(std::uint32_t bytes) const {
    if (spare_bytes_ == 0) return bytes;
    return bytes + page_bytes_.quotient(std::uint64_t{bytes} * spare_bytes_ + page_bytes_.value() - 1);
  }

  // --- These, and the closed forms below, are of a block without nand.variation.
  /// tR of a page (number in its erase unit). For one that does not exist (the die refuses the command) some tR.
  Picoseconds read_time(Page page) const { return read_time_[clamp(page)]; }
  /// tPROG of the program unit that begins at a page; of two passes, of all that its command carries out.
  Picoseconds program_time(Page page) const { return program_time_[clamp(page)]; }
  /// tBERS. These three are of blocks that are not in pseudo-SLC mode.
  Picoseconds erase_time() const { return erase_time_; }
  /// Time in the array; of those read together the longest.
  Picoseconds array_time(const OnfiCommand& command) const {
    const std::uint32_t block = command.address.block.value();
    if (block < special_end_ && (command.slc || block < slc_blocks_ || by_place_)) [[unlikely]]
      return by_place_ ? time_of_place(command) : slc_time(command);
    switch (command.operation) {
      case FlashOperation::Read: {
        Picoseconds time = read_time(command.address.page);
        for (const OnfiCommand* also = command.together; also != nullptr; also = also->together)
          time = std::max(time, read_time(also->address.page));
        if (command.retry != 0) [[unlikely]]
          time += retry_time_;
        return time;
      }
      case FlashOperation::Program:
        if (spread_ != 0) [[unlikely]]
          return spread_program_time(command, program_time(command.address.page));
        return program_time(command.address.page);
      case FlashOperation::Erase:
        break;
    }
    return erase_time_;
  }

  // Closed forms: latency of a command on an idle channel and die.
  Picoseconds unloaded_read(std::uint32_t bytes, Page page = Page{0}) const {
    return command_time(FlashOperation::Read) + read_time(page) + data_out_setup(false) + data_time(bytes);
  }
  /// A whole program unit.
  Picoseconds unloaded_program(Page page = Page{0}) const {
    const std::uint32_t bytes = program_bytes_of_[clamp(page)];
    return command_time(FlashOperation::Program) * bytes / program_bytes_ + data_time(bytes) + program_time(page);
  }
  Picoseconds unloaded_erase() const { return command_time(FlashOperation::Erase) + erase_time_; }

 private:
  std::size_t clamp(Page page) const { return page.value() < read_time_.size() ? page.value() : 0; }
  Picoseconds compute_data_time(std::uint32_t bytes) const;
  bool in_slc_mode(const OnfiCommand& command) const {
    return command.address.block.value() < slc_end_ && (command.slc || command.address.block.value() < slc_blocks_);
  }
  [[gnu::cold]] Picoseconds slc_time(const OnfiCommand& command) const;
  [[gnu::cold]] Picoseconds time_of_place(const OnfiCommand& command) const;
  Picoseconds spread_program_time(const OnfiCommand& command, Picoseconds mean) const;

  Picoseconds command_time_[kFlashOperations];
  Picoseconds data_out_setup_;
  NandOverlap overlap_;
  Picoseconds way_switch_time_;
  std::uint32_t ways_;
  bool parts_;  // partial-page programs
  Picoseconds erase_time_;
  Picoseconds retry_time_;                        // beyond tR
  std::uint32_t slc_blocks_;                      // erase units of a die that are always in SLC mode
  std::uint32_t slc_end_;                         // behind the last one that can be
  std::uint32_t special_end_;                     // behind the last one whose times are not those of its page type
  Picoseconds slc_array_time_[kFlashOperations];  // of their pages, program units and themselves
  std::shared_ptr<const TimeVariation> varied_;   // null: all places are alike
  double open_factor_;                            // of tR in blocks that are not full
  bool by_place_;                                 // either of them
  double spread_;                                 // of tPROG
  std::uint64_t seed_;
  std::uint64_t bits_per_second_;
  Divisor unit_bytes_;
  Divisor page_bytes_;
  std::uint32_t spare_bytes_;  // transferred with a page
  std::uint32_t program_bytes_;
  std::vector<Picoseconds> data_time_;     // by number of mapping units
  std::vector<Picoseconds> read_time_;     // by page of an erase unit
  std::vector<Picoseconds> program_time_;  // by page of an erase unit
  std::vector<std::uint32_t> program_bytes_of_;  // moved, the same
};

}  // namespace flashloom
