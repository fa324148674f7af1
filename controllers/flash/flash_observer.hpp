// Told of every flash command that completes, where it is counted.
#pragma once

#include "models/onfi/onfi_command.hpp"

namespace flashloom {

class FlashObserver {
 public:
  /// `command` has completed, now; all of `at` is set.
  virtual void flash_completed(const OnfiCommand& command) = 0;

 protected:
  ~FlashObserver() = default;
};

}  // namespace flashloom
