#include "models/block/io_command.hpp"

namespace flashloom {

const char* to_string(ZoneState state) {
  switch (state) {
    case ZoneState::Empty:
      return "empty";
    case ZoneState::ImplicitlyOpened:
      return "implicitly_opened";
    case ZoneState::ExplicitlyOpened:
      return "explicitly_opened";
    case ZoneState::Closed:
      return "closed";
    case ZoneState::ReadOnly:
      return "read_only";
    case ZoneState::Full:
      return "full";
    case ZoneState::Offline:
      return "offline";
  }
  return "";
}

}  // namespace flashloom
