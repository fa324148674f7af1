// SIGINT, SIGTERM and SIGHUP as a descriptor.
#pragma once

#include <signal.h>

#include "sc_main/attach/linux/file_descriptor.hpp"

namespace flashloom {

/// Turns these signals into a readable descriptor during its lifetime. Throws std::system_error.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  int descriptor() const { return descriptor_.number(); }
  /// Consumes the pending signals; true if there were any.
  bool take();

 private:
  sigset_t before_{};
  FileDescriptor descriptor_;
};

}  // namespace flashloom
