// fio's verify=: contents that fio itself accepts, and everything that can be wrong with data read back.
#include "workloads/fio/fio_verify.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/workloads/fio/fio_blocks.hpp"
#include "workloads/fio/fio_verified_source.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom::fio_verify_test {
namespace {

using Bytes = std::vector<std::byte>;
using Inert = std::vector<std::pair<std::string, std::string>>;

FioJob job_with(Inert options, const char* rw = "write") {
  FioJob job;
  job.file = "job.fio";
  job.rw.reads = std::string(rw) == "read";
  job.rw.writes = !job.rw.reads;
  job.bs.fill({.least = 4096, .most = 4096});
  std::uint64_t line = 2;
  for (const auto& [key, value] : options) job.lines[key] = line++;
  job.inert = std::move(options);
  return job;
}

FioVerify verify_of(Inert options) { return fio_verify_of(job_with(std::move(options))).value(); }

std::string refusal(FioJob job) {
  try {
    fio_verify_of(job);
  } catch (const WorkloadError& error) {
    return error.what();
  }
  return {};
}

Bytes from_hex(std::string_view hex) {
  Bytes bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

FioContents contents(const std::string& kind, std::uint64_t interval = 4096) {
  return {verify_of({{"verify", kind}, {"verify_interval", std::to_string(interval)}}), 0, 1};
}

TEST(FioVerify, AcceptsBlocksThatFioWroteAndFindsEachChangedByte) {
  for (const auto& [kind, hex] : kFioBlocks) {
    FioContents block = contents(std::string(kind), 512);
    Bytes bytes = from_hex(hex);
    block.check(512, 512, bytes.data());
    EXPECT_EQ(block.wrong(), 0U) << kind << ": " << block.first_wrong();
    const std::size_t checked = kind == "meta" ? 40 : bytes.size();
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < checked; ++i) {
      bytes[i] ^= std::byte{4};
      block.check(512, 512, bytes.data());
      bytes[i] ^= std::byte{4};
      ++found;
      EXPECT_EQ(block.wrong(), found) << kind << " byte " << i;
    }
    block.check(1024, 512, bytes.data());
    EXPECT_EQ(block.wrong(), found + 1) << kind << " at another offset";
  }
}

TEST(FioVerify, ReadsItsOwnContentsBack) {
  for (const char* const kind : {"crc32c", "crc32c-intel", "crc32", "crc16", "xxhash", "md5", "sha1", "meta", "null"}) {
    FioContents own = contents(kind, 1024);
    Bytes bytes(8192);
    own.note(4096, bytes.size());
    own.fill(4096, bytes.size(), 1'500'000'000'000, bytes.data());
    own.check(4096, bytes.size(), bytes.data());
    EXPECT_EQ(own.wrong(), 0U) << kind << ": " << own.first_wrong();
    EXPECT_EQ(own.checked(), std::string(kind) == "null" ? 0U : 8U);
  }
}

TEST(FioVerify, AnOlderVersionOfABlockIsWrong) {
  FioContents own = contents("crc32c");
  Bytes old(4096), young(4096);
  own.note(0, 4096);
  own.fill(0, 4096, 0, old.data());
  own.note(0, 4096);
  own.fill(0, 4096, 0, young.data());
  own.check(0, 4096, young.data());
  EXPECT_EQ(own.wrong(), 0U);
  own.check(0, 4096, old.data());
  EXPECT_EQ(own.wrong(), 1U);
  EXPECT_NE(own.first_wrong().find("write 1 of the job, and not 2"), std::string::npos) << own.first_wrong();
}

TEST(FioVerify, PatternsAreAsFioWritesThem) {
  FioContents pattern(verify_of({{"verify", "pattern"}, {"verify_pattern", "0xdeadbeef12"}}), 0, 1);
  Bytes bytes(4096);
  pattern.note(0, 4096);
  pattern.fill(0, 4096, 0, bytes.data());
  const Bytes begin = from_hex("deadbeef12deadbeef12deadbeef12");  // as in fio's own file, written by the command above
  EXPECT_TRUE(std::equal(begin.begin(), begin.end(), bytes.begin()));
  pattern.check(0, 4096, bytes.data());
  EXPECT_EQ(pattern.wrong(), 0U);
  bytes[4095] ^= std::byte{1};
  pattern.check(0, 4096, bytes.data());
  EXPECT_EQ(pattern.wrong(), 1U);
  EXPECT_EQ(verify_of({{"verify", "pattern"}, {"verify_pattern", "\"ab\""}}).pattern, from_hex("6162"));
  EXPECT_EQ(verify_of({{"verify", "md5"}, {"verify_pattern", "513"}}).pattern, from_hex("0102"));
}

TEST(FioVerify, OptionsAreReadAndRefusedByName) {
  EXPECT_FALSE(fio_verify_of(job_with({})).has_value());
  EXPECT_FALSE(fio_verify_of(job_with({{"verify", "0"}})).has_value());
  const FioVerify verify = verify_of({{"verify", "md5"}, {"do_verify", "0"}, {"verify_fatal", "1"}});
  EXPECT_FALSE(verify.read_back);
  EXPECT_TRUE(verify.fatal);
  EXPECT_EQ(verify.interval, 4096U);
  const auto names = [](const std::string& text, const char* what) { return text.find(what) != std::string::npos; };
  EXPECT_TRUE(names(refusal(job_with({{"verify", "sha256"}})), "job.fio:2: verify: \"sha256\""));
  EXPECT_TRUE(names(refusal(job_with({{"verify", "md5"}, {"verify_offset", "8"}})), "job.fio:3: verify_offset"));
  EXPECT_TRUE(names(refusal(job_with({{"verify", "pattern"}})), "verify_pattern"));
  EXPECT_TRUE(names(refusal(job_with({{"verify", "md5"}, {"verify_pattern", "0xzz"}})), "job.fio:3: verify_pattern"));
  EXPECT_TRUE(names(refusal(job_with({{"verify", "md5"}, {"verify_interval", "32"}})), "job.fio:3: verify_interval"));
  FioJob again = job_with({{"verify", "md5"}});
  again.rw.random = again.norandommap = true;
  again.synchronous = false;
  again.iodepth = 2;
  EXPECT_TRUE(names(refusal(again), "iodepth=1"));
}

/// Gives two writes and one read.
class FewRequests final : public PacedSource {
 public:
  bool next(Request& request) override {
    constexpr std::uint64_t kOffsets[] = {8192, 0, 0};
    if (given_ == 3) return false;
    request = Request{.offset = kOffsets[given_], .length = 4096};
    request.kind = given_++ == 2 ? RequestKind::Read : RequestKind::Write;
    return true;
  }
  void advance(std::uint64_t) override {}
  Pace pace() const override { return {}; }

 private:
  std::size_t given_ = 0;
};

TEST(FioVerify, AJobReadsBackWhatItHasWrittenBehindItsRequests) {
  FioContents own = contents("crc32c");
  FioVerifiedSource source(std::make_unique<FewRequests>(), own);
  Request request;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(source.next(request));
    EXPECT_TRUE(source.pace().free());
  }
  EXPECT_EQ(source.other_reads(), 1U);
  ASSERT_TRUE(source.next(request));
  EXPECT_TRUE(source.pace().drain);  // the reads wait until all writes have completed
  EXPECT_EQ(request.offset, 0U);
  EXPECT_EQ(request.kind, RequestKind::Read);
  ASSERT_TRUE(source.next(request));
  EXPECT_TRUE(source.pace().free());
  EXPECT_EQ(request.offset, 8192U);
  EXPECT_FALSE(source.next(request));
}

}  // namespace
}  // namespace flashloom::fio_verify_test
