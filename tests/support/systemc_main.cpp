// main of every test program that links SystemC, which brings its own.
#include <systemc>

#include "tests/support/test_run.hpp"

int sc_main(int argc, char** argv) { return flashloom::run_tests_apart(argc, argv); }
