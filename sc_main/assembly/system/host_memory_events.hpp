// Revokes, returns and loses the host memory buffer at the times given in [hmb].
#pragma once

#include <systemc>

#include "controllers/hardware/hmb_config.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom {

class Ssd;

class HostMemoryEvents final : public sc_core::sc_module, private Timer {
 public:
  HostMemoryEvents(const sc_core::sc_module_name& name, const HmbConfig& config, Ssd& ssd);

 private:
  void on_timer() override;

  const HmbConfig& config_;
  Ssd& ssd_;
  bool gone_ = false;
  TimerQueue timers_;
};

}  // namespace flashloom
