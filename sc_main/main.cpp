// The program's entry. SystemC's library brings main; it calls sc_main.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <systemc>
#include <vector>

#include "sc_main/cli/commands.hpp"

namespace {

/// SystemC prints its banner before sc_main runs; the environment is its only switch.
[[maybe_unused]] const int banner_off = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);

}  // namespace

int sc_main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond its limit is an error to report, as on a full disk
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return flashloom::cli_main(arguments, std::cout, std::cerr);
}
