// Family "replacement": which page of a buffer or cache leaves. A policy orders *slots* (dense numbers 0 ...
// capacity-1, each holding one page); its controller owns the slots, the look-up and the data, and commits what the
// policy proposes.
#pragma once

#include <cstdint>

#include "policies/registry.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

enum class Access : std::uint8_t { Read, Write };

using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};

struct ReplacementContext {
  std::uint32_t capacity = 0;  ///< slots
};

class ReplacementPolicy {
 public:
  static constexpr const char* kFamily = "replacement";
  using Context = ReplacementContext;
  virtual ~ReplacementPolicy() = default;

  /// `page` entered the free slot `slot` because of `access`.
  virtual void inserted(Slot slot, std::uint64_t page, Access access) = 0;
  /// The page in `slot` was referenced again.
  virtual void referenced(Slot slot, Access access) = 0;
  /// The slot that should leave next, still inserted; kNoSlot when none is.
  virtual Slot victim() = 0;
  /// `slot` leaves: evicted as proposed, or dropped by the controller (trim).
  virtual void removed(Slot slot) = 0;

  /// Saves or loads what later decisions depend on; a policy that has nothing of the kind says so by an empty body.
  virtual void state(StateArchive& archive) = 0;
};

}  // namespace flashloom
