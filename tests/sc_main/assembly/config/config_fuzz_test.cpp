// Damaged device files: a configuration or an error that names the file; no crash, no hang.
#include <gtest/gtest.h>

#include "sc_main/assembly/config/load.hpp"
#include "tests/workloads/mutator.hpp"

namespace flashloom::config_fuzz_test {
namespace {

constexpr const char* kDevice = R"(# a small device
name = "fuzz"
seed = 7

[nand]
channels = 2
ways = 2
blocks = 64
pages = 32
page_size = "4 KiB"
read_time = "25 us"
program_time = "200.5 us"

[buffer]
size = "1 MiB"
replacement = { name = "lru" }

[ftl]
kind = "page_map"
over_provisioning = "25 %"
)";

TEST(FuzzedConfig, GivesAConfigurationOrAnErrorThatNamesTheFile) {
  ASSERT_NO_THROW(load_config_text(kDevice, "fuzz.toml"));
  Mutator mutate({kDevice, "[[x]]\ny = [1, 2, { z = 1979-05-27T07:32:00Z }]\n\"\\u0000\" = 0x7f\n"});
  const int inputs = fuzzed_inputs();
  int accepted = 0;
  for (int i = 0; i < inputs; ++i) {
    const std::string text = mutate(kDevice);
    try {
      load_config_text(text, "fuzz.toml");
      ++accepted;
    } catch (const ConfigError& error) {
      ASSERT_NE(std::string(error.what()).find("fuzz.toml"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(accepted, inputs / 50);
  EXPECT_LT(accepted, inputs * 9 / 10);
}

}  // namespace
}  // namespace flashloom::config_fuzz_test
