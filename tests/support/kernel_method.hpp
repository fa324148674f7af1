// A method process of the kernel with an event of its own: what a module of another maker brings.
#pragma once

#include <functional>
#include <systemc>
#include <utility>

namespace flashloom {

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

}  // namespace flashloom
