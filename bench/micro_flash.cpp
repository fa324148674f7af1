// The whole timed flash side with 8 channels x 2 dies: the CPU time for a page from submission to completion, without
// firmware.
#include <benchmark/benchmark.h>

#include <deque>
#include <memory>

#include "bench/micro.hpp"
#include "controllers/flash/timed_flash.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/nand/nand_config.hpp"
#include "workloads/random.hpp"

namespace flashloom {
namespace {

constexpr std::uint32_t kBlocks = 64;  // blocks a die; the first half is programmed, for reads
constexpr std::uint32_t kReadsInFlight = 256;

NandConfig peer_flash() {
  NandConfig config;
  config.channels = 8;
  config.ways = 2;
  config.dies = 1;
  config.planes = 1;
  config.blocks = kBlocks;
  config.pages = 256;
  config.page_size = 4096;
  config.read_time = {50 * kMicrosecond};
  config.program_time = {600 * kMicrosecond};
  config.erase_time = 3 * kMillisecond;
  config.transfer_rate = 1'000'000'000;
  return config;
}

class FlashBed {
 public:
  FlashBed()
      : geometry_(config_, config_.page_size),
        timing_(config_, geometry_),
        media_(geometry_, true, 0),
        flash_("micro_flash", config_, timing_, media_, {"read_first", {}}, &ledger_) {
    Stream fill(*this);
    for (std::uint32_t die = 0; die < geometry_.dies; ++die)
      for (std::uint32_t block = 0; block < kBlocks / 2; ++block)
        for (std::uint32_t page = 0; page < geometry_.pages; ++page) {
          fill.set(FlashOperation::Program, die, block, page);
          media_.apply(fill.command);
        }
  }

  void reads(benchmark::State& state) { run<ReadStream>(state, kReadsInFlight); }
  void programs(benchmark::State& state) { run<ProgramStream>(state, geometry_.dies); }

 private:
  // Keeps one command in flight: sends the next one when the last completes.
  struct Stream : FlashCompletion {
    explicit Stream(FlashBed& owner, std::uint32_t number = 0) : bed(owner), index(number) {}
    void set(FlashOperation operation, std::uint32_t die, std::uint32_t block, std::uint32_t page) {
      command.operation = operation;
      command.address = {Die{die}, Block{block}, Page{page}};
      command.units = operation == FlashOperation::Erase ? 0 : 1;
      command.payload_units = command.units;
      command.bytes = operation == FlashOperation::Erase ? 0 : bed.geometry_.page_bytes;
      command.oob = &word;
      command.completion = this;
    }
    virtual void next() {}
    void on_flash_complete(OnfiCommand&) override {
      --bed.in_flight_;
      if (bed.running_) {
        start();
        bed.batch_.count();
      } else if (bed.in_flight_ == 0) {
        sc_core::sc_pause();
      }
    }
    void start() {
      next();
      ++bed.in_flight_;
      bed.flash_.submit(command);
    }
    virtual ~Stream() = default;

    FlashBed& bed;
    std::uint32_t index;
    OobWord word = 1;
    OnfiCommand command;
  };
  struct ReadStream final : Stream {
    using Stream::Stream;
    void next() override {
      const std::uint64_t drawn = random.next();
      set(FlashOperation::Read, static_cast<std::uint32_t>(drawn >> 48U) % bed.geometry_.dies,
          static_cast<std::uint32_t>(drawn >> 24U) % (kBlocks / 2), drawn % bed.geometry_.pages);
    }
    Random random{index};
  };
  // Works on die `index`: erases and programs one block after the other.
  struct ProgramStream final : Stream {
    using Stream::Stream;
    void next() override {
      const std::uint32_t at = kBlocks / 2 + block % (kBlocks / 2);
      if (!erased) {
        set(FlashOperation::Erase, index, at, 0);
        erased = true;
        return;
      }
      set(FlashOperation::Program, index, at, page);
      if (++page == bed.geometry_.pages) {
        page = 0;
        erased = false;
        ++block;
      }
    }
    std::uint32_t block = 0;
    std::uint32_t page = 0;
    bool erased = false;
  };

  template <class AStream>
  void run(benchmark::State& state, std::uint32_t streams) {
    std::deque<AStream> all;
    for (std::uint32_t i = 0; i < streams; ++i) all.emplace_back(*this, i);
    running_ = true;
    for (AStream& stream : all) stream.start();
    batch_.run(state);
    running_ = false;
    sc_core::sc_start();  // runs until the last command in flight completes and pauses the kernel
  }

  NandConfig config_ = peer_flash();
  NandGeometry geometry_;
  NandTiming timing_;
  NandMedia media_;
  EnergyLedger ledger_;
  TimedFlash flash_;
  KernelBatch batch_;
  std::uint32_t in_flight_ = 0;
  bool running_ = false;
};

}  // namespace

void register_flash_benchmarks() {
  const auto bed = std::make_shared<FlashBed>();
  benchmark::RegisterBenchmark("flash_read/16_dies", [bed](benchmark::State& state) { bed->reads(state); });
  benchmark::RegisterBenchmark("flash_program/16_dies", [bed](benchmark::State& state) { bed->programs(state); });
}

}  // namespace flashloom
