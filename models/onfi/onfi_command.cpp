#include "models/onfi/onfi_command.hpp"

namespace flashloom {

const char* to_string(FlashOperation operation) {
  constexpr const char* kNames[kFlashOperations] = {"read", "program", "erase"};
  return kNames[static_cast<std::size_t>(operation)];
}

const char* to_string(Origin origin) {
  switch (origin) {
    case Origin::Host:
      return "host";
    case Origin::Gc:
      return "gc";
    case Origin::Map:
      return "map";
    case Origin::Wear:
      return "wear";
    case Origin::Merge:
      return "merge";
    case Origin::Recovery:
      return "recovery";
    case Origin::Rmw:
      return "rmw";
    case Origin::Scrub:
      return "scrub";
    case Origin::Padding:
      return "padding";
    case Origin::Parity:
      return "parity";
  }
  return "unknown";
}

}  // namespace flashloom
