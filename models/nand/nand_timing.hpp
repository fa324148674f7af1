// How long the phases of flash commands take, in ticks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/common/divisor.hpp"
#include "models/common/types.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/nand/nand_variation.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

struct NandConfig;

/// What lets the operations of one die overlap or interrupt each other, in ticks. ONFI 4.1: 5.18 (read cache), 5.24
/// (page cache program); suspension (Wu and He, FAST 2012) and independent plane reads are the vendors'.
struct NandOverlap {
  bool page_register = false;  ///< see NandConfig
  bool cache_read = false;
  bool cache_program = false;
  bool program_suspend = false;
  bool erase_suspend = false;
  std::uint32_t plane_reads = 1;  ///< concurrent reads of a die, each on plane groups of its own
  Picoseconds cache_busy = 0;
  Picoseconds move_command = 0;     ///< 3Fh: moves data from the page register to the cache register
  Picoseconds suspend_command = 0;  ///< bus time of a suspend, and of a resume command
  Picoseconds suspend_interval = 0;
  Picoseconds suspend_hold = 0;
  std::uint32_t suspend_limit = 0;
  Picoseconds poll_interval = 0;  ///< 0: the controller uses R/B#
  Picoseconds status_read = 0;    ///< bus time
  Picoseconds suspend_time[kFlashOperations] = {};
  Picoseconds resume_time[kFlashOperations] = {};

  NandOverlap() = default;
  explicit NandOverlap(const NandConfig& config);

  bool suspends(FlashOperation operation) const {
    return operation == FlashOperation::Program ? program_suspend : operation == FlashOperation::Erase && erase_suspend;
  }
  /// A die may hold a second command that is cached behind, or interrupts, the first.
  bool joins() const { return cache_read || cache_program || program_suspend || erase_suspend; }
  /// A die may hold several commands at a time.
  bool several_commands() const { return joins() || plane_reads > 1; }
  /// Commands have further phases beyond those of a sequential die, or the bus carries more than commands and data.
  /// Independent plane reads add no phases.
  bool any() const { return joins() || poll_interval != 0; }
};

/// tCCS: from a change of column to the data of a page register (Linux, drivers/mtd/nand/raw/nand_timings.c, mode 0).
inline constexpr Picoseconds kChangeColumn = 500 * kNanosecond;

/// Maximum array time of a program command outside pseudo-SLC mode, without its spread.
Picoseconds longest_program_time(const NandConfig& config);

class NandTiming {
 public:
  /// `seed`: of the spread of tPROG. Throws std::invalid_argument for an array time of 0 or an empty list of them.
  NandTiming(const NandConfig& config, const NandGeometry& geometry, std::uint64_t seed = 0);

  /// Bus time of command and address cycles; of a program with the set-up time of its data. A program repeats them for
  /// each of its pages, an erase for each plane.
  Picoseconds command_time(FlashOperation operation) const {
    return command_time_[static_cast<std::size_t>(operation)];
  }
  /// Same, for a whole group: pages read together repeat the cycles, parts of one page do not.
  Picoseconds request_time(const OnfiCommand& first) const {
    Picoseconds time = command_time(first.operation);
    if (first.operation == FlashOperation::Program && first.bytes > program_bytes_) [[unlikely]]
      return time * first.bytes / program_bytes_;  // with two passes: cycles for each page transferred
    if (parts_) return time;
    for (const OnfiCommand* also = first.together; also != nullptr; also = also->together)
      time += command_time(FlashOperation::Read);
    return time;
  }
  /// Bus time before the data of a page: tRR, preamble and warm-up; for pages read together (`grouped`) also the cycles
  /// that select a plane's register. (Parts of a page go out as one stream; a gap in it would need a change of column,
  /// which is not modelled.)
  Picoseconds data_out_setup(bool grouped) const {
    return data_out_setup_ + (grouped && !parts_ ? command_time(FlashOperation::Read) : 0);
  }
  const NandOverlap& overlap() const { return overlap_; }

  /// Bus time before the cycles of another way than the one that the channel served last.
  Picoseconds way_switch_time() const { return way_switch_time_; }
  /// Whether two dies, given by their positions on the channel, share a chip enable.
  bool same_way(std::uint32_t position, std::uint32_t other) const { return position % ways_ == other % ways_; }

  /// Data cycles of `bytes` of page data, with their share of the spare bytes if the device transfers these.
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

  // --- The following times, and the closed forms below, are for blocks without nand.variation.
  /// tR of a page (number in its erase unit). Arbitrary for a page that does not exist: the die refuses the command.
  Picoseconds read_time(Page page) const { return read_time_[clamp(page)]; }
  /// tPROG of the program unit that begins at a page; with two passes, of all that its command programs.
  Picoseconds program_time(Page page) const { return program_time_[clamp(page)]; }
  /// tBERS. read_time(), program_time() and erase_time() are for blocks that are not in pseudo-SLC mode.
  Picoseconds erase_time() const { return erase_time_; }
  /// Array time of a command; the longest one of pages read together; at most tCCS where the page register has the page.
  Picoseconds array_time(const OnfiCommand& command) const {
    if (command.in_register) [[unlikely]]
      return std::min(kChangeColumn, sensing_time(command));
    return sensing_time(command);
  }
  /// The same, where the array has to do it.
  Picoseconds sensing_time(const OnfiCommand& command) const {
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
  Picoseconds retry_time_;                        // added to tR
  std::uint32_t slc_blocks_;                      // erase units of a die that are always in SLC mode
  std::uint32_t slc_end_;                         // one past the last that can be in SLC mode
  std::uint32_t special_end_;                     // one past the last whose times are not those of its page type
  Picoseconds slc_array_time_[kFlashOperations];  // by operation
  std::shared_ptr<const TimeVariation> varied_;   // null: no variation
  double open_factor_;                            // multiplies tR in blocks that are not full
  bool by_place_;                                 // times vary by place or open block
  double spread_;                                 // share of tPROG
  std::uint64_t seed_;
  std::uint64_t bits_per_second_;
  Divisor unit_bytes_;
  Divisor page_bytes_;
  std::uint32_t spare_bytes_;  // transferred with a page
  std::uint32_t program_bytes_;
  std::vector<Picoseconds> data_time_;           // by number of mapping units
  std::vector<Picoseconds> read_time_;           // by page of an erase unit
  std::vector<Picoseconds> program_time_;        // by page of an erase unit
  std::vector<std::uint32_t> program_bytes_of_;  // transferred, by page of an erase unit
};

}  // namespace flashloom
