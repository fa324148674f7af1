#include "sc_main/system/heap_system.hpp"

#include <algorithm>

namespace flashloom {
namespace {

/// Every object that is there, whole.
class ReadAll final : public ObjectSource {
 public:
  ReadAll(const ObjectHeap& heap, std::uint32_t sector_bytes) : heap_(heap), sector_(sector_bytes) {}
  bool next(ObjectRequest& request) override {
    while (next_ != heap_.layout().objects && !heap_.exists(next_)) ++next_;
    if (next_ == heap_.layout().objects) return false;
    request = {.operation = ObjectOperation::Read, .object = next_, .length = heap_.bytes(next_) / sector_ * sector_};
    ++next_;
    return true;
  }
  std::uint64_t objects() const override { return heap_.layout().objects; }

 private:
  const ObjectHeap& heap_;
  std::uint64_t sector_;
  std::uint32_t next_ = 0;
};

}  // namespace

HeapLayout heap_layout(const DeviceConfig& config, std::uint64_t device_bytes) {
  return {config.heap, config.heap.swap == 0 ? device_bytes : config.heap.swap, config.host_interface.sector_size,
          config.verify};
}

HeapSystem::HeapSystem(const DeviceConfig& config, Ssd& ssd, Oracle* oracle)
    : config_(config),
      oracle_(oracle),
      nvram_("heap_nvram", config.heap.nvram, "heap", ssd.ledger()),
      heap_("heap", config.heap, heap_layout(config, ssd.firmware().capacity_bytes()), config.host.queues),
      processes_(std::make_unique<HeapProcesses>(heap_, config.heap, config.host_interface.sector_size, oracle)) {
  heap_.memory().socket.bind(nvram_.socket);
  for (std::uint32_t queue = 0; queue < config.host.queues; ++queue) heap_.swap(queue).bind(ssd.socket(queue));
}

void HeapSystem::power_lost() {
  processes_->power_lost();
  heap_.power_cut();
  nvram_.drop_all(0);
}

void HeapSystem::power_back() {
  heap_.power_on([this] { processes_->power_back(); });
}

void HeapSystem::reset_statistics() {
  setup_ = {kernel_now(), heap_.statistics().swapped_out, heap_.statistics().swapped_in};
  heap_.reset_statistics();
  nvram_.reset_counters();
}

HostTotals HeapSystem::device_totals() const {
  return {.ios = heap_.statistics().device_ios, .bytes = heap_.statistics().device_bytes};
}

std::uint64_t HeapSystem::audit(std::function<void()> done) {
  const std::uint32_t sector = config_.host_interface.sector_size;
  std::uint64_t sectors = 0;
  for (std::uint32_t object = 0; object < heap_.layout().objects; ++object)
    if (heap_.exists(object)) sectors += heap_.bytes(object) / sector;
  auditor_ = std::make_unique<HeapProcesses>(heap_, config_.heap, sector, oracle_);
  std::vector<HeapJob> jobs;
  jobs.push_back({.name = "audit", .source = std::make_unique<ReadAll>(heap_, sector)});
  auditor_->start(std::move(jobs), std::move(done));
  return sectors;
}

}  // namespace flashloom
