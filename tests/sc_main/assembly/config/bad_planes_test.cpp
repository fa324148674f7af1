// Keys of planes that read independently: values that a device file may not have.
#include <gtest/gtest.h>

#include "tests/support/refused_keys.hpp"

namespace flashloom::bad_planes_test {
namespace {

const char* const kDevice = "[nand]\nplanes = 6\nindependent_planes = 3\n";

TEST(BadPlanes, Refused) {
  expect_refused(
      kDevice,
      {{{"nand.independent_planes=4"},
        {"nand.independent_planes", "4 groups do not divide 6 planes (nand.planes)", "valid: 1, 2, 3, 6"}},
       {{"nand.independent_planes=0"}, {"nand.independent_planes", "out of range"}},
       {{"nand.independent_planes=17"}, {"nand.independent_planes", "out of range"}},
       {{"nand.cache_read=true"}, {"nand.independent_planes: 3 groups read each by itself", "nand.cache_read"}}});
  EXPECT_EQ(error_of(kDevice, {}), "accepted");
  EXPECT_EQ(error_of(kDevice, {"power.cap_dies=1", "nand.program_suspend=true"}), "accepted");
  EXPECT_EQ(error_of(kDevice, {"nand.independent_planes=1", "nand.cache_read=true"}), "accepted");
  EXPECT_EQ(error_of(kDevice, {"nand.cache_program=true", "nand.program_suspend=true", "nand.erase_suspend=true",
                               "nand.multi_plane_read=true", "nand.copyback=true", "nand.ready_detection=polling"}),
            "accepted");
}

}  // namespace
}  // namespace flashloom::bad_planes_test
