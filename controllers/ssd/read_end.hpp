// Hears of the end of plain reads.
#pragma once

#include "models/block/io_command.hpp"

namespace flashloom {

class ReadEnd {
 public:
  /// Firmware is done with the read, as when Firmware::execute() returns.
  virtual void read_done(IoCommand& command) = 0;

 protected:
  ~ReadEnd() = default;
};

}  // namespace flashloom
