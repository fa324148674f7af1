// Reads after power-on, on all dies in parallel: shared by all recovery methods.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/records/block_numbers.hpp"
#include "controllers/ftl/recovery/log_entries.hpp"
#include "controllers/runtime/runtime.hpp"

namespace flashloom {

class SpareScan {
 public:
  /// Counts of the reads so far.
  const MountReport& report() const { return report_; }

 protected:
  SpareScan(const FtlContext& context, const BlockNumbers& numbers) : context_(context), numbers_(numbers) {}
  ~SpareScan() = default;

  /// A command that reads the spare area of a page, with its buffer.
  struct SpareRead {
    explicit SpareRead(std::uint32_t units) : words(units) {
      command.units = static_cast<std::uint16_t>(units);
      command.bytes = static_cast<std::uint32_t>(units * sizeof(OobWord));
      command.spare_only = true;
      command.oob = words.data();
    }
    OnfiCommand command;
    std::vector<OobWord> words;
  };
  SpareRead spare_read() const { return SpareRead(context_.geometry.units_per_page); }

  /// Awaits each(block), a Task<void>, for all erase units: one after another on a die, all dies in parallel.
  template <class Each>
  Task<void> on_all_dies(Each each) {
    dies_left_ = context_.geometry.dies;
    for (std::uint32_t die = 0; die < context_.geometry.dies; ++die)
      Runtime::current().spawn([this, die, each] { return on_die(die, each); });
    while (dies_left_ != 0) co_await done_.wait();
  }
  /// Reads a page; one with a wrong checksum (Corrupt) counts as torn.
  Task<void> read_page(OnfiCommand& command, BlockNumber block, std::uint32_t page);
  /// Reads an erase unit of the metadata log; a program of several pages counts if all of them are readable.
  Task<void> read_log(BlockNumber block, const OobLayout& layout, LogEntries& entries);

  const FtlContext& context_;
  MountReport report_;

 private:
  template <class Each>
  Task<void> on_die(std::uint32_t die, Each each) {
    const BlockNumber first = die * numbers_.blocks_per_die();
    for (BlockNumber block = first; block < first + numbers_.blocks_per_die(); ++block) co_await each(block);
    if (--dies_left_ == 0) done_.wake_all();
  }

  const BlockNumbers& numbers_;
  std::uint32_t dies_left_ = 0;
  WaitList done_;
};

}  // namespace flashloom
