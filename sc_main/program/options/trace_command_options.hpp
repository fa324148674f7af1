// Options of `flashloom trace info` and `flashloom trace convert`.
#pragma once

#include <cstdint>
#include <string>

#include "sc_main/program/options/trace_options.hpp"

namespace flashloom {

struct CommandEntry;

/// flashloom trace info
struct TraceInfoOptions {
  TraceSpec trace{};
  std::uint64_t max_requests = 0;  ///< read only so many; 0: all
  bool json = false;
};

/// flashloom trace convert
struct TraceConvertOptions {
  TraceSpec trace{};
  std::string out{};  ///< file to write
};

extern const CommandEntry kTraceCommand;  ///< the group
extern const CommandEntry kTraceInfoCommand;
extern const CommandEntry kTraceConvertCommand;

}  // namespace flashloom
