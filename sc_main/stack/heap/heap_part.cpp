#include "sc_main/stack/heap/heap_part.hpp"

#include "models/common/config_problem.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"
#include "sc_main/assembly/config/stack_kind.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/stack/heap/heap_report.hpp"

namespace flashloom {
namespace {

void check_heap(const DeviceConfig& config) {
  const HeapConfig& heap = config.heap;
  require(config.host.cache.size == 0, "host.cache.size",
          "is a page cache in front of the device, which the heap has for itself; valid: 0 B");
  check_config(heap, config.host_interface.sector_size, capacity_bytes(config));
}

constexpr StackKind kHeap = {.name = "heap",
                             .check = check_heap,
                             .capacity_bytes = [](const DeviceConfig& config) { return capacity_bytes(config); },
                             .make = [](const DeviceConfig& config, Ssd& ssd) -> std::unique_ptr<StackPart> {
                               return std::make_unique<HeapPart>(config, ssd);
                             },
                             .summary = heap_summary};
const RegisterStackKind registered_heap(kHeap);

}  // namespace

void HeapPart::shape(Oracle::Shape& shape) const {
  const HeapLayout layout = heap_layout(config_, shape.capacity_bytes);
  shape = {.capacity_bytes = layout.heap_bytes(),
           .sector_bytes = shape.sector_bytes,
           .unit_bytes = layout.page_bytes,
           .durable_writes = true,
           .power_cuts = shape.power_cuts};
}

void HeapPart::start(std::function<void()> measured, std::function<void()> done) {
  system_->processes().on_setup_over(std::move(measured));
  system_->processes().start(std::move(jobs_), std::move(done));
}

std::uint64_t HeapPart::audit(Simulation& simulation) {
  const std::uint64_t audited = system_->audit([] { TimeLoop::pause(); });
  simulation.proceed();  // until everything is read
  simulation.proceed();  // until nothing is in flight
  system_->heap().check();
  simulation.require_readable(system_->heap().device_media_errors());
  simulation.note_unreadable(system_->unreadable_sectors());
  return audited;
}

void HeapPart::report(const DeviceConfig& config, nlohmann::ordered_json& result) {
  result["heap"] = heap_json(*system_, config);
}

}  // namespace flashloom
