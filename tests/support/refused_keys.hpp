// Overrides that a device file must refuse, and the expected message.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sc_main/assembly/config/load.hpp"

namespace flashloom {

struct RefusedKeys {
  std::vector<std::string> overrides;
  std::vector<std::string> expected;  ///< parts of the message
};

/// The error message of loading; "accepted" if there is none.
inline std::string error_of(const std::string& device, const std::vector<std::string>& overrides) {
  try {
    load_config_text(device, "bad.toml", overrides);
    return "accepted";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

inline void expect_refused(const std::string& device, const std::vector<RefusedKeys>& all) {
  for (const RefusedKeys& each : all) {
    const std::string message = error_of(device, each.overrides);
    for (const std::string& part : each.expected)
      EXPECT_NE(message.find(part), std::string::npos) << "no \"" << part << "\" in: " << message;
  }
}

}  // namespace flashloom
