// Processes of the SystemC kernel and of the time loop that call a function.
#pragma once

#include <functional>
#include <systemc>
#include <utility>

#include "models/common/time_loop.hpp"

namespace flashloom {

/// A method process with an event of its own, like that of a third-party module.
struct KernelMethod final : sc_core::sc_module {
  KernelMethod(const sc_core::sc_module_name& name, std::function<void()> f) : sc_module(name), what(std::move(f)) {
    SC_HAS_PROCESS(KernelMethod);
    SC_METHOD(run);
    sensitive << event;
    dont_initialize();
  }
  void run() { what(); }
  sc_core::sc_event event{"event"};
  std::function<void()> what;
};

struct LoopProcess final : TimedProcess {
  explicit LoopProcess(std::function<void()> f) : what(std::move(f)) {}
  using TimedProcess::cancel;
  using TimedProcess::notify_at;
  void wake() override { what(); }
  std::function<void()> what;
};

}  // namespace flashloom
