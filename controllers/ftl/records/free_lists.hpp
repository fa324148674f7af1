// Free erase units: those of each bank for data; apart from these, units that are not of the capacity, and units that
// are reserved for the metadata log, which are in no count of a die.
#pragma once

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <vector>

#include "controllers/ftl/records/block_records.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

/// The unit that has been free longest first.
using FreeList = boost::circular_buffer<BlockNumber>;
inline BlockNumber first_of(const FreeList& list) { return list.empty() ? kNoBlockNumber : list.front(); }
void take_out(FreeList& list, BlockNumber block);
/// Saved states; the capacity stays.
void list_state(StateArchive& archive, FreeList& list);

/// A list for each bank, and how many units are free on each die.
class FreePool {
 public:
  FreePool(const BlockNumbers& numbers, std::uint32_t most_of_die)
      : numbers_(numbers),
        lists_(numbers.banks(), FreeList(most_of_die / numbers.banks_per_die())),
        counts_(numbers.dies()) {}

  std::uint32_t of_die(std::uint32_t die) const { return counts_[die]; }
  const FreeList& of_bank(std::uint32_t bank) const { return lists_[bank]; }
  const std::vector<FreeList>& of_banks() const { return lists_; }
  void add(BlockNumber block) {
    lists_[numbers_.bank_of(block)].push_back(block);
    ++counts_[numbers_.die_of(block)];
  }
  void take(BlockNumber block) {
    take_out(lists_[numbers_.bank_of(block)], block);
    --counts_[numbers_.die_of(block)];
  }
  void bank_state(StateArchive& archive, std::uint32_t bank) { list_state(archive, lists_[bank]); }
  void die_state(StateArchive& archive, std::uint32_t die) { archive(counts_[die]); }

 private:
  const BlockNumbers& numbers_;
  std::vector<FreeList> lists_;
  std::vector<std::uint32_t> counts_;
};

class FreeLists {
 public:
  /// All erase units are free.
  explicit FreeLists(const BlockRecords& blocks);

  FreePool& data() { return data_; }
  /// Free units that are not of the capacity (BlockInfo::apart) go to this pool, which has them now; before, to none.
  void keep_apart(FreePool& pool) { apart_ = &pool; }

  /// Free erase units of a die for data, including those whose erase is still pending.
  std::uint32_t of_die(std::uint32_t die) const { return data_.of_die(die); }
  const FreeList& of_bank(std::uint32_t bank) const { return data_.of_bank(bank); }
  const std::vector<FreeList>& of_banks() const { return data_.of_banks(); }
  /// `bank`, if it has a free block; else the bank of its die with the most free blocks (which may have none).
  std::uint32_t bank_with_room(std::uint32_t bank) const {
    return of_bank(bank).empty() ? bank_of_most_room(blocks_.die_of_bank(bank)) : bank;
  }
  /// The bank of a die with the most free blocks; the first of several equal ones.
  std::uint32_t bank_of_most_room(std::uint32_t die) const;

  /// Puts a block behind those of its list, or takes it out of there.
  void add(BlockNumber block);
  void take(BlockNumber block);

  /// Reserves the last erase units of every die for the metadata log, the same number on each; the first dies give one
  /// more if the division leaves a remainder. To be called on a new table without bad blocks.
  void keep_for_log(std::uint32_t blocks);
  bool keeps_for_log() const { return log_blocks_ != 0; }
  bool for_log(BlockNumber block) const {
    return log_blocks_ != 0 && blocks_.block_of_die(block) >= blocks_for_data(blocks_.die_of(block));
  }
  /// Erase units of a die that are not reserved for the log.
  std::uint32_t blocks_for_data(std::uint32_t die) const {
    const std::uint32_t dies = blocks_.dies();
    return blocks_.blocks_per_die() - log_blocks_ / dies - (die < log_blocks_ % dies ? 1 : 0);
  }
  /// The reserved log unit that has been free longest; kNoBlockNumber if none is free.
  BlockNumber next_for_log() const { return first_of(log_); }
  void log_state(StateArchive& archive);

 private:
  FreePool* pool_of(BlockNumber block) { return blocks_[block].apart ? apart_ : &data_; }

  const BlockRecords& blocks_;
  FreePool data_;
  FreePool* apart_ = nullptr;
  std::uint32_t log_blocks_ = 0;
  FreeList log_;
};

}  // namespace flashloom
