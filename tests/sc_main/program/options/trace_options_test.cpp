#include "sc_main/program/options/trace_options.hpp"

#include <gtest/gtest.h>

#include "sc_main/program/options/options.hpp"
#include "sc_main/program/options/run_options.hpp"
#include "sc_main/program/options/trace_command_options.hpp"
#include "tests/workloads/input_files.hpp"

namespace flashloom::trace_options_test {
namespace {

template <class Options>
Options parsed(const ParsedCommand& command) {
  return std::any_cast<Options>(command.options);
}

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;

RunOptions run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"run", "tiny"});
  return parsed<RunOptions>(parse_command_line(arguments));
}

std::string usage_error(std::vector<std::string> arguments) {
  try {
    run(std::move(arguments));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no UsageError";
}

TEST(TraceOptions, KeysOfATraceAndOptionsForAll) {
  const TraceSet set = run({"--trace", "a,b.csv,offset=1GiB,size=10 GiB,format=disksim,time_unit=ms", "--trace",
                            "c.csv", "--format", "msr", "--format-option", "action=Q"})
                           .traces;
  ASSERT_EQ(set.traces.size(), 2U);
  EXPECT_EQ(set.traces[0].path, "a,b.csv");
  EXPECT_EQ(set.traces[0].offset, kGiB);
  EXPECT_EQ(set.traces[0].size, 10 * kGiB);
  EXPECT_EQ(set.traces[0].format, "disksim");
  EXPECT_EQ(set.traces[0].parameters, (std::map<std::string, std::string>{{"action", "Q"}, {"time_unit", "ms"}}));
  EXPECT_EQ(set.traces[1].path, "c.csv");
  EXPECT_EQ(set.traces[1].format, "msr");
  EXPECT_FALSE(set.traces[1].offset || set.traces[1].size);
  EXPECT_FALSE(set.concat);
}

TEST(TraceOptions, AFileThatIsCalledSoIsTakenSo) {
  const InputFiles files;
  const std::string path = files.write("odd,size=1GiB", "");
  EXPECT_EQ(run({"--trace", path}).traces.traces[0].path, path);
}

TEST(TraceOptions, Concat) {
  const TraceSet set = run({"--trace", "a", "--trace", "b", "--concat", "--concat-gap", "1 h"}).traces;
  EXPECT_TRUE(set.concat);
  EXPECT_EQ(set.gap_ps, 3'600'000'000'000'000U);
}

TEST(TraceOptions, Mistakes) {
  EXPECT_NE(usage_error({"--trace", "a,size=10"}).find("--trace a: size: "), std::string::npos);
  EXPECT_NE(usage_error({"--trace", "a,offset=1 ms"}).find("--trace a: offset: "), std::string::npos);
  EXPECT_EQ(usage_error({"--trace", "a,size=0B"}), "--trace a: size: must be greater than 0");
  EXPECT_EQ(usage_error({"--trace", "a,size=1B,size=2B"}), "--trace a,size=1B,size=2B: size is said twice");
  EXPECT_EQ(usage_error({"--trace", ",size=1B"}), "--trace ,size=1B: names no file");
  EXPECT_EQ(usage_error({"--trace", "a", "--concat-gap", "1 s"}),
            "--concat-gap: is between traces one after another; say --concat");
  EXPECT_NE(usage_error({"--trace", "a", "--concat", "--concat-gap", "1 KiB"}).find("--concat-gap: "),
            std::string::npos);
  EXPECT_NE(usage_error({"--trace", "a,offset=1MiB", "--trace", "b", "--concat"}).find("do not go together"),
            std::string::npos);
  EXPECT_EQ(usage_error({"--job", "a", "--concat"}), "--concat: says how to read a --trace; there is none");
}

TEST(TraceOptions, Convert) {
  const auto convert = parsed<TraceConvertOptions>(
      parse_command_line({"trace", "convert", "in.csv", "out.flt.zst", "--format", "msr", "--time-unit", "ms"}));
  EXPECT_EQ(convert.trace.path, "in.csv");
  EXPECT_EQ(convert.trace.format, "msr");
  EXPECT_EQ(convert.trace.parameters.at("time_unit"), "ms");
  EXPECT_EQ(convert.out, "out.flt.zst");
  EXPECT_THROW(parse_command_line({"trace", "convert", "in.csv"}), UsageError);
}

}  // namespace
}  // namespace flashloom::trace_options_test
