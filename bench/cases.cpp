#include "bench/cases.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "workloads/distributions.hpp"
#include "workloads/fio/fio_files.hpp"
#include "workloads/fio/fio_source.hpp"
#include "workloads/permutation.hpp"
#include "workloads/random.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kWorkloadSeed = 1;

// A fio job over the whole device, of `count` requests. Random offsets are independent draws, as in the published
// figures: uniform, or with `theta` by Zipf's law over the first `size` bytes.
auto fio(FioPattern pattern, std::uint64_t block, std::uint32_t read_percent = 50, double theta = 0,
         std::uint64_t size = 0) {
  return [=](const BenchPaths&, const DeviceSpace& space, std::uint64_t count) -> std::unique_ptr<RequestSource> {
    FioJob job;
    job.file = "bench";
    job.name = "bench";
    job.rw = pattern;
    job.rwmixread = read_percent;
    job.bs.fill({.least = block, .most = block});
    job.io_size = FioSize{.value = count * block};
    job.norandommap = true;
    if (theta != 0) job.distribution = {.kind = FioDistribution::Kind::Zipf, .parameter = theta, .center = {}};
    if (size != 0) job.size = FioSize{.value = size};
    FioZoneTables no_zones;
    return std::make_unique<FioSource>(job, lay_out_fio_files({job}, space, kWorkloadSeed).front(), space,
                                       kWorkloadSeed, FioInstance{}, no_zones);
  };
}

// Repeats a trace until it has given `count` requests; each pass continues the arrival times of the one before.
class RepeatedTrace final : public RequestSource {
 public:
  RepeatedTrace(std::string path, const DeviceSpace& space, std::uint64_t count)
      : path_(std::move(path)), space_(space), left_(count) {}

  bool next(Request& request) override {
    if (left_ == 0) return false;
    --left_;
    if (pass_ == nullptr || !pass_->next(request)) {
      begin_ = last_;
      pass_ = fit_addresses([this] { return open_trace(path_); }, space_, AddressFit::Scale);
      if (!pass_->next(request)) return false;
    }
    request.arrival_ps += begin_;
    last_ = request.arrival_ps;
    return true;
  }

 private:
  std::string path_;
  DeviceSpace space_;
  std::uint64_t left_;
  std::uint64_t begin_ = 0;  // start of this pass, ps
  std::uint64_t last_ = 0;
  std::unique_ptr<RequestSource> pass_;
};

auto trace(const char* file) {
  return
      [file](const BenchPaths& paths, const DeviceSpace& space, std::uint64_t count) -> std::unique_ptr<RequestSource> {
        return std::make_unique<RepeatedTrace>(paths.source + "/workloads/captured/" + file, space, count);
      };
}

// Requests of single pages by Zipf's law; a random permutation maps ranks to addresses.
class ZipfPages final : public RequestSource {
 public:
  struct Shape {
    std::uint64_t footprint;  // most bytes that the pages span, from the start of the device
    double skew;
    double writes;  // share of writes
  };
  ZipfPages(const Shape& shape, const DeviceSpace& space, std::uint64_t count)
      : shape_(shape),
        left_(count),
        pages_(std::min(shape.footprint, space.capacity) / kPage),
        rank_(pages_, shape.skew),
        place_(pages_, kWorkloadSeed),
        random_(kWorkloadSeed) {}

  bool next(Request& request) override {
    if (left_ == 0) return false;
    --left_;
    request = {.offset = place_(rank_(random_) - 1) * kPage, .length = kPage};
    request.kind = random_.chance(shape_.writes) ? RequestKind::Write : RequestKind::Read;
    return true;
  }

 private:
  static constexpr std::uint64_t kPage = 4096;
  Shape shape_;
  std::uint64_t left_;
  std::uint64_t pages_;
  ZipfRank rank_;
  RandomPermutation place_;
  Random random_;
};

auto zipf(const ZipfPages::Shape& shape) {
  return [=](const BenchPaths&, const DeviceSpace& space, std::uint64_t count) -> std::unique_ptr<RequestSource> {
    return std::make_unique<ZipfPages>(shape, space, count);
  };
}

constexpr FioPattern kRandomRead{.reads = true, .writes = false, .trims = false, .random = true};
constexpr FioPattern kRandomWrite{.reads = false, .writes = true, .trims = false, .random = true};
constexpr FioPattern kRandomMixed{.reads = true, .writes = true, .trims = false, .random = true};
constexpr FioPattern kRead{.reads = true, .writes = false, .trims = false, .random = false};
constexpr FioPattern kWrite{.reads = false, .writes = true, .trims = false, .random = false};
constexpr std::uint64_t k4K = 4 << 10;
constexpr std::uint64_t k128K = 128 << 10;

using Overrides = std::vector<std::string>;

Overrides operator+(Overrides first, const Overrides& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// How a device is scaled and prepared; the sizes keep all default cases together below 45 s.
struct BenchDevice {
  const char* name;
  const char* file;
  Overrides full;                  // written once, sequentially
  Overrides small;                 // the same, with so few blocks that GC starts early
  Overrides steady;                // full, then overwritten at random until write amplification has settled
  std::array<Overrides, 2> sizes;  // BenchCase::sizes
  bool by_default = true;
};

const Overrides kOnce = {"precondition.fill=1.0", "precondition.steady=false"};

BenchDevice peer() {
  return {.name = "peer",
          .file = "bench/peer.toml",
          .full = {"precondition.fill=1.0"},
          .small = {"nand.blocks=64", "precondition.fill=1.0"},
          .steady = {"nand.blocks=128", "precondition.fill=1.0", "precondition.steady=true"},
          .sizes = {kOnce + Overrides{"nand.blocks=128"}, kOnce + Overrides{"nand.blocks=256"}}};
}

BenchDevice mqsim_default() {
  return {.name = "mqsim-default",
          .file = "configs/mqsim-default.toml",
          .full = {"nand.blocks=32", "ftl.over_provisioning=0.28", "precondition.fill=1.0"},
          .small = {"nand.blocks=20", "ftl.over_provisioning=0.28", "buffer.size=4 MiB", "precondition.fill=1.0"},
          .steady = {"nand.blocks=20", "ftl.over_provisioning=0.28", "buffer.size=4 MiB", "precondition.fill=1.0",
                     "precondition.steady=true"},
          .sizes = {kOnce + Overrides{"nand.blocks=20"}, kOnce + Overrides{"nand.blocks=40"}}};
}

// The whole drive of 1 TB, filled once and not overwritten at random: GC starts only once writes have used up free
// blocks.
BenchDevice tlc_1tb() {
  const Overrides size = kOnce + Overrides{"ftl.logical_size=0 B", "ftl.over_provisioning=0.1"};
  return {.name = "nvme-tlc-1tb",
          .file = "configs/nvme-tlc-1tb.toml",
          .full = {"precondition.fill=1.0"},
          .small = {"precondition.fill=1.0"},
          .steady = {"precondition.fill=1.0"},
          .sizes = {size + Overrides{"nand.blocks=128"}, size + Overrides{"nand.blocks=256"}},
          .by_default = false};
}

class CaseList {
 public:
  std::vector<BenchCase> take() { return std::move(cases_); }

  template <class Workload>
  BenchCase& add(const BenchDevice& device, const char* name, const char* summary, const Overrides& overrides,
                 std::uint32_t iodepth, std::uint64_t requests, Workload workload) {
    return cases_.emplace_back(BenchCase{.name = std::string(device.name) + "/" + name,
                                         .summary = summary,
                                         .device = device.file,
                                         .overrides = overrides,
                                         .iodepth = iodepth,
                                         .requests = requests,
                                         .workload = std::move(workload),
                                         .by_default = device.by_default,
                                         .memory_of = device.name,
                                         .sizes = device.sizes});
  }

  void add_common(const BenchDevice& device) {
    add(device, "read_4k", "4K random read, QD 256", device.full, 256, 300'000, fio(kRandomRead, k4K));
    add(device, "write_4k", "4K random write, QD 32, steady GC", device.steady, 32, 150'000, fio(kRandomWrite, k4K));
    add(device, "read_128k", "128K sequential read, QD 8", device.full, 8, 20'000, fio(kRead, k128K));
    add(device, "write_128k", "128K sequential write, QD 8, over a sequentially filled drive", device.small, 8, 30'000,
        fio(kWrite, k128K));
    add(device, "mixed", "4K random, 70 % reads, QD 64, steady GC", device.steady, 64, 200'000,
        fio(kRandomMixed, k4K, 70));
    add(device, "trace", "PostgreSQL, asynchronous commit, closed loop, QD 32, steady GC", device.steady, 32, 60'000,
        trace(kPostgres));
  }

  // Cases that only the device "peer" runs.
  void add_more(const BenchDevice& device) {
    add(device, "read_4k_qd16", "4K random read, QD 16", device.full, 16, 200'000, fio(kRandomRead, k4K));
    add(device, "read_4k_deep", "4K random read, QD 4,096, as many commands in the device",
        device.full + Overrides{"host_interface.queue_depth=4096", "host_interface.commands=4096"}, 4096, 300'000,
        fio(kRandomRead, k4K));
    add(device, "trace_open", "the same trace at its arrival times, over a filled drive", device.small, 0, 60'000,
        trace(kPostgres));
    add(device, "precondition", "filling the drive sequentially, untimed", device.full, 0, 0, nullptr).kind =
        BenchKind::Precondition;
    const auto steady = [&](const char* name, const char* summary, const Overrides& overrides) {
      BenchCase& added = add(device, name, summary, overrides, 0, 0, nullptr);
      added.kind = BenchKind::Precondition;
      added.by_default = false;  // write_4k, mixed and trace start with the same preconditioning
    };
    steady("precondition_steady", "filling, then random overwrites until WAF has settled", device.steady);
    steady("precondition_64_dies", "the same, on 64 dies", device.steady + Overrides{"nand.ways=8"});
  }

  void add_ftls(const BenchDevice& device) {
    const auto of = [&](const char* kind) {
      BenchDevice other = device;
      for (Overrides* const each : {&other.full, &other.small, &other.steady, &other.sizes[0], &other.sizes[1]})
        each->push_back(std::string("ftl.kind=") + kind);
      return other;
    };
    const auto named = [&](BenchCase& added, const char* kind) {
      added.memory_of = std::string(device.name) + " " + kind;
    };
    BenchDevice dftl = of("dftl");
    dftl.full.emplace_back("nand.blocks=256");  // a map larger than the mapping cache, on a device that fills fast
    named(add(dftl, "dftl_read_4k", "DFTL: 4K random read, QD 256", dftl.full, 256, 100'000, fio(kRandomRead, k4K)),
          "dftl");
    named(add(dftl, "dftl_write_4k", "DFTL: 4K random write, QD 32, over a filled drive", dftl.small, 32, 40'000,
              fio(kRandomWrite, k4K)),
          "dftl");
    const BenchDevice log_block = of("log_block");
    named(add(log_block, "log_block_write_4k", "log blocks (BAST): 4K random write, QD 32, over a filled drive",
              log_block.small, 32, 4'000, fio(kRandomWrite, k4K)),
          "log_block");
    named(add(log_block, "log_block_write_128k", "log blocks (BAST): 128K sequential write, QD 8, over a filled drive",
              log_block.small, 8, 15'000, fio(kWrite, k128K)),
          "log_block");
  }

  void add_tier() {
    cases_.push_back(
        {.name = "pair/pwc",
         .summary = "SSD as the cache of an HDD, PWC: 4K by Zipf's law (1.1) over 64 GiB, 70 % reads, QD 32",
         .device = "experiments/pwc/pair.toml",
         .overrides = {"tier.cache_size=128 MiB", "tier.pass=daily", "tier.day=4 s", "tier.pass_at=1 s",
                       "tier.patience=1 ms"},
         .iodepth = 32,
         .requests = 100'000,
         .workload = fio(kRandomMixed, k4K, 70, 1.1, kTierFootprint),
         .flash_by = 10'000,
         .memory_of = {},
         .sizes = {}});
  }

  void add_caches() {
    for (const char* const policy : {"lru", "arc"})
      cases_.push_back({.name = std::string("cache/") + policy,
                        .summary = "page references by Zipf's law (1.0) over 600,000 pages to a cache of 10 % of them",
                        .device = {},
                        .overrides = {},
                        .iodepth = 0,
                        .requests = 4'000'000,
                        .workload = zipf({.footprint = kCacheFootprint, .skew = 1.0, .writes = 0.3}),
                        .kind = BenchKind::Cache,
                        .memory_of = {},
                        .sizes = {}});
  }

 private:
  static constexpr const char* kPostgres = "postgres_async.iolog.xz";
  static constexpr std::uint64_t kTierFootprint = std::uint64_t{64} << 30;
  static constexpr std::uint64_t kCacheFootprint = 600'000 * k4K;
  std::vector<BenchCase> cases_;
};

std::vector<BenchCase> make_cases() {
  CaseList list;
  const BenchDevice compared = peer();
  list.add_common(compared);
  list.add_more(compared);
  list.add_ftls(compared);
  list.add_common(mqsim_default());
  list.add_tier();
  list.add_caches();
  const BenchDevice large = tlc_1tb();
  list.add(large, "read_4k", "1 TB: 4K random read, QD 256", large.full, 256, 300'000, fio(kRandomRead, k4K));
  list.add(large, "write_4k", "1 TB: 4K random write, QD 32, over a filled drive", large.full, 32, 300'000,
           fio(kRandomWrite, k4K));
  return list.take();
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
