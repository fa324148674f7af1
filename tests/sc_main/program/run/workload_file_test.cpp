// Workload files: their meaning, and the errors of wrong ones.
#include "sc_main/program/run/workload_file.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "sc_main/assembly/config/generator_choice.hpp"
#include "sc_main/assembly/config/quantity.hpp"

namespace flashloom::workload_file_test {
namespace {

std::vector<WorkloadJob> read(const std::string& text) { return read_workload_text(text, "w.toml", "folder"); }

/// Expects a ConfigError whose message has all of the texts.
template <class Body>
void expect_error(Body body, const std::vector<std::string>& texts) {
  try {
    body();
    FAIL() << "no error with " << texts.front();
  } catch (const ConfigError& error) {
    for (const std::string& text : texts)
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what() << "\nhas not: " << text;
  }
}

void refuse(const std::string& text, const std::vector<std::string>& texts) {
  expect_error([&] { read(text); }, texts);
}

TEST(WorkloadFile, KeysOfAJob) {
  const auto jobs = read(R"(
description = "two"
[[job]]
name = "a"
trace = "t.csv"
format = "msr"
format_options = { time_unit = "us" }
address_fit = "scale"
offset = "25 %"
size = "64 MiB"
queue = 3
iodepth = 7
replay = "closed"
speedup = 2.5
start = "1 ms"
stop = "3 ms"
requests = 10
[[job]]
generator = "mix"
runtime = "2 s"
parameters = { read = "30 %", size = "4 KiB: 70 %, 64 KiB: 30 %", flush_every = 4 }
)");
  ASSERT_EQ(jobs.size(), 2);
  const WorkloadJob& a = jobs[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.where, "w.toml:3");
  EXPECT_EQ(a.source, WorkloadJob::Source::Trace);
  EXPECT_EQ(a.path, "folder/t.csv");
  EXPECT_EQ(a.format, "msr");
  EXPECT_EQ(a.format_options.at("time_unit"), "us");
  EXPECT_EQ(a.address_fit, AddressFit::Scale);
  EXPECT_EQ(a.offset.share, 0.25);
  EXPECT_EQ(a.size->bytes, 64U << 20U);
  EXPECT_EQ(a.queue, 3);
  EXPECT_EQ(a.iodepth, 7);
  EXPECT_EQ(a.replay, "closed");
  EXPECT_EQ(a.speedup, 2.5);
  EXPECT_EQ(a.start, 1'000'000'000);
  EXPECT_EQ(a.runtime, 2'000'000'000);
  EXPECT_EQ(a.requests, 10);
  const WorkloadJob& b = jobs[1];
  EXPECT_EQ(b.name, "job2");
  EXPECT_EQ(b.generator->name, "mix");
  EXPECT_EQ(b.runtime, 2'000'000'000'000);
  EXPECT_EQ(b.parameters.size(), 3);
  EXPECT_EQ(std::get<double>(b.parameters.at("read")), 0.3);
  EXPECT_EQ(std::get<WeightedSizes>(b.parameters.at("size")), (WeightedSizes{{4096, 0.7}, {65536, 0.3}}));
  EXPECT_EQ(std::get<std::int64_t>(b.parameters.at("flush_every")), 4);
  EXPECT_EQ(queues_needed(jobs), 4);
  EXPECT_EQ(queues_needed({b}), 1);
  EXPECT_EQ(read("[[job]]\ntrace = '/abs/t.csv'\n")[0].path, "/abs/t.csv");
}

// Common keys are given once; a job's own keys and parameters take precedence.
TEST(WorkloadFile, DaysOneAfterTheOther) {
  const auto jobs = read(R"(
[common]
generator = "desktop"
seed = 7
queue = 0
start = "8 h"
parameters = { days = 1, write = "27 %" }
[[job]]
name = "monday"
start = "0 s"
[[job]]
name = "tuesday"
after = "monday"
parameters = { first_day = 1, write = "30 %" }
)");
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].start, 0U);
  EXPECT_EQ(jobs[0].after, "");
  EXPECT_EQ(jobs[0].parameters.size(), 2U);
  EXPECT_EQ(jobs[1].start, 28'800 * kSecond);
  EXPECT_EQ(jobs[1].after, "monday");
  EXPECT_EQ(jobs[1].seed, 7U);
  EXPECT_EQ(jobs[1].queue, 0U);
  EXPECT_EQ(std::get<std::int64_t>(jobs[1].parameters.at("days")), 1);
  EXPECT_EQ(std::get<double>(jobs[1].parameters.at("write")), 0.3);
  EXPECT_EQ(queues_needed(jobs), 1U);
  const std::string mix = "[[job]]\ngenerator = \"mix\"\n";
  refuse(mix + "after = \"x\"\n", {"w.toml:3", "job.after", "no job \"x\" before"});
  refuse(mix + mix + "after = \"job2\"\n", {"w.toml:5", "no job \"job2\" before this one; valid: job1"});
  refuse(mix + mix + "after = \"job1\"\nstop = \"1 s\"\n", {"w.toml:6", "job.stop", "runtime"});
  refuse(mix + "skip = 1\n", {"w.toml:3", "job.skip", "trace"});
  refuse("[common]\ngenerator = \"mix\"\nquue = 1\n[[job]]\n", {"w.toml:3", "job.quue", "queue"});
  refuse("common = 1\n" + mix, {"w.toml:1", "common"});
}

TEST(WorkloadFile, JobsOfASeedDrawTheSame) {
  const auto offsets = [](const std::string& text, std::uint64_t seed) {
    Workload workload;
    DeviceConfig config;
    config.seed = seed;
    config.host.queues = 2;
    open_workload_jobs(workload, read(text), config, {.capacity = 16U << 20U, .sector_size = 512});
    std::vector<std::vector<std::uint64_t>> all;
    for (const HostJob& job : workload.jobs) {
      Request request;
      all.emplace_back();
      while (job.source->next(request)) all.back().push_back(request.offset);
    }
    return all;
  };
  const std::string mix = "[[job]]\ngenerator = \"mix\"\nparameters = { random = 1.0, requests = 50 }\n";
  const auto own = offsets(mix + mix, 1);
  EXPECT_NE(own[0], own[1]);
  const auto same = offsets(mix + "seed = 3\n" + mix + "seed = 3\n", 1);
  EXPECT_EQ(same[0], same[1]);
  EXPECT_NE(same[0], own[0]);
  EXPECT_NE(same[0], offsets(mix + "seed = 4\n", 1)[0]);
  EXPECT_NE(same[0], offsets(mix + "seed = 3\n", 2)[0]);
}

TEST(WorkloadFile, PathsInTheEnvironment) {
  const std::string text = "[[job]]\ntrace = \"$FLASHLOOM_TEST_FOLDER/a/t.csv\"\n";
  unsetenv("FLASHLOOM_TEST_FOLDER");
  refuse(text, {"w.toml:2", "job.trace", "environment variable FLASHLOOM_TEST_FOLDER"});
  setenv("FLASHLOOM_TEST_FOLDER", "/somewhere", 1);
  EXPECT_EQ(read(text)[0].path, "/somewhere/a/t.csv");
  unsetenv("FLASHLOOM_TEST_FOLDER");
}

TEST(WorkloadFile, WrongOnesAreRefusedWithLineAndKey) {
  const std::string mix = "[[job]]\ngenerator = \"mix\"\n";
  refuse("", {"w.toml:1", "[[job]]"});
  refuse("[[job]]\ngenerator = = 1\n", {"w.toml:2", "TOML"});
  refuse("jobs = 1\n", {"w.toml:1", "jobs", "[[job]]"});
  refuse("job = 1\n", {"w.toml:1", "job", "[[job]]"});
  refuse("[[job]]\nname = \"a\"\n", {"w.toml:1", "no source", "trace, fio or generator"});
  refuse("[[job]]\ntrace = \"t\"\nfio = \"f\"\n", {"w.toml:3", "job.fio", "one source"});
  refuse("[[job]]\ntrace = \"\"\n", {"w.toml:2", "job.trace", "empty"});
  refuse("[[job]]\nname = \"\"\ntrace = \"t\"\n", {"w.toml:2", "job.name"});
  refuse(mix + "name = \"x\"\n" + mix + "name = \"x\"\n", {"w.toml:4", "job.name", "\"x\""});
  refuse(mix + "quue = 1\n", {"w.toml:3", "job.quue", "did you mean \"queue\""});
  refuse(mix + "queue = 2000\n", {"w.toml:3", "job.queue", "0 .. 1023"});
  refuse(mix + "queue = \"a\"\n", {"w.toml:3", "job.queue", "integer"});
  refuse(mix + "start = 5\n", {"w.toml:3", "job.start", "time"});
  refuse(mix + "start = \"5 KiB\"\n", {"w.toml:3", "job.start", "KiB"});
  refuse(mix + "start = \"5 s\"\nstop = \"5 s\"\n", {"w.toml:4", "job.stop", "start"});
  refuse(mix + "runtime = \"5 s\"\nstop = \"5 s\"\n", {"w.toml:4", "job.stop", "runtime"});
  refuse(mix + "size = \"much\"\n", {"w.toml:3", "job.size", "25 %"});
  refuse(mix + "offset = \"120 %\"\n", {"w.toml:3", "job.offset", "out of range"});
  refuse(mix + "replay = \"fast\"\n", {"w.toml:3", "job.replay", "timed | closed"});
  refuse(mix + "format = \"msr\"\n", {"w.toml:3", "job.format", "trace"});
  refuse("[[job]]\ntrace = \"t\"\nparameters = {}\n", {"w.toml:3", "job.parameters", "generator"});
  refuse("[[job]]\ntrace = \"t\"\nformat_options = { a = 1 }\n", {"w.toml:3", "job.format_options.a", "string"});
  refuse("[[job]]\nfio = \"f\"\niodepth = 4\n", {"w.toml:3", "job.iodepth", "fio"});
  refuse("[[job]]\ngenerator = \"mxi\"\n", {"w.toml:2", "job.generator", "mxi", "did you mean \"mix\"", "iozone"});
  refuse(mix + "parameters = 1\n", {"w.toml:3", "job.parameters", "table"});
  refuse(mix + "[job.parameters]\nraed = 1\n", {"w.toml:4", "job.parameters.raed", "did you mean \"read\""});
  refuse(mix + "[job.parameters]\nread = 1.5\n", {"w.toml:4", "job.parameters.read", "0 .. 1"});
  refuse(mix + "[job.parameters]\nsize = \"4 lbs\"\n", {"w.toml:4", "job.parameters.size", "lbs", "KiB"});
  refuse(mix + "[job.parameters]\nsize = \"4 TiB\"\n", {"w.toml:4", "job.parameters.size", "1 GiB"});
  refuse(mix + "[job.parameters]\nsize = \"4 KiB: 0 %\"\n", {"w.toml:4", "job.parameters.size", "weight"});
  refuse(mix + "[job.parameters]\nsize = 4096\n", {"w.toml:4", "job.parameters.size", "text"});
  refuse(mix + "[job.parameters]\ndistribution = \"flat\"\n", {"w.toml:4", "job.parameters.distribution", "zipf"});
  expect_error([] { read_workload_file("absent.toml"); }, {"absent.toml", "no such file"});
  expect_error([] { read_workload_file("/"); }, {"is a directory", "workload file"});
}

TEST(WorkloadFile, WhatDoesNotFitTheDeviceIsRefused) {
  constexpr std::uint64_t kCapacity = 16U << 20U;
  const auto open = [](const std::string& text) {
    Workload workload;
    DeviceConfig config;
    config.host.queues = 2;
    open_workload_jobs(workload, read(text), config, {.capacity = kCapacity, .sector_size = 512});
  };
  const auto refuse_open = [&](const std::string& text, const std::vector<std::string>& texts) {
    expect_error([&] { open(text); }, texts);
  };
  const std::string mix = "[[job]]\nname = \"m\"\ngenerator = \"mix\"\n";
  open(mix + "offset = \"50 %\"\nsize = \"50 %\"\n");
  refuse_open(mix + "offset = \"16 MiB\"\n", {"w.toml:4", "m.offset", "beyond the device"});
  refuse_open(mix + "offset = \"100 B\"\n", {"w.toml:4", "m.offset", "sectors"});
  refuse_open(mix + "size = \"100 B\"\n", {"w.toml:4", "m.size", "sectors"});
  refuse_open(mix + "size = \"0 B\"\n", {"w.toml:4", "m.size", "at least one"});
  refuse_open(mix + "offset = \"8 MiB\"\nsize = \"9 MiB\"\n", {"w.toml:5", "m.size", "does not fit"});
  refuse_open(mix + "queue = 2\n", {"w.toml:1", "m.queue", "0 .. 1"});
  refuse_open(mix + "replay = \"timed\"\n", {"w.toml:4", "m.replay", "no arrival times"});
  refuse_open(mix + "size = \"64 KiB\"\n[job.parameters]\nsize = \"128 KiB\"\n", {"w.toml:6", "m.parameters.size"});
  refuse_open("[[job]]\nname = \"i\"\ngenerator = \"iozone\"\nsize = \"1 MiB\"\n",
              {"w.toml:3 (default)", "i.parameters.max_file"});
  refuse_open("[[job]]\nname = \"t\"\ntrace = \"absent.csv\"\n", {"w.toml:3", "t: ", "folder/absent.csv"});
  refuse_open("[[job]]\nname = \"f\"\nfio = \"absent.fio\"\n", {"w.toml:3", "f: ", "folder/absent.fio"});
}

TEST(WorkloadFile, RegionsTimesAndSeedsOfTheJobs) {
  Workload workload;
  DeviceConfig config;
  config.host.queues = 2;
  config.host.iodepth = 5;
  open_workload_jobs(workload, read(R"(
[[job]]
name = "a"
generator = "mix"
offset = "4 MiB"
size = "1 MiB"
start = "1 s"
[[job]]
name = "b"
generator = "mix"
replay = "closed"
iodepth = 9
requests = 3
parameters = { rate = 1000 }
[[job]]
name = "c"
generator = "bursts"
runtime = "1 s"
speedup = 2
)"),
                     config, {.capacity = 16U << 20U, .sector_size = 512});
  ASSERT_EQ(workload.jobs.size(), 3);
  const auto& [a, b, c] = std::tie(workload.jobs[0], workload.jobs[1], workload.jobs[2]);
  EXPECT_EQ(a.group, "a");
  EXPECT_EQ(a.offset, 4U << 20U);
  EXPECT_EQ(a.start_delay, 1'000'000'000'000);
  EXPECT_EQ(a.iodepth, 5);
  EXPECT_FALSE(a.open_loop);
  EXPECT_EQ(b.iodepth, 9);
  EXPECT_FALSE(b.open_loop);
  EXPECT_TRUE(c.open_loop);
  EXPECT_EQ(c.runtime, 1'000'000'000'000);
  EXPECT_EQ((std::vector<std::uint32_t>{a.queue, b.queue, c.queue}), (std::vector<std::uint32_t>{0, 1, 0}));
  Request from_a;
  Request from_b;
  std::size_t different = 0;
  std::size_t n = 0;
  while (b.source->next(from_b)) {
    ASSERT_TRUE(a.source->next(from_a));
    EXPECT_LT(from_a.offset, 1U << 20U);
    EXPECT_EQ(from_a.stream, 0);
    EXPECT_EQ(from_b.stream, 1);
    if (from_a.offset != from_b.offset % (1U << 20U)) ++different;
    ++n;
  }
  EXPECT_EQ(n, 3);
  EXPECT_GT(different, 0);
  // 50,000 a second at twice the speed, with 10 ms of 100 ON: the first 1,000 take about 10 ms.
  Request request;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(c.source->next(request));
  EXPECT_NEAR(static_cast<double>(request.arrival_ps), 55e9, 1.5e9);
}

TEST(WorkloadFile, GeneratorShorthand) {
  EXPECT_EQ(read_generator_shorthand("iozone").generator->name, "iozone");
  const WorkloadJob job =
      read_generator_shorthand("mix:read=70%,size=4 KiB: 70 %, 8 KiB: 30 %,scatter=false,align=8KiB");
  EXPECT_EQ(job.name, "mix");
  EXPECT_EQ(job.parameters.size(), 4);
  EXPECT_EQ(std::get<double>(job.parameters.at("read")), 0.7);
  EXPECT_EQ(std::get<WeightedSizes>(job.parameters.at("size")), (WeightedSizes{{4096, 0.7}, {8192, 0.3}}));
  EXPECT_EQ(std::get<bool>(job.parameters.at("scatter")), false);
  EXPECT_EQ(std::get<std::int64_t>(job.parameters.at("align")), 8192);
  expect_error([] { read_generator_shorthand("mxi"); }, {"--generate mxi", "did you mean \"mix\""});
  expect_error([] { read_generator_shorthand("mix:read"); }, {"--generate", "name=value"});
  expect_error([] { read_generator_shorthand("mix:red=1"); }, {"--generate", "parameters.red", "\"read\""});
  expect_error([] { read_generator_shorthand("mix:read=7"); }, {"--generate", "parameters.read", "0 .. 1"});
}

TEST(WeightedSizes, TextAndBack) {
  for (const char* const text : {"4 KiB", "4 KiB: 70 %, 64 KiB: 30 %"})
    EXPECT_EQ(format_weighted_sizes(parse_weighted_sizes(text)), text);
  EXPECT_EQ(parse_weighted_sizes("4 KiB, 8KiB"), (WeightedSizes{{4096, 1}, {8192, 1}}));
  EXPECT_THROW(parse_weighted_sizes("4 KiB,"), QuantityError);
  EXPECT_THROW(parse_weighted_sizes("4 KiB: x"), QuantityError);
  EXPECT_THROW(parse_weighted_sizes(""), QuantityError);
}

}  // namespace
}  // namespace flashloom::workload_file_test
