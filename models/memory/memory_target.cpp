#include "models/memory/memory_target.hpp"

#include <stdexcept>

#include "models/common/timer_queue.hpp"

namespace flashloom {

MemoryTarget::MemoryTarget(const sc_core::sc_module_name& name, const MemoryConfig& config, const std::string& kind)
    : sc_core::sc_module(name), socket("socket"), size_(config.size), endurance_(config.endurance) {
  if (config.size == 0) throw std::invalid_argument(kind + ": size must be above 0");
  if (config.refresh_interval != 0 && config.refresh_time >= config.refresh_interval)
    throw std::invalid_argument(kind + ": refresh_time must be below refresh_interval");
  socket.bind(*this);
}

double MemoryTarget::wear() const {
  if (endurance_ == 0) return 0;
  return static_cast<double>(counters_.write_bytes) / (static_cast<double>(size_) * static_cast<double>(endurance_));
}

}  // namespace flashloom
