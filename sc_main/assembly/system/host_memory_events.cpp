#include "sc_main/assembly/system/host_memory_events.hpp"

#include "sc_main/assembly/system/ssd.hpp"

namespace flashloom {

HostMemoryEvents::HostMemoryEvents(const sc_core::sc_module_name& name, const HmbConfig& config, Ssd& ssd)
    : sc_module(name), config_(config), ssd_(ssd), timers_("timers") {
  if (const Picoseconds at = config.revoke_at + config.lost_at; at != 0) timers_.schedule(*this, at);  // one is set
}

void HostMemoryEvents::on_timer() {
  if (gone_) return ssd_.lend_host_memory(config_.size, [] {});
  gone_ = true;
  if (config_.revoke_at != 0)
    ssd_.lend_host_memory(0, [] {});
  else
    ssd_.lose_host_memory();
  if (config_.return_at != 0) timers_.schedule(*this, config_.return_at);
}

}  // namespace flashloom
