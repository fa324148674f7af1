// The log-block FTL (BAST) beside a transcription of the scheme, after section 2.2 of Park et al., "Utilization of
// Non-Volatile RAM Write Buffer for FTL", and Kim et al., on random writes: every count is equal after every write.
#include <gtest/gtest.h>

#include <list>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/papers/streams.hpp"
#include "workloads/random.hpp"

namespace flashloom::log_block_test {
namespace {

using papers::agree_on;
using papers::Stream;

constexpr std::uint64_t kUnit = 512;
constexpr int kNone = -1;

struct Counts {
  std::uint64_t host = 0, probes = 0, reads = 0, copies = 0, gaps = 0, erases = 0, switches = 0, partials = 0,
                fulls = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Counts& c) {
    return out << "host " << c.host << ", probes " << c.probes << ", reads " << c.reads << ", copies " << c.copies
               << ", gaps " << c.gaps << ", erases " << c.erases << ", merges " << c.switches << " " << c.partials
               << " " << c.fulls;
  }
};

// One die, pages of one unit. A block is the list of the units in its pages. "Data blocks are mapped by block and
// written in place, log blocks by sector and out of place": an overwrite goes to a log block of the data block. Ours:
// on a die whose pages go in order (`in_order`), a place in the data block is free only behind all others; a log block
// counts as written in place if what is valid in it is (by the text: if all its writes were).
class Paper {
 public:
  Paper(int pages, std::size_t logs, bool in_order, bool probes)
      : pages_(pages), limit_(logs), in_order_(in_order), probes_(probes) {}

  void write(int unit) {
    const int logical = unit / pages_, offset = unit % pages_;
    ++counts.host;
    // 5.3.1: "Before a write the data block is always read, to see whether there are data".
    if (probes_ && pairs_[logical].has_data) ++counts.probes;
    for (;;) {
      Pair& pair = pairs_[logical];
      if (holder(pair.log, unit) == kNone) {
        if (!pair.has_data && !pair.has_log && (offset == 0 || !in_order_)) begin(pair.data, pair.has_data);
        if (pair.has_data && in_place(pair.data, offset)) {
          set(pair.data, offset, unit);
          return;
        }
      }
      if (!pair.has_log) {
        if (recent_.size() == limit_) merge(recent_.front());
        begin(pair.log, pair.has_log);
        recent_.push_back(logical);
      }
      if (static_cast<int>(pair.log.size()) < pages_) {
        for (int& page : pair.log) page = page == unit ? kNone : page;  // the older version is invalid
        for (int& page : pair.data) page = page == unit ? kNone : page;
        pair.log.push_back(unit);
        recent_.remove(logical);
        recent_.push_back(logical);
        return;
      }
      merge(logical);
    }
  }
  Counts counts;

 private:
  using Block = std::vector<int>;  // for each written page the valid unit in it, or kNone
  struct Pair {
    Block data, log;
    bool has_data = false, has_log = false;
  };
  static void begin(Block& block, bool& there) {
    block.clear();
    there = true;
  }
  static int holder(const Block& block, int unit) {
    for (std::size_t page = 0; page < block.size(); ++page)
      if (block[page] == unit) return static_cast<int>(page);
    return kNone;
  }
  // kFree: a page of a data block that was skipped and can still be written.
  static constexpr int kFree = -2;
  bool in_place(const Block& data, int offset) const {
    const int end = static_cast<int>(data.size());
    if (in_order_) return offset == end;
    return offset >= end || data[static_cast<std::size_t>(offset)] == kFree;
  }
  static void set(Block& data, int offset, int unit) {
    while (static_cast<int>(data.size()) <= offset) data.push_back(kFree);
    data[static_cast<std::size_t>(offset)] = unit;
  }

  // "A merge happens when a data block without a log block asks for one while all are in use, and when a data block has
  // used its log block up" (section 2.2). Ours: it takes the log block that was written longest ago.
  void merge(int logical) {
    Pair& pair = pairs_[logical];
    recent_.remove(logical);
    const int first = logical * pages_, written = static_cast<int>(pair.log.size());
    bool in_order = true;  // valid units of the log block are in place, those of the data block lie behind its end
    for (int page = 0; page < written; ++page) {
      const int unit = pair.log[static_cast<std::size_t>(page)];
      in_order = in_order && (unit == kNone || unit == first + page);
    }
    for (const int unit : pair.data)
      if (unit >= 0) in_order = in_order && unit - first >= written;
    if (in_order) {
      // switch: "the log block becomes the data block, and the old data block is erased"; switch copy: "if the rest has
      // valid data in the data block, they are copied first".
      ++(written == pages_ ? counts.switches : counts.partials);
      for (const int unit : pair.data)
        if (unit >= 0) copy(pair.log, unit - first, unit);
      counts.erases += pair.has_data ? 1 : 0;
      pair.data = pair.log;
    } else {
      // smart copy: "valid data of both are copied to a new block, and both are erased".
      ++counts.fulls;
      Block fresh;
      for (int offset = 0; offset < pages_; ++offset)
        if (holder(pair.data, first + offset) != kNone || holder(pair.log, first + offset) != kNone)
          copy(fresh, offset, first + offset);
      counts.erases += pair.has_data ? 2 : 1;
      pair.data = fresh;
    }
    pair.has_data = true;
    pair.has_log = false;
    pair.log.clear();
  }
  void copy(Block& to, int offset, int unit) {
    ++counts.reads;
    ++counts.copies;
    if (in_order_)
      for (int end = static_cast<int>(to.size()); end < offset; ++end) {
        to.push_back(kNone);
        ++counts.gaps;
      }
    set(to, offset, unit);
  }

  int pages_;
  std::size_t limit_;
  bool in_order_, probes_;
  std::map<int, Pair> pairs_;
  std::list<int> recent_;  // logical blocks with a log block, the one written longest ago first
};

Counts counts_of(const InstantDevice& device) {
  const FlashCounters& flash = device.flash.counters();
  const FtlStatistics::Merges& merges = device.firmware->ftl().statistics().merges;
  return {.host = flash.at(FlashOperation::Program, Origin::Host).units,
          .probes = flash.at(FlashOperation::Read, Origin::Map).pages,
          .reads = flash.at(FlashOperation::Read, Origin::Merge).units,
          .copies = flash.at(FlashOperation::Program, Origin::Merge).units,
          .gaps = flash.at(FlashOperation::Program, Origin::Padding).units,
          .erases = flash.at(FlashOperation::Erase, Origin::Merge).pages,
          .switches = merges.switched,
          .partials = merges.partial,
          .fulls = merges.full};
}

TEST(LogBlockPaper, ReadsProgramsErasesAndMerges) {
  Counts all;
  agree_on(400, [&all](Stream& stream) {
    DeviceConfig config;
    config.nand.channels = config.nand.ways = 1;
    config.nand.blocks = static_cast<std::uint32_t>(10 + stream.below(20));
    config.nand.pages = static_cast<std::uint32_t>(4 + stream.below(9));
    config.nand.page_size = kUnit;
    config.nand.in_order_program = stream.one_in(2);
    config.ftl.mapping_unit = kUnit;
    config.buffer.mode = "write_through";
    config.buffer.size = 0;
    const auto logs = static_cast<std::int64_t>(1 + stream.below(4));
    const bool probes = stream.one_in(2);
    const std::uint32_t blocks = config.nand.blocks - static_cast<std::uint32_t>(logs) - 2;
    config.ftl.logical_size = std::uint64_t{blocks} * config.nand.pages * kUnit;
    config.ftl.kind = {"log_block", ParameterValues({{"log_blocks", logs}, {"probe", probes}})};
    InstantDevice device(config);
    Paper paper(static_cast<int>(config.nand.pages), static_cast<std::size_t>(logs), config.nand.in_order_program,
                probes);
    stream.tell(std::to_string(logs) + " log blocks, blocks of " + std::to_string(config.nand.pages) +
                (config.nand.in_order_program ? " in order" : "") + (probes ? ", probes:" : ":"));
    const std::uint64_t units = std::uint64_t{blocks} * config.nand.pages;
    for (int run = 0; run < 40; ++run) {
      // Runs of writes from the start of a block or from anywhere, so that all kinds of merges occur.
      std::uint64_t unit = stream.below(units);
      if (stream.one_in(2)) unit -= unit % config.nand.pages;
      const std::uint64_t length = 1 + stream.below(2 * config.nand.pages);
      for (std::uint64_t i = 0; i < length && unit < units && stream.goes_on(); ++i, ++unit) {
        stream.tell("", unit);
        device.write(unit * kUnit, kUnit);
        paper.write(static_cast<int>(unit));
        stream.compare(counts_of(device), paper.counts);
      }
    }
    all.probes += paper.counts.probes;
    all.switches += paper.counts.switches;
    all.partials += paper.counts.partials;
    all.fulls += paper.counts.fulls;
  });
  for (const std::uint64_t count : {all.probes, all.switches, all.partials, all.fulls})
    EXPECT_TRUE(HasFailure() || count > 500) << all;
}

// The paper's claims, on its flash: small blocks, pages in any order, a probing read before each write.
TEST(LogBlockPaper, SequentialWritesSwitchAndRandomWritesMergeFully) {
  DeviceConfig config;
  config.nand.channels = config.nand.ways = 1;
  config.nand.blocks = 512;
  config.nand.pages = 32;
  config.nand.page_size = kUnit;
  config.nand.in_order_program = false;
  config.ftl.mapping_unit = kUnit;
  config.ftl.logical_size = 400 * 32 * kUnit;
  config.ftl.kind = {"log_block", ParameterValues({{"log_blocks", std::int64_t{100}}, {"probe", true}})};
  config.buffer.mode = "write_through";
  config.buffer.size = 0;
  InstantDevice device(config);
  const FtlStatistics::Merges& merges = device.firmware->ftl().statistics().merges;
  using papers::agree_on;
  using papers::Stream;

  constexpr std::uint64_t kUnits = 400 * 32;
  for (int pass = 0; pass < 4; ++pass)
    for (std::uint64_t unit = 0; unit < kUnits; ++unit) device.write(unit * kUnit, kUnit);
  // three passes over written blocks, less the 100 log blocks not merged yet
  EXPECT_EQ(merges.switched, 3 * 400 - 100);
  EXPECT_EQ(merges.partial + merges.full, 0U);
  EXPECT_EQ(device.flash.counters().at(FlashOperation::Program, Origin::Merge).units, 0U);
  const std::uint64_t switched = merges.switched;
  Random random(1);
  for (int write = 0; write < 20'000; ++write) device.write(random.below(kUnits) * kUnit, kUnit);
  EXPECT_GT(merges.full, 14'000U);              // 100 of 400 blocks have a log block: three writes in four find none
  EXPECT_LT(merges.partial, merges.full / 20);  // one first write in 32 goes to offset 0 and begins in order
  EXPECT_LE(merges.switched - switched, 100U);  // the log blocks left by the sequential passes
}

}  // namespace
}  // namespace flashloom::log_block_test
