// The NVRAM write buffer beside a transcription of its paper, on random writes: which blocks leave it, and what
// NF_smart_copy then reads, programs and erases.
#include "tests/papers/nvram_write_buffer.hpp"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/controllers/ftl/kinds/merge_bench.hpp"
#include "tests/papers/streams.hpp"
#include "tests/policies/write_buffer/write_buffer_bench.hpp"

namespace flashloom::nvram_write_buffer_test {
namespace {

using papers::agree_on;
using papers::NvramWriteBuffer;
using papers::Stream;

using Variant = std::tuple<const char*, const char*, int>;  // policy, sequential, spare

class NvramWriteBufferPaper : public testing::TestWithParam<Variant> {};

TEST_P(NvramWriteBufferPaper, WholeBlocksLeave) {
  const auto [policy, sequential, spare] = GetParam();
  constexpr double kThreshold = 0.4;
  std::uint64_t evictions = 0;
  agree_on(200, [&](Stream& stream) {
    const auto pages_per_block = static_cast<std::uint32_t>(1 + stream.below(8));
    const auto capacity = static_cast<std::uint32_t>(1 + stream.below(20));
    stream.tell(std::to_string(capacity) + " pages, in blocks of " + std::to_string(pages_per_block) + ":");
    WriteBufferBench buffer(write_buffer_choice(policy, sequential, kThreshold, spare), capacity, pages_per_block);
    NvramWriteBuffer paper(policy, pages_per_block, sequential, kThreshold, static_cast<std::size_t>(spare));
    std::uint64_t page = 0;
    for (int step = 0; step < 100 && stream.goes_on(); ++step) {
      page = stream.one_in(3) ? stream.below(3 * capacity) : page + 1;  // runs among random writes
      if (!buffer.has(page) && buffer.full()) {
        const auto leaving = paper.pages_of(paper.victim());
        stream.tell("evict for ", page);
        stream.compare(buffer.leaving(), leaving);
        ++evictions;
        buffer.evict();
        for (const std::uint64_t left : leaving) paper.leave(left);
      }
      if (!buffer.has(page) || !stream.one_in(5)) {
        stream.tell("write ", page);
        buffer.write(page);
        paper.write(page);
      } else if (stream.one_in(2)) {
        stream.tell("read ", page);
        buffer.read(page);
        paper.read(page);
      } else {
        stream.tell("drop ", page);
        buffer.drop(page);
        paper.leave(page);
      }
    }
  });
  EXPECT_TRUE(HasFailure() || evictions > 2000) << evictions;
}

std::string name_of(const testing::TestParamInfo<Variant>& of) {
  const auto [policy, sequential, spare] = of.param;
  return std::string(policy) + "_" + sequential + "_" + std::to_string(spare);
}

INSTANTIATE_TEST_SUITE_P(All, NvramWriteBufferPaper,
                         testing::Combine(testing::Values("block_lru", "page_num", "clean_list", "greedy_dual", "fab",
                                                          "bplru"),
                                          testing::Values("off", "literal", "reset"), testing::Values(0)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Sparing, NvramWriteBufferPaper,
                         testing::Combine(testing::Values("page_num", "clean_list", "fab"),
                                          testing::Values("off", "literal", "reset"), testing::Values(1, 5)),
                         name_of);

// "A new block is allocated, the valid pages of the data block and of the NVRAM block are copied to it, and the data
// block is erased." Counts after every write, on a device with a buffer of 8 pages in blocks of 8.
class NfSmartCopyPaper : public testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(NfSmartCopyPaper, ReadsProgramsAndErases) {
  const auto [policy, in_order] = GetParam();
  DeviceConfig config = buffered_blocks(policy, in_order);
  config.buffer.write_buffer = write_buffer_choice(policy, "literal");
  std::uint64_t erases = 0;
  agree_on(100, [&](Stream& stream) {
    MergeBench bench(config);
    NvramWriteBuffer paper(policy, 8, "literal");
    std::set<std::uint64_t> buffered;
    std::map<std::uint64_t, std::set<std::uint64_t>> data_blocks;  // valid pages
    Counts expected{0, 0, 0, 0};
    std::uint64_t page = 0;
    for (int step = 0; step < 80 && stream.goes_on(); ++step) {
      page = (stream.one_in(3) ? stream.below(48) : page + 1) % 48;
      if (!buffered.contains(page) && buffered.size() == 8) {
        const std::vector<std::uint64_t> leaving = paper.pages_of(paper.victim());
        std::set<std::uint64_t>& data_block = data_blocks[leaving.front() / 8];
        expected.erases += data_block.empty() ? 0 : 1;
        for (const std::uint64_t left : leaving) {
          ++expected.host;
          data_block.erase(left);
          buffered.erase(left);
          paper.leave(left);
        }
        expected.merge_reads += data_block.size();
        expected.merges += data_block.size();
        data_block.insert(leaving.begin(), leaving.end());
      }
      stream.tell("", page);
      bench.write({page});
      paper.write(page);
      buffered.insert(page);
      stream.compare(bench.counts(), expected);
    }
    erases += expected.erases;
  });
  EXPECT_TRUE(HasFailure() || erases > 300) << erases;
}

INSTANTIATE_TEST_SUITE_P(All, NfSmartCopyPaper,
                         testing::Combine(testing::Values("block_lru", "page_num", "clean_list", "greedy_dual"),
                                          testing::Bool()),
                         [](const auto& of) {
                           return std::string(std::get<0>(of.param)) + (std::get<1>(of.param) ? "_in_order" : "");
                         });

}  // namespace
}  // namespace flashloom::nvram_write_buffer_test
