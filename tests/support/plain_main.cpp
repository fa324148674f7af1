// main of the test programs without SystemC.
#include "tests/support/test_run.hpp"

int main(int argc, char** argv) { return flashloom::run_tests(argc, argv); }
