#include "sc_main/assembly/config/verbose.hpp"

#include <iostream>

namespace flashloom {
namespace {

bool verbosity_is_on = false;

}  // namespace

void tell_verbosely(bool on) { verbosity_is_on = on; }

void tell(const std::string& text) {
  if (verbosity_is_on) std::cerr << "flashloom: " << text << '\n';
}

}  // namespace flashloom
