#include "sc_main/linux/linux_command.hpp"

#include <iostream>

#include "sc_main/linux/guest.hpp"

namespace flashloom {

int linux_command(const LinuxOptions& options, std::ostream& out) {
  Guest guest(
      {.kernel = find_kernel(options.kernel), .memory = options.memory, .out = "", .console = "/tmp/console.log"}, 0);
  guest.machine().on_output([&](std::string_view t) { out << t << std::flush; });
  guest.machine().on_end([] { TimeLoop::pause(); });
  guest.boot("exec /bin/sh " + options.script);
  TimeLoop::instance().run();
  if (guest.machine().failure()) std::rethrow_exception(guest.machine().failure());
  return guest.exit_code().value_or(1);
}

}  // namespace flashloom
