// Parts of the hardware models: servers, meters, media, timers, memories, link.
#include <benchmark/benchmark.h>

#include <deque>
#include <memory>
#include <string>

#include "bench/micro.hpp"
#include "controllers/host/latency_histogram.hpp"
#include "models/common/fifo_server.hpp"
#include "models/common/timer_queue.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/link/host_link.hpp"
#include "models/memory/memory_model.hpp"
#include "models/memory/memory_port.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/nand_media.hpp"
#include "workloads/random.hpp"

namespace flashloom {
namespace {

void fifo_reserve(benchmark::State& state) {
  FifoServer<> server;
  Picoseconds now = 0;
  for (auto _ : state) benchmark::DoNotOptimize(server.reserve(now += 900, 1000));
}
BENCHMARK(fifo_reserve);

// Announces each job before its arrival, and waits for its end.
void fifo_announce(benchmark::State& state) {
  FifoServer<> server;
  FifoServer<>::Job job;
  Picoseconds now = 0;
  for (auto _ : state) {
    job.arrival = now + 500;
    job.duration = 1000;
    now = server.announce(job, now);
    benchmark::DoNotOptimize(server.finished(job, now));
  }
}
BENCHMARK(fifo_announce);

// Busy intervals with gaps, so that none merges with the one before.
Picoseconds energy_now = 0;

void energy_meter_busy(benchmark::State& state) {
  energy_now = 0;
  EnergyLedger ledger(kMillisecond, true, [] { return energy_now; });
  EnergyMeter& meter = ledger.add("core", "cpu", {{"idle", 0.01, kBackground}, {"busy", 0.1, "cpu"}});
  for (auto _ : state) {
    meter.busy(1, energy_now, energy_now + 1000);
    energy_now += 3000;
  }
}
BENCHMARK(energy_meter_busy);

void energy_meter_count(benchmark::State& state) {
  energy_now = 0;
  EnergyLedger ledger(kMillisecond, true, [] { return energy_now; });
  EnergyMeter& meter = ledger.add("dram", "dram", {{"standby", 0.01, kBackground}}, {{"read", 1e-12, "dram.read"}});
  for (auto _ : state) meter.count(0, 4096, energy_now += 1000);
}
BENCHMARK(energy_meter_count);

void latency_histogram_add(benchmark::State& state) {
  LatencyHistogram histogram;
  Random random(1);
  for (auto _ : state) histogram.add(50 * kMicrosecond + (random.next() >> 36U));
  benchmark::DoNotOptimize(histogram.maximum());
}
BENCHMARK(latency_histogram_add);

// The flash of one die with a given number of blocks; a page holds one mapping unit.
struct MediaBed {
  explicit MediaBed(std::uint32_t blocks)
      : config(small(blocks)), geometry(config, config.page_size), media(geometry, true, 0) {
    command.oob = &word;
    command.units = 1;
  }
  static NandConfig small(std::uint32_t blocks) {
    NandConfig config;
    config.channels = config.ways = config.dies = config.planes = 1;
    config.blocks = blocks;
    config.pages = 256;
    config.page_size = 4096;
    return config;
  }
  void apply(FlashOperation operation, std::uint32_t block, std::uint32_t page) {
    command.operation = operation;
    command.address = {Die{0}, Block{block}, Page{page}};
    media.apply(command);
  }

  NandConfig config;
  NandGeometry geometry;
  NandMedia media;
  OobWord word = 1;
  OnfiCommand command;
};

// Erases each block before programming it: an operation is a program plus its share of an erase.
void media_program(benchmark::State& state) {
  const auto blocks = static_cast<std::uint32_t>(state.range(0));
  MediaBed bed(blocks);
  std::uint32_t block = 0;
  std::uint32_t page = 0;
  for (auto _ : state) {
    if (page == 0) bed.apply(FlashOperation::Erase, block, 0);
    bed.apply(FlashOperation::Program, block, page);
    if (++page == bed.geometry.pages) {
      page = 0;
      block = (block + 1) % blocks;
    }
  }
}
BENCHMARK(media_program)->Arg(64)->Arg(16384);

// Reads random pages: the state of 64 blocks fits into the CPU's cache, that of 16384 (16 GiB of flash) does not.
void media_read(benchmark::State& state) {
  const auto blocks = static_cast<std::uint32_t>(state.range(0));
  MediaBed bed(blocks);
  for (std::uint32_t block = 0; block < blocks; ++block)
    for (std::uint32_t page = 0; page < bed.geometry.pages; ++page) bed.apply(FlashOperation::Program, block, page);
  Random random(1);
  for (auto _ : state) {
    const std::uint64_t drawn = random.next();
    bed.apply(FlashOperation::Read, static_cast<std::uint32_t>((drawn >> 32U) % blocks), drawn % 256);
  }
}
BENCHMARK(media_read)->Arg(64)->Arg(16384);

// Timers that each reschedule themselves after a random delay.
class TimerBed {
 public:
  TimerBed(const std::string& name, std::uint32_t timers) : queue_(name.c_str()) {
    for (std::uint32_t i = 0; i < timers; ++i) timers_.emplace_back(*this, i);
  }
  void run(benchmark::State& state) {
    running_ = true;
    for (Repeating& timer : timers_) timer.schedule();
    batch_.run(state);
    running_ = false;  // pending timers expire without effect during the next benchmark
  }

 private:
  class Repeating final : public Timer {
   public:
    Repeating(TimerBed& bed, std::uint64_t seed) : bed_(bed), random_(seed) {}
    void schedule() { bed_.queue_.schedule(*this, kernel_now() + 1000 + (random_.next() >> 44U)); }
    void on_timer() override {
      if (!bed_.running_) return;
      schedule();
      bed_.batch_.count();
    }

   private:
    TimerBed& bed_;
    Random random_;
  };

  TimerQueue queue_;
  KernelBatch batch_;
  std::deque<Repeating> timers_;
  bool running_ = false;
};

// A memory `Target` behind a port; each access returns at once, with its delay.
template <class Target>
struct MemoryBed {
  template <class Config, class... Arguments>
  MemoryBed(const std::string& name, const Config& config, Arguments&&... arguments)
      : target(name.c_str(), config, arguments..., ledger), port((name + "_port").c_str()) {
    port.socket.bind(target.socket);
  }
  void run(benchmark::State& state, bool write, std::uint32_t bytes, std::uint32_t other_bytes) {
    bool other = false;
    for (auto _ : state) {
      benchmark::DoNotOptimize(port.access(write, 0, other ? other_bytes : bytes));
      other = !other;
    }
  }

  EnergyLedger ledger;
  Target target;
  MemoryPort port;
};

MemoryConfig dram() {
  MemoryConfig config;
  config.size = 1 << 30;
  config.bandwidth = 6'400'000'000;
  config.read_latency = config.write_latency = 39 * kNanosecond;
  config.refresh_interval = 7'800 * kNanosecond;
  config.refresh_time = 160 * kNanosecond;
  config.read_energy = 73.5e-12;
  config.write_energy = 58.5e-12;
  return config;
}

}  // namespace

void register_model_benchmarks() {
  for (const std::uint32_t timers : {16U, 256U, 4096U}) {
    const std::string name = "timer_queue_" + std::to_string(timers);
    benchmark::RegisterBenchmark(
        name.c_str(), [bed = std::make_shared<TimerBed>(name, timers)](benchmark::State& state) { bed->run(state); });
  }
  const auto memory = std::make_shared<MemoryBed<MemoryModel>>("micro_dram", dram(), "dram");
  benchmark::RegisterBenchmark("dram_access/4K",
                               [memory](benchmark::State& state) { memory->run(state, false, 4096, 4096); });
  benchmark::RegisterBenchmark("dram_access/4K_and_64B",
                               [memory](benchmark::State& state) { memory->run(state, false, 4096, 64); });
  const auto link = std::make_shared<MemoryBed<HostLink>>("micro_link", LinkConfig{});
  benchmark::RegisterBenchmark("link_access/4K",
                               [link](benchmark::State& state) { link->run(state, true, 4096, 4096); });
  benchmark::RegisterBenchmark("link_access/4K_and_16B",
                               [link](benchmark::State& state) { link->run(state, true, 4096, 16); });
}

}  // namespace flashloom
