#include <gtest/gtest.h>

#include <array>

#include "tests/workloads/generators/generator_support.hpp"

namespace flashloom::iozone_test {
namespace {

std::string letter(const Request& request) {
  switch (request.kind) {
    case RequestKind::Read:
      return "r";
    case RequestKind::Write:
      return "w";
    case RequestKind::Trim:
      return "t";
    case RequestKind::WriteZeroes:
      return "z";
    default:
      return "f";
  }
}

/// "w0+4": a write of 4 KiB at 0 KiB; "f": a flush.
std::string text(const std::vector<Request>& requests) {
  std::string all;
  for (const Request& request : requests) {
    if (!all.empty()) all.append(" ");
    all.append(letter(request));
    if (request.kind == RequestKind::Flush) continue;
    all.append(std::to_string(request.offset / kKiB)).append("+").append(std::to_string(request.length / kKiB));
  }
  return all;
}

Values files(std::uint64_t smallest, std::uint64_t largest, Values more = {}) {
  more["min_file"] = bytes(smallest);
  more["max_file"] = bytes(largest);
  return more;
}

// Worked by hand from iozone.c: auto_test calls begin() for each pair; begin() runs write_perf_test (write, rewrite)
// and read_perf_test (read, reread).
TEST(Iozone, WriteRewriteReadRereadByHand) {
  EXPECT_EQ(text(requests_of(generate("iozone", files(4 * kKiB, 8 * kKiB)))),
            "w0+4 f w0+4 f r0+4 r0+4 r0+4 r0+4 "                      // 4 KiB in records of 4 KiB
            "w0+4 w4+4 f w0+4 w4+4 f r0+4 r0+4 r4+4 r0+4 r0+4 r4+4 "  // 8 KiB in records of 4 KiB
            "w0+8 f w0+8 f r0+8 r0+8 r0+8 r0+8");                     // 8 KiB in a record of 8 KiB
}

TEST(Iozone, ReadsBetweenTheWrites) {
  EXPECT_EQ(
      text(requests_of(generate(
          "iozone", files(8 * kKiB, 8 * kKiB, {{"between", true}, {"trim", true}, {"min_record", bytes(8 * kKiB)}})))),
      "w0+8 f r0+8 r0+8 w0+8 f r0+8 r0+8 t0+8");
}

TEST(Iozone, FlushesAsTheOptionsSay) {
  const auto run = [](bool e, bool c) {
    return text(
        requests_of(generate("iozone", files(4 * kKiB, 4 * kKiB, {{"fsync", e}, {"close", c}, {"prime", false}}))));
  };
  EXPECT_EQ(run(false, false), "w0+4 f w0+4 f r0+4 r0+4");
  EXPECT_EQ(run(true, false), "w0+4 f f w0+4 f f r0+4 r0+4");
  EXPECT_EQ(run(false, true), "w0+4 w0+4 r0+4 r0+4");
  EXPECT_EQ(run(true, true), "w0+4 f w0+4 f r0+4 r0+4");
}

TEST(Iozone, LayoutTrimAndWritesAlone) {
  const Values writes = {{"reads", false}, {"close", true}, {"trim", true}, {"layout", std::string("consecutive")}};
  EXPECT_EQ(text(requests_of(generate("iozone", files(4 * kKiB, 8 * kKiB, writes), 16 * kKiB))),
            "w0+4 w0+4 t0+4 w4+4 w8+4 w4+4 w8+4 t4+8 w0+8 w0+8 t0+8");  // the next file would end beyond the region
}

/// For each file size in turn: (file, number of record sizes, smallest record), in KiB.
std::vector<std::array<std::uint64_t, 3>> table(const Values& values) {
  std::vector<std::array<std::uint64_t, 3>> rows;
  std::uint64_t file = 0;
  std::uint64_t record = 0;
  for (const Request& request : requests_of(generate("iozone", values, 1024 * kMiB))) {
    if (request.kind == RequestKind::Trim) {
      file = request.length / kKiB;
      if (rows.empty() || rows.back()[0] != file) rows.push_back({file, 0, record});
      ++rows.back()[1];
    } else {
      record = request.length / kKiB;
    }
  }
  return rows;
}

// The manual: records of 4k to 16M for files of 64k to 512M, from 32M on no records below 64k. These are the rows that
// `iozone -a` prints.
TEST(Iozone, RecordSizesOfTheAutomaticMode) {
  const Values quick = {{"trim", true}, {"reads", false}, {"close", true}};
  EXPECT_EQ(table(files(64 * kKiB, 64 * kMiB, quick)), (std::vector<std::array<std::uint64_t, 3>>{{64, 5, 4},
                                                                                                  {128, 6, 4},
                                                                                                  {256, 7, 4},
                                                                                                  {512, 8, 4},
                                                                                                  {1024, 9, 4},
                                                                                                  {2048, 10, 4},
                                                                                                  {4096, 11, 4},
                                                                                                  {8192, 12, 4},
                                                                                                  {16384, 13, 4},
                                                                                                  {32768, 9, 64},
                                                                                                  {65536, 9, 64}}));
  Values all = quick;
  all["all_records"] = true;
  EXPECT_EQ(table(files(32 * kMiB, 32 * kMiB, all)), (std::vector<std::array<std::uint64_t, 3>>{{32768, 13, 4}}));
}

// The studies' range: file sizes from 4 KiB to 16 MiB, doubling, make 1 + 2 + ... + 13 pairs.
TEST(Iozone, TheStudiesRange) {
  const auto all = requests_of(generate("iozone", {}));
  std::uint64_t written = 0;
  std::uint64_t read = 0;
  std::uint64_t flushes = 0;
  for (const Request& request : all) {
    if (request.kind == RequestKind::Write) written += request.length;
    if (request.kind == RequestKind::Read) read += request.length;
    if (request.kind == RequestKind::Flush) ++flushes;
  }
  std::uint64_t bytes = 0;
  std::uint64_t primed = 0;
  for (std::uint64_t file = 0; file <= 12; ++file) {
    bytes += (file + 1) * (4 * kKiB << file);
    for (std::uint64_t record = 0; record <= file; ++record) primed += 4 * kKiB << record;
  }
  EXPECT_EQ(written, 2 * bytes);
  EXPECT_EQ(read, 2 * bytes + 2 * primed);
  EXPECT_EQ(flushes, 2 * 91);
}

}  // namespace
}  // namespace flashloom::iozone_test
