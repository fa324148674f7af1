#include "sc_main/stack/heap/heap_system.hpp"

#include <algorithm>

namespace flashloom {
namespace {

/// Reads every existing object, in requests of at most `most` bytes.
class ReadAll final : public ObjectSource {
 public:
  ReadAll(const ObjectHeap& heap, std::uint32_t sector_bytes, std::uint64_t most)
      : heap_(heap), sector_(sector_bytes), most_(most) {}
  bool next(ObjectRequest& request) override {
    while (next_ != heap_.layout().objects && !(heap_.exists(next_) && at_ < bytes())) {
      ++next_;
      at_ = 0;
    }
    if (next_ == heap_.layout().objects) return false;
    request = {
        .operation = ObjectOperation::Read, .object = next_, .offset = at_, .length = std::min(most_, bytes() - at_)};
    at_ += request.length;
    return true;
  }
  std::uint64_t objects() const override { return heap_.layout().objects; }

 private:
  std::uint64_t bytes() const { return heap_.bytes(next_) / sector_ * sector_; }

  const ObjectHeap& heap_;
  std::uint64_t sector_;
  std::uint64_t most_;
  std::uint32_t next_ = 0;
  std::uint64_t at_ = 0;
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
  // With bit errors each page is read by itself, so that a lost page does not hide the others of its object.
  const std::uint64_t most = config_.nand.errors.on() ? config_.heap.page : heap_.layout().heap_bytes();
  jobs.push_back({.name = "audit", .source = std::make_unique<ReadAll>(heap_, sector, most)});
  auditor_->start(std::move(jobs), std::move(done));
  return sectors;
}

std::uint64_t HeapSystem::unreadable_sectors() const {
  return auditor_->statistics().failed_bytes / config_.host_interface.sector_size;
}

}  // namespace flashloom
