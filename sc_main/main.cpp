// The program's entry: SystemC's library has main(), which calls sc_main().
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <systemc>
#include <vector>

#include "sc_main/program/cli/cli_main.hpp"

namespace {

/// SystemC prints its banner before sc_main() runs; only this environment variable suppresses it.
[[maybe_unused]] const int banner_off = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);

}  // namespace

int sc_main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the file size limit then returns an error, as on a full disk
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return flashloom::cli_main(arguments, std::cout, std::cerr);
}
