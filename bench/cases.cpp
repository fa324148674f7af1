#include "bench/cases.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "workloads/fio/fio_files.hpp"
#include "workloads/fio/fio_source.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kWorkloadSeed = 1;

// A fio job over the whole device, of `count` requests. Random offsets are independent draws, as in the published
// figures.
auto fio(FioPattern pattern, std::uint64_t block, std::uint32_t read_percent = 50) {
  return [=](const BenchPaths&, const DeviceSpace& space, std::uint64_t count) -> std::unique_ptr<RequestSource> {
    FioJob job;
    job.file = "bench";
    job.name = "bench";
    job.rw = pattern;
    job.rwmixread = read_percent;
    job.bs.fill({.least = block, .most = block});
    job.io_size = FioSize{.value = count * block};
    job.norandommap = true;
    return std::make_unique<FioSource>(job, lay_out_fio_files({job}, space, kWorkloadSeed).front(), space,
                                       kWorkloadSeed, FioInstance{});
  };
}

// A trace, again and again from its beginning until `count` requests were given.
class RepeatedTrace final : public RequestSource {
 public:
  RepeatedTrace(std::string path, const DeviceSpace& space, std::uint64_t count)
      : path_(std::move(path)), space_(space), left_(count) {}

  bool next(Request& request) override {
    if (left_ == 0) return false;
    --left_;
    if (pass_ != nullptr && pass_->next(request)) return true;
    pass_ = fit_addresses([this] { return open_trace(path_); }, space_, AddressFit::Scale);
    return pass_->next(request);
  }

 private:
  std::string path_;
  DeviceSpace space_;
  std::uint64_t left_;
  std::unique_ptr<RequestSource> pass_;
};

auto trace(const char* file) {
  return
      [file](const BenchPaths& paths, const DeviceSpace& space, std::uint64_t count) -> std::unique_ptr<RequestSource> {
        return std::make_unique<RepeatedTrace>(paths.source + "/workloads/captured/" + file, space, count);
      };
}

constexpr FioPattern kRandomRead{.reads = true, .writes = false, .trims = false, .random = true};
constexpr FioPattern kRandomWrite{.reads = false, .writes = true, .trims = false, .random = true};
constexpr FioPattern kRandomMixed{.reads = true, .writes = true, .trims = false, .random = true};
constexpr FioPattern kRead{.reads = true, .writes = false, .trims = false, .random = false};
constexpr FioPattern kWrite{.reads = false, .writes = true, .trims = false, .random = false};
constexpr std::uint64_t k4K = 4 << 10;
constexpr std::uint64_t k128K = 128 << 10;

// How a device is scaled so that all cases together take less than a minute, and prepared.
struct BenchDevice {
  const char* name;
  const char* file;
  std::vector<std::string> full;    // written once, sequentially
  std::vector<std::string> small;   // the same, on so few blocks that GC sets in soon
  std::vector<std::string> steady;  // full, then overwritten at random until write amplification has settled
};

std::vector<BenchDevice> devices() {
  return {
      {.name = "peer",
       .file = "bench/peer.toml",
       .full = {"precondition.fill=1.0"},
       .small = {"nand.blocks=64", "precondition.fill=1.0"},
       .steady = {"nand.blocks=128", "precondition.fill=1.0", "precondition.steady=true"}},
      {.name = "mqsim-default",
       .file = "configs/mqsim-default.toml",
       .full = {"nand.blocks=32", "ftl.over_provisioning=0.28", "precondition.fill=1.0"},
       .small = {"nand.blocks=20", "ftl.over_provisioning=0.28", "buffer.size=4 MiB", "precondition.fill=1.0"},
       .steady = {"nand.blocks=20", "ftl.over_provisioning=0.28", "buffer.size=4 MiB", "precondition.fill=1.0",
                  "precondition.steady=true"}},
  };
}

std::vector<BenchCase> make_cases() {
  std::vector<BenchCase> cases;
  for (const BenchDevice& device : devices()) {
    const auto add = [&](const char* name, const char* summary, const std::vector<std::string>& overrides,
                         std::uint32_t iodepth, std::uint64_t requests, auto workload) {
      cases.push_back({.name = std::string(device.name) + "/" + name,
                       .summary = summary,
                       .device = device.file,
                       .overrides = overrides,
                       .iodepth = iodepth,
                       .requests = requests,
                       .workload = std::move(workload)});
    };
    add("read_4k", "4K random read, QD 256", device.full, 256, 300'000, fio(kRandomRead, k4K));
    add("write_4k", "4K random write, QD 32, steady GC", device.steady, 32, 150'000, fio(kRandomWrite, k4K));
    add("read_128k", "128K sequential read, QD 8", device.full, 8, 20'000, fio(kRead, k128K));
    add("write_128k", "128K sequential write, QD 8, over a sequentially filled drive", device.small, 8, 30'000,
        fio(kWrite, k128K));
    add("mixed", "4K random, 70 % reads, QD 64, steady GC", device.steady, 64, 200'000, fio(kRandomMixed, k4K, 70));
    add("trace", "PostgreSQL, asynchronous commit, closed loop, QD 32, steady GC", device.steady, 32, 60'000,
        trace("postgres_async.iolog.xz"));
  }
  return cases;
}

}  // namespace

const std::vector<BenchCase>& bench_cases() {
  static const std::vector<BenchCase> cases = make_cases();
  return cases;
}

const BenchCase& bench_case(const std::string& name) {
  const std::vector<BenchCase>& cases = bench_cases();
  const auto found = std::ranges::find(cases, name, &BenchCase::name);
  if (found != cases.end()) return *found;
  std::string names;
  for (const BenchCase& known : cases) names += (names.empty() ? "" : ", ") + known.name;
  throw std::invalid_argument("no case '" + name + "'; there are " + names);
}

}  // namespace flashloom
