// Family "arbitration": which of its waiting commands a die gets next.
#pragma once

#include <cstdint>

#include "models/common/types.hpp"
#include "policies/registry.hpp"

namespace flashloom {

struct ArbitrationContext {
  std::uint32_t dies = 0;  ///< dies of the channel
};

/// The two queues of a die when both hold something. Each is served in the order of arrival.
struct DieQueues {
  std::uint32_t die = 0;  ///< position on the channel, below ArbitrationContext::dies
  Picoseconds now = 0;
  Picoseconds oldest_read = 0;   ///< arrival of the first read
  Picoseconds oldest_write = 0;  ///< arrival of the first program or erase
  std::uint32_t passed = 0;      ///< reads that were started while that one was waiting as the first
};

enum class DieQueue : std::uint8_t { Reads, Writes };

class Arbitration {
 public:
  static constexpr const char* kFamily = "arbitration";
  using Context = ArbitrationContext;
  virtual ~Arbitration() = default;

  /// The queue whose first command the die gets. Asked only when both have one.
  virtual DieQueue choose(const DieQueues& queues) = 0;
};

}  // namespace flashloom
