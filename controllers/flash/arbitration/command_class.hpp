// Flash commands by what waits for them.
#pragma once

#include "models/onfi/onfi_command.hpp"

namespace flashloom {

enum class CommandClass {
  HostRead,
  Map,        ///< mapping and recovery
  HostWrite,  ///< host programs, what completes or pads them, and parity
  Gc,         ///< garbage collection and merges
  Wear        ///< wear levelling and scrubbing
};

inline CommandClass class_of(FlashOperation operation, Origin origin) {
  switch (origin) {
    case Origin::Host:
      return operation == FlashOperation::Read ? CommandClass::HostRead : CommandClass::HostWrite;
    case Origin::Map:
    case Origin::Recovery:
      return CommandClass::Map;
    case Origin::Rmw:
    case Origin::Padding:
    case Origin::Parity:
      return CommandClass::HostWrite;
    case Origin::Gc:
    case Origin::Merge:
      return CommandClass::Gc;
    case Origin::Wear:
    case Origin::Scrub:
      break;
  }
  return CommandClass::Wear;
}

}  // namespace flashloom
