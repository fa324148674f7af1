// All FTLs serve one workload: each read must return what a plain array returns, which knows nothing of flash; also
// after a flush and a restart.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "policies/registry.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/plain_ftls.hpp"

namespace flashloom::differential_test {
namespace {

struct Shape {
  const char* name;
  const char* preset;
  std::vector<std::string> overrides;
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"units_of_a_page",
       "tiny",
       {"nand.page_size=16 KiB", "nand.blocks=24", "nand.pages=8", "buffer.size=128 KiB", "ftl.logical_size=6 MiB"}},
      {"any_order",
       "slc-small-block",
       {"nand.blocks=24", "nand.in_order_program=false", "ftl.logical_size=768 KiB", "buffer.size=64 KiB"}},
      {"one_shot", "nvme-tlc-1tb", {"nand.blocks=24", "buffer.size=3 MiB", "ftl.logical_size=6 MiB"}}};
  return all;
}

class Drive {
 public:
  explicit Drive(const DeviceConfig& config)
      : device_(config),
        sector_(config.host_interface.sector_size),
        unit_(config.ftl.mapping_unit),
        contents_(device_.firmware->capacity_bytes() / sector_) {}

  void carry_out(Request request) {
    if (request.kind == RequestKind::Trim) {  // only whole units: a drive may keep or drop a partly trimmed unit
      const std::uint64_t end = (request.offset + request.length) / unit_ * unit_;
      request.offset = (request.offset + unit_ - 1) / unit_ * unit_;
      if (request.offset >= end) return;
      request.length = end - request.offset;
    }
    IoCommand command;
    to_command(request, command);
    tokens_.resize(command.length / sector_);
    command.tokens = tokens_.data();
    const auto first = contents_.begin() + static_cast<std::ptrdiff_t>(command.offset / sector_);
    if (request.kind == RequestKind::Write) {
      for (SectorToken& token : tokens_) token = ++written_;
      std::copy(tokens_.begin(), tokens_.end(), first);
    }
    execute(command);
    ASSERT_EQ(command.status, IoStatus::Ok);
    if (request.kind == RequestKind::Trim)
      std::fill_n(first, static_cast<std::ptrdiff_t>(tokens_.size()), SectorToken{0});
    if (request.kind != RequestKind::Read) return;
    ++reads_;
    ASSERT_TRUE(std::equal(tokens_.begin(), tokens_.end(), first)) << "at " << command.offset;
  }

  void read_all() {
    constexpr std::uint64_t kUnits = 32;
    const std::uint64_t end = contents_.size() * sector_;
    for (std::uint64_t at = 0; at < end; at += kUnits * unit_)
      carry_out({.offset = at, .length = std::min(end - at, kUnits * unit_), .kind = RequestKind::Read});
  }

  void start_anew() {
    carry_out({.kind = RequestKind::Flush});
    ASSERT_TRUE(device_.boot());
  }

  std::uint64_t reads() const { return reads_; }
  std::uint64_t erases() const { return device_.flash.counters().total(FlashOperation::Erase).pages; }

 private:
  void execute(IoCommand& command) {
    bool done = false;
    device_.runtime.spawn([&] { return run(command, done); });
    ASSERT_TRUE(done);
  }
  Task<void> run(IoCommand& command, bool& done) {
    co_await device_.firmware->execute(command);
    done = true;
  }

  InstantDevice device_;
  std::uint64_t sector_;
  std::uint64_t unit_;
  std::vector<SectorToken> contents_;  // by sector
  std::vector<SectorToken> tokens_;
  SectorToken written_ = 0;
  std::uint64_t reads_ = 0;
};

class Differential : public testing::TestWithParam<std::size_t> {};

TEST_P(Differential, EveryFtlReturnsWhatAPlainArrayDoes) {
  const Shape& shape = shapes()[GetParam()];
  for (const PartInfo* ftl : plain_ftls()) {
    SCOPED_TRACE(ftl->name);
    const std::string kind = ftl->name == "dftl" ? R"({ name = "dftl", cmt_size = "512 B" })" : "\"" + ftl->name + "\"";
    std::vector<std::string> overrides = shape.overrides;
    overrides.push_back("ftl.kind=" + kind);
    const DeviceConfig config = small_preset(shape.preset, overrides);
    Drive drive(config);
    const std::vector<Request> requests = random_mix(mix_for(config, 11, 4000));
    for (std::size_t i = 0; i < requests.size() && !HasFatalFailure(); ++i) {
      drive.carry_out(requests[i]);
      if (i == requests.size() / 2) drive.start_anew();
    }
    drive.read_all();
    drive.start_anew();
    drive.read_all();
    EXPECT_GT(drive.reads(), 1000U);
    EXPECT_GT(drive.erases(), 10U) << "nothing was ever collected or merged";
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Differential, testing::Range<std::size_t>(0, 3),
                         [](const auto& test) { return std::string(shapes()[test.param].name); });

}  // namespace
}  // namespace flashloom::differential_test
