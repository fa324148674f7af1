// Gate that keeps host commands from flash.
#pragma once

#include <cstdint>

#include "controllers/runtime/wait_list.hpp"

namespace flashloom {

/// Closed while the firmware does work during which it serves no host command.
class HostGate {
 public:
  void close() { ++closed_; }
  void open() {
    if (--closed_ == 0) opened_.wake_all();
  }
  /// What a host command waits for before it goes to flash; null if nothing.
  WaitList* before_dispatch() { return closed_ == 0 ? nullptr : &opened_; }

 private:
  std::uint32_t closed_ = 0;
  WaitList opened_;
};

}  // namespace flashloom
