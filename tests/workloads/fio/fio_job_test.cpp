// Job files: their meaning, and their errors.
#include <gtest/gtest.h>

#include "tests/workloads/input_files.hpp"
#include "workloads/fio/fio_lists.hpp"
#include "workloads/fio/fio_source.hpp"
#include "workloads/fio/fio_value.hpp"
#include "workloads/fio/job_file.hpp"

namespace flashloom::fio_job_test {
namespace {

TEST(FioValues, SizesAsFioReadsThem) {
  EXPECT_EQ(parse_fio_bytes("4096", 1024), 4096U);
  EXPECT_EQ(parse_fio_bytes("4k", 1024), 4096U);
  EXPECT_EQ(parse_fio_bytes("4K", 1024), 4096U);
  EXPECT_EQ(parse_fio_bytes("4kb", 1024), 4096U);
  EXPECT_EQ(parse_fio_bytes("4KiB", 1024), 4000U);  // measured with fio 3.33: the prefixes are swapped at kb_base 1024
  EXPECT_EQ(parse_fio_bytes("4k", 1000), 4000U);
  EXPECT_EQ(parse_fio_bytes("4KiB", 1000), 4096U);
  EXPECT_EQ(parse_fio_bytes("4Ki", 1024), 4096U);  // fio 3.33 goes by the first letter
  EXPECT_EQ(parse_fio_bytes("2Ki", 1000), 2000U);
  EXPECT_EQ(parse_fio_bytes("500mi", 1024), 500U << 20U);
  EXPECT_EQ(parse_fio_bytes("3m", 1024), 3U << 20U);
  EXPECT_EQ(parse_fio_bytes("2G", 1024), 2ULL << 30U);
  EXPECT_EQ(parse_fio_bytes("1t", 1024), 1ULL << 40U);
  EXPECT_EQ(parse_fio_bytes("0x1000", 1024), 4096U);
  EXPECT_EQ(parse_fio_bytes("512b", 1024), 512U);
  for (const char* bad : {"", "k", "4q", "4kx", "4k4", "-4k", "4 k", "99999999999999999999", "99999999p", "4.5k"})
    EXPECT_THROW(parse_fio_bytes(bad, 1024), FioValueError) << bad;
}

TEST(FioValues, PercentagesTimesAndBlockSizes) {
  EXPECT_TRUE(parse_fio_size("20%", 1024).percent);
  EXPECT_EQ(parse_fio_size("20%", 1024).value, 20U);
  EXPECT_THROW(parse_fio_size("101%", 1024), FioValueError);
  constexpr std::uint64_t kSecond = 1'000'000'000'000;
  EXPECT_EQ(parse_fio_time("30"), 30 * kSecond);
  EXPECT_EQ(parse_fio_time("2m"), 120 * kSecond);
  EXPECT_EQ(parse_fio_time("500ms"), kSecond / 2);
  EXPECT_EQ(parse_fio_time("10us"), kSecond / 100'000);
  EXPECT_THROW(parse_fio_time("3 weeks"), FioValueError);
  EXPECT_THROW(parse_fio_time("300d"), FioValueError);  // beyond 64-bit picoseconds
  using Sizes = std::array<std::uint64_t, 3>;
  const auto sizes = [](std::string_view text) {
    const auto parsed = parse_fio_block_sizes(text, 1024);
    return Sizes{parsed[0].most, parsed[1].most, parsed[2].least};
  };
  EXPECT_EQ(sizes("8k"), (Sizes{8192, 8192, 8192}));
  EXPECT_EQ(sizes("8k,16k"), (Sizes{8192, 16384, 16384}));
  EXPECT_EQ(sizes("8k,16k,32k"), (Sizes{8192, 16384, 32768}));
  EXPECT_EQ(sizes("8k,"), (Sizes{8192, 4096, 4096}));
  EXPECT_EQ(sizes(",8k"), (Sizes{4096, 8192, 8192}));
}

// As fio's --section: what other sections need, an environment variable here, need not be there.
TEST(FioJobFile, SectionsThatAreAskedForAreReadAlone) {
  const InputFiles files;
  const std::string path = files.write(
      "j.fio", "[global]\nrw=read\n[a]\nbs=${FLASHLOOM_NO_SUCH}\nnonsense=1\n[b]\nbs=8k\n[global]\nbs=16k\n[c]\n");
  const auto jobs = read_fio_jobs(path, {"c", "b"});
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].bs[0].least, 8192U);
  EXPECT_EQ(jobs[1].bs[0].least, 16384U);
  EXPECT_THROW(read_fio_jobs(path), WorkloadError);
  EXPECT_THROW(read_fio_jobs(path, {"d"}), WorkloadError);
}

TEST(FioJobFile, GlobalSectionsApplyToTheJobsAfterThem) {
  const InputFiles files;
  const auto jobs = read_fio_jobs(files.write("j.fio",
                                              "; a comment\n[global]\nbs=8k\niodepth=16\nioengine=libaio\ndirect=1\n"
                                              "group_reporting\n\n[first]\nrw = randrw\nrwmixread=70\nsize=50%\n"
                                              "# another\n[global]\niodepth=4\n[second job]\nrw=write\nname=other\n"
                                              "runtime=10\ntime_based\nnumjobs=2\nfsync=32\nrandseed=9\n"));
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].name, "first");
  EXPECT_EQ(jobs[0].iodepth, 16U);
  EXPECT_EQ(jobs[0].bs[0].least, 8192U);
  EXPECT_TRUE(jobs[0].rw.random && jobs[0].rw.reads && jobs[0].rw.writes && !jobs[0].rw.trims);
  EXPECT_EQ(jobs[0].rwmixread, 70U);
  EXPECT_TRUE(jobs[0].size->percent);
  EXPECT_EQ(jobs[0].section_line, 9U);
  EXPECT_EQ(jobs[0].line_of("bs"), 3U);
  EXPECT_EQ(jobs[0].line_of("offset"), 9U);
  EXPECT_EQ(jobs[1].name, "other");
  EXPECT_EQ(jobs[1].iodepth, 4U);
  EXPECT_EQ(jobs[1].runtime_ps, 10'000'000'000'000U);
  EXPECT_TRUE(jobs[1].time_based);
  EXPECT_EQ(jobs[1].numjobs, 2U);
  EXPECT_EQ(jobs[1].fsync, 32U);
  EXPECT_EQ(jobs[1].randseed, 9U);
}

struct BadJob {
  const char* name;
  const char* text;
  std::uint64_t line;
  const char* message;
};

const BadJob kBadJobs[] = {
    {"Empty", "", 1, "no job section"},
    {"OnlyComments", "# nothing\n; here\n", 2, "no job section"},
    {"OnlyGlobal", "[global]\nbs=4k\n", 2, "no job section"},
    {"OptionBeforeSection", "bs=4k\n[j]\n", 1, "before the first section"},
    {"UnclosedSection", "[j\nbs=4k\n", 1, "expected [NAME]"},
    {"EmptySection", "[ ]\n", 1, "expected [NAME]"},
    {"UnknownOption", "[j]\nrw=read\nidepth=4\n", 3, "unknown option \"idepth\"; did you mean: iodepth?"},
    {"UnknownOptionNothingNear", "[j]\nwibblewobble=1\n", 2,
     "unknown option \"wibblewobble\"; `flashloom list fio_option`"},
    {"RangesOfAReader", "[j]\nrw=read\nnum_range=4\n", 3, "num_range: is of jobs that trim only"},
    {"TooManyRanges", "[j]\nrw=trim\nnum_range=257\n", 3, "num_range: \"257\" is out of range"},
    {"ZoneMode", "[j]\nzonemode=zone\n", 2, "zonemode: expected none, strided or zbd, found \"zone\""},
    {"ZoneResetShare", "[j]\nzone_reset_frequency=2\n", 2, "zone_reset_frequency: expected a number from 0 to 1"},
    {"ZoneSkipInPercent", "[j]\nzoneskip=10%\n", 2, "zoneskip: expected a size or zones, found \"10%\""},
    {"RangesOfZones", "[j]\nrw=trim\nnum_range=2\nzonemode=zbd\nzonesize=1m\n", 3,
     "num_range: a trim is a reset of one zone with zonemode=zbd"},
    {"EngineOfANetwork", "[j]\nrw=read\nport=80\nioengine=net\n", 4, "ioengine: net is refused: it measures a network"},
    {"UnknownEngine", "[j]\nioengine=libaoi\n", 2, "ioengine: unknown engine \"libaoi\"; block I/O: libzbc, mmap"},
    {"ReplayOfALog", "[j]\nread_iolog=x\n", 2, "read_iolog: refused: it replays logs: give the log to"},
    {"NoBlockDevice", "[j]\nfilename=/dev/null\n", 2, "filename: /dev/null is no block device"},
    {"TwoDrives", "[a]\nfilename=/dev/sda1\n[b]\nfilename=/dev/sda\n[c]\nfilename=/dev/sdb\n", 6,
     "filename: /dev/sdb is another drive than /dev/sda, and a run has one"},
    {"WaitForNobody", "[a]\nwait_for=b\n[b]\n", 2, "wait_for: there is no job \"b\" before this one"},
    {"NoVariable", "[a]\nbs=${FLASHLOOM_TEST_NO_SUCH}\n", 2,
     "bs: the environment has no variable FLASHLOOM_TEST_NO_SUCH"},
    {"NoInclude", "[a]\ninclude nowhere.fio\n", 2, "include: there is no file \"nowhere.fio\""},
    {"RangeBackwards", "[j]\nbsrange=8k-4k\n", 2, "bsrange: the range \"8k-4k\" ends before it begins"},
    {"SplitOver100", "[j]\nbssplit=4k/60:8k/60\n", 2, "bssplit: shares add up to 120%"},
    {"SplitUnder100", "[j]\nbssplit=4k/60:8k/30\n", 2, "bssplit: shares add up to 90%"},
    {"ZipfThetaOne", "[j]\nrandom_distribution=zipf:1\n", 2, "zipf theta must differ from 0 and 1"},
    {"NoDistribution", "[j]\nrandom_distribution=zip:1\n", 2, "unknown distribution \"zip\"; valid: random, zipf"},
    {"ParetoOver1", "[j]\nrandom_distribution=pareto:2\n", 2, "pareto h lies between 0 and 1"},
    {"CenterOver1", "[j]\nrandom_distribution=normal:5:2\n", 2, "expected a center from 0 to 1"},
    {"ZonesOver100", "[j]\nrandom_distribution=zoned:50/80:50/80\n", 2, "zones add up to 160% of the region"},
    {"TimeTooLarge", "[j]\nruntime=100d\n", 2, "runtime: too large"},
    {"BadSync", "[j]\nsync=maybe\n", 2, "sync: expected none, sync or dsync"},
    {"BadSequencer", "[j]\nrw_sequencer=odd\n", 2, "rw_sequencer: expected sequential or identical"},
    {"BadFileService", "[j]\nfile_service_type=zipf\n", 2, "file_service_type: \"zipf\" is not modelled"},
    {"ThinkTimeOfNothing", "[j]\nthinktime=x\n", 2, "thinktime: expected a time"},
    {"UnknownPattern", "[j]\nrw=randomread\n", 2, "rw: unknown pattern \"randomread\"; valid: read"},
    {"BadBlockSize", "[j]\nbs=4x\n", 2, "bs: unknown unit"},
    {"BadGenerator", "[j]\nrandom_generator=mersenne\n", 2, "random_generator: expected lfsr"},
    {"BadContinue", "[j]\ncontinue_on_error=maybe\n", 2, "continue_on_error: expected none"},
    {"ZeroBlockSize", "[j]\nbs=0\n", 2, "bs: a block of 0 bytes"},
    {"FourBlockSizes", "[j]\nbs=1k,2k,3k,4k\n", 2, "bs: expected at most"},
    {"MissingValue", "[j]\nbs=\n", 2, "bs: value is missing"},
    {"NoValue", "[j]\nbs\n", 2, "bs: value is missing"},
    {"ZeroSize", "[j]\nsize=0\n", 2, "size: 0"},
    {"ZeroPercent", "[j]\nsize=0%\n", 2, "size: 0"},
    {"NegativeSize", "[j]\nsize=-1m\n", 2, "size: negative"},
    {"SizeTooLarge", "[j]\nsize=99999999999999999999\n", 2, "size: too large"},
    {"PercentTooLarge", "[j]\nsize=120%\n", 2, "size: expected 0% to 100%"},
    {"ZeroIoSize", "[j]\nio_size=0\n", 2, "io_size: 0 bytes"},
    {"ZeroDepth", "[j]\niodepth=0\n", 2, "iodepth: \"0\" is out of range: 1 to"},
    {"MixTooLarge", "[j]\nrwmixread=101\n", 2, "rwmixread: \"101\" is out of range: 0 to 100"},
    {"ZeroJobs", "[j]\nnumjobs=0\n", 2, "numjobs: \"0\" is out of range"},
    {"BadFlag", "[j]\nnorandommap=yes\n", 2, "norandommap: expected 0 or 1"},
    {"BadRuntime", "[j]\nruntime=soon\n", 2, "runtime: expected a time"},
    {"TimeBasedWithoutRuntime", "[j]\nrw=read\ntime_based\n", 3, "time_based: needs a runtime"},
    {"GlobalValue", "[global]\n\niodepth=x\n[j]\n", 3, "iodepth: expected a number"},
    // Against a device of 1 MiB with sectors of 512 bytes:
    {"BlockBeyondRegion", "[j]\nsize=64k\nbs=128k\n", 3, "bs: a block of 128 KiB exceeds the region, 64 KiB"},
    {"OffsetBeyondDevice", "[j]\nrw=read\noffset=1m\n", 3, "offset: 1 MiB lies beyond the device"},
    {"SizeBeyondDevice", "[j]\noffset=512k\nsize=1m\n", 3,
     "size: 1 MiB do not fit: the device holds 512 KiB from offset 512 KiB on"},
    {"FilesBeyondDevice", "[a]\nsize=600k\n[b]\nsize=600k\n", 4,
     "size: 600 KiB do not fit: the device holds 1 MiB, of which the files before take 600 KiB"},
    {"OddSplit", "[j]\nbssplit=4k/50:1000/50\n", 2, "bssplit: 1000 B are no multiple of the sector size"},
    {"OddOffset", "[j]\noffset=100\n", 2, "offset: 100 is no multiple of the sector size"},
    {"OddBlock", "[j]\nbs=4kib\n", 2, "bs: 4000 B are no multiple of the sector size"},
};

class BadJobs : public testing::TestWithParam<BadJob> {};

TEST_P(BadJobs, FileLineAndKey) {
  const InputFiles files;
  const std::string path = files.write("bad.fio", GetParam().text);
  const WorkloadError error = error_of([&] { open_fio_jobs(read_fio_jobs(path), {1 << 20, 512}, 1); });
  EXPECT_EQ(error.file(), path);
  EXPECT_EQ(error.line(), GetParam().line) << error.what();
  EXPECT_NE(error.message().find(GetParam().message), std::string::npos) << error.what();
}

INSTANTIATE_TEST_SUITE_P(All, BadJobs, testing::ValuesIn(kBadJobs),
                         [](const auto& job) { return std::string(job.param.name); });

TEST(FioJobFile, MutatedFilesGiveJobsOrErrors) {
  const std::string seed =
      "[global]\nbs=4k,8k\niodepth=16\ndirect=1\n[a]\nrw=randrw\nrwmixread=70\nsize=50%\nruntime=10s\n[b]\nrw=trim\n"
      "offset=10%\nfsync=2\nnumjobs=2\n";
  const InputFiles files;
  Random random(5);
  int errors = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string text = seed;
    for (std::uint64_t n = random.below(2); n < 2; ++n) {
      const auto at = static_cast<std::size_t>(random.below(text.size()));
      switch (random.below(3)) {
        case 0:
          text[at] = static_cast<char>('0' + random.below(10));
          break;
        case 1:
          text.erase(at, 1 + static_cast<std::size_t>(random.below(5)));
          break;
        default:
          text.insert(at, "[9]=%k,\n", 1 + static_cast<std::size_t>(random.below(8)));
          break;
      }
    }
    const std::string path = files.write("m.fio", text);
    try {
      for (const auto& source : open_fio_jobs(read_fio_jobs(path), {1 << 20, 512}, 1)) {
        Request request;
        for (int n = 0; n < 50 && source->next(request); ++n)
          ASSERT_LE(request.offset + request.length, 1U << 20U) << text;
      }
    } catch (const WorkloadError& error) {
      ++errors;
      ASSERT_EQ(error.file(), path);
      ASSERT_NE(error.line(), 0U);
    }
  }
  EXPECT_GT(errors, 1000);
  EXPECT_LT(errors, 9500);
}

}  // namespace
}  // namespace flashloom::fio_job_test
