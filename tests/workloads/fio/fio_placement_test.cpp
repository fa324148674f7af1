// dataplacement= and write_hint= of fio job files: which writes get which identifiers. Expected values follow fio's
// dataplacement.c.
#include "workloads/fio/fio_placement.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/workloads/input_files.hpp"
#include "workloads/fio/fio_source.hpp"
#include "workloads/fio/job_file.hpp"

namespace flashloom::fio_placement_test {
namespace {

using Identifiers = std::vector<std::uint16_t>;

// The requests of the only job; `device` is the list of identifiers that the device offers.
std::vector<Request> writes_of(const std::string& text, std::optional<Identifiers> device = Identifiers{0, 1, 2, 3}) {
  const InputFiles files;
  const auto sources = open_fio_jobs(read_fio_jobs(files.write("j.fio", text)),
                                     {.capacity = 1 << 20, .sector_size = 512, .placement_identifiers = device}, 1);
  EXPECT_EQ(sources.size(), 1U);
  std::vector<Request> requests;
  Request request;
  while (sources[0]->next(request)) requests.push_back(request);
  return requests;
}

std::string shape(const std::vector<Request>& requests) {
  std::string text;
  for (const Request& request : requests)
    text += std::string("-SP").substr(static_cast<std::size_t>(request.directive), 1) +
            std::to_string(request.identifier) + " ";
  return text;
}

std::string refusal(const std::string& text, std::optional<Identifiers> device = Identifiers{0, 1, 2, 3}) {
  try {
    writes_of(text, device);
  } catch (const WorkloadError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FioPlacement, GoesRoundTheDevicesIdentifiers) {
  EXPECT_EQ(shape(writes_of("[j]\nrw=write\nsize=24k\nfdp=1\n")), "P0 P1 P2 P3 P0 P1 ");
  EXPECT_EQ(shape(writes_of("[j]\nrw=write\nsize=12k\ndataplacement=fdp\nplids=2,0\n")), "P0 P2 P0 ");
  EXPECT_EQ(shape(writes_of("[j]\nrw=write\nsize=12k\nfdp=1\nfdp_pli=1\n")), "P1 P1 P1 ");
  // Numbers are indices into the device's list.
  EXPECT_EQ(shape(writes_of("[j]\nrw=write\nsize=8k\nfdp=1\nfdp_pli=1,3\n", Identifiers{0, 1, 0x8000, 0x8001})),
            "P1 P32769 ");
}

TEST(FioPlacement, IsOfWritesAlone) {
  EXPECT_EQ(shape(writes_of("[j]\nrw=read\nsize=8k\nfdp=1\n")), "-0 -0 ");
  EXPECT_EQ(shape(writes_of("[j]\nrw=trimwrite\nsize=8k\nfdp=1\nplids=3\n")), "-0 P3 -0 P3 ");
  EXPECT_EQ(shape(writes_of("[j]\nrw=write\nsize=8k\n")), "-0 -0 ");
  EXPECT_EQ(shape(writes_of("[j]\nrw=write\nsize=8k\nfdp=0\ndataplacement=none\nplids=1\n")), "-0 -0 ");
}

TEST(FioPlacement, DrawsIdentifiers) {
  std::map<std::uint16_t, int> drawn;
  for (const Request& request :
       writes_of("[j]\nrw=write\nbs=512\nsize=1m\nfdp=1\nfdp_pli=0,1,3\nfdp_pli_select=random\n"))
    ++drawn[request.identifier];
  ASSERT_EQ(drawn.size(), 3U);
  for (const auto& [identifier, count] : drawn) {
    EXPECT_NE(identifier, 2);
    EXPECT_NEAR(count, 2048 / 3, 120) << identifier;
  }
}

// The identifier of the first range that holds the write's offset in its file; 0 elsewhere.
TEST(FioPlacement, FollowsAScheme) {
  const InputFiles files;
  const std::string scheme = files.write("scheme", "0, 8192, 2\n 4096,12288,1\n");
  EXPECT_EQ(shape(writes_of("[j]\nrw=write\nsize=16k\nfdp=1\nplid_select=scheme\ndp_scheme=" + scheme + "\n")),
            "P2 P2 P1 P0 ");
  const std::string bad = files.write("bad", "0, 8192, 2\n8192, 4096, 1\n");
  EXPECT_NE(refusal("[j]\nrw=write\nsize=16k\nfdp=1\nplid_select=scheme\ndp_scheme=" + bad + "\n").find("bad:2"),
            std::string::npos);
  EXPECT_NE(refusal("[j]\nrw=write\nsize=16k\nfdp=1\nplid_select=scheme\n").find("dp_scheme is missing"),
            std::string::npos);
  EXPECT_NE(refusal("[j]\nrw=write\nsize=16k\nfdp=1\nplid_select=scheme\ndp_scheme=/nowhere\n").find("cannot read"),
            std::string::npos);
}

TEST(FioPlacement, NamesStreams) {
  EXPECT_EQ(shape(writes_of("[j]\nrw=write\nsize=12k\ndataplacement=streams\nplids=40,7\n", Identifiers{})),
            "S7 S40 S7 ");
  EXPECT_NE(refusal("[j]\nrw=write\nsize=12k\ndataplacement=streams\n").find("plids is missing"), std::string::npos);
}

TEST(FioPlacement, HintsAreStreams) {
  EXPECT_EQ(shape(writes_of("[j]\nrw=write\nsize=4k\nwrite_hint=short\n")), "S1 ");
  EXPECT_EQ(shape(writes_of("[j]\nrw=write\nsize=4k\nwrite_hint=extreme\n")), "S4 ");
  EXPECT_EQ(shape(writes_of("[j]\nrw=write\nsize=4k\nwrite_hint=none\n")), "-0 ");
  EXPECT_EQ(shape(writes_of("[j]\nrw=write\nsize=4k\nwrite_hint=long\nfdp=1\nplids=2\n")), "P2 ");
}

TEST(FioPlacement, RefusesWhatTheDeviceDoesNotHave) {
  EXPECT_NE(refusal("[j]\nrw=write\nsize=4k\nfdp=1\nplids=1,4\n").find("j.fio:5: plids: 4 is none"), std::string::npos)
      << refusal("[j]\nrw=write\nsize=4k\nfdp=1\nplids=1,4\n");
  EXPECT_NE(refusal("[j]\nrw=write\nsize=4k\nfdp=1\n", Identifiers{}).find("set fdp.groups"), std::string::npos);
  EXPECT_EQ(shape(writes_of("[j]\nrw=write\nsize=4k\nfdp=1\nplids=9\n", std::nullopt)), "P9 ");
  for (const char* const line : {"dataplacement=zns", "plid_select=first", "plids=1,x", "plids=65536", "write_hint=1"})
    EXPECT_NE(refusal("[j]\nrw=write\nsize=4k\n" + std::string(line) + "\n").find("j.fio:4"), std::string::npos)
        << line << ": " << refusal("[j]\nrw=write\nsize=4k\n" + std::string(line) + "\n");
}

}  // namespace
}  // namespace flashloom::fio_placement_test
