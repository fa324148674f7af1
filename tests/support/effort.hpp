// How much work tests do: little in ./check, much in ./check --long.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

namespace flashloom {

/// Whether this is ./check --long.
inline bool takes_its_time() { return std::getenv("FLASHLOOM_LONG") != nullptr; }

/// `usual`, or `longer` in ./check --long.
inline std::uint64_t effort(std::uint64_t usual, std::uint64_t longer) { return takes_its_time() ? longer : usual; }

}  // namespace flashloom

/// At the begin of a test of so many CPU seconds: it runs in ./check --long alone. tests/long_tests.py lists these tests.
#define FLASHLOOM_TAKES_LONG(seconds) \
  if (!flashloom::takes_its_time()) GTEST_SKIP() << "takes " #seconds " s: ./check --long"
