// Family "host_placement": which placement identifier the host gives a write without one. Models a file system, a
// key-value store or a cache that knows its data: data expected to be discarded together get one identifier.
#pragma once

#include <cstdint>
#include <optional>

namespace flashloom {

struct HostPlacementContext {
  std::uint32_t identifiers = 1;    ///< number of available identifiers
  std::uint64_t capacity = 1;       ///< bytes of the device
  std::uint32_t page_bytes = 4096;  ///< mapping unit of the device
};

/// A write of the host, or a trim.
struct HostWrite {
  std::uint64_t offset = 0;  ///< bytes
  std::uint64_t length = 0;
  std::uint64_t number = 0;  ///< of the host's writes, from 1
  std::uint32_t job = 0;     ///< job of a job file, device of a trace
  std::uint32_t writer = 0;  ///< file or process of a trace, from 1; 0: not known
};

class HostPlacementPolicy {
 public:
  static constexpr const char* kFamily = "host_placement";
  using Context = HostPlacementContext;
  virtual ~HostPlacementPolicy() = default;

  /// False: it never chooses, and calls may be omitted.
  virtual bool active() const { return true; }
  /// Identifier, below HostPlacementContext::identifiers; nothing: none. Called once a write, in the order in which the
  /// host's jobs generate them.
  virtual std::optional<std::uint32_t> choose(const HostWrite& write) = 0;
  /// The range was trimmed.
  virtual void discarded(const HostWrite& /*trim*/) {}
};

}  // namespace flashloom
