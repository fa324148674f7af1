// main of every test program that links SystemC: GoogleTest inside sc_main, since the library brings its own main.
#include <gtest/gtest.h>

#include <systemc>

int sc_main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
