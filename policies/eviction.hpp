// What leaves a buffer or cache: the interface that the families "replacement" (pages) and "write_buffer" (logical
// blocks) share. A policy orders *slots* (dense numbers 0 ... capacity-1, each holding one page); its controller owns
// the slots, the look-up and the data, and evicts the victims that the policy names.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/state_archive.hpp"

namespace flashloom {

enum class Access : std::uint8_t { Read, Write };

using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};

/// Which members of an EvictionPolicy have an effect, so that callers can skip the others for each page.
struct EvictionTraits {
  bool ghosts = true;      ///< expected() has an effect
  bool companions = true;  ///< companions() has an effect
  bool padding = false;    ///< pages that the evicted block lacks are read from below, and leave with it
  bool mappings = false;   ///< remapped() has an effect
  bool in_order = false;   ///< what comes once, and in order, leaves in that order; then its state hangs on what is in
                           ///< the slots, and on how they were taken in the last turn over all of them, alone
  bool own_room = false;   ///< gone() has an effect: the policy evicts by itself, and keeps ghosts' data in extra slots
};

class EvictionPolicy {
 public:
  virtual ~EvictionPolicy() = default;

  const EvictionTraits& traits() const { return traits_; }

  /// `page` is missing and will enter because of `access`: called before victim(), so that a policy with ghosts can
  /// take it into account. Optional if no eviction is needed; may be repeated.
  virtual void expected(std::uint64_t /*page*/, Access /*access*/) {}
  /// `page` entered the free slot `slot` because of `access`: dirty after a write, clean after a read.
  virtual void inserted(Slot slot, std::uint64_t page, Access access) = 0;
  /// The page in `slot` was referenced again; a write makes it dirty.
  virtual void referenced(Slot slot, Access access) = 0;
  /// The page in `slot` was written back and stays.
  virtual void cleaned(Slot /*slot*/) {}
  /// The page in `slot` belongs to an object that was mapped, or unmapped: the policy's MappedView says which.
  virtual void remapped(Slot /*slot*/) {}
  /// The slot to evict next, still inserted; kNoSlot if there is none. Repeated calls, with no other call in between,
  /// return the same slot.
  virtual Slot victim() = 0;
  /// Same, among the clean ones.
  virtual Slot clean_victim() { return kNoSlot; }
  /// Appends to `slots` the slots that should leave together with victim(), in that order. Pages are still evicted one
  /// by one.
  virtual void companions(Slot /*victim*/, std::vector<Slot>& /*slots*/) {}
  /// `slot` was evicted, victim or not; its page may return.
  virtual void removed(Slot slot) = 0;
  /// `slot` leaves because its page was discarded (trim), or no longer belongs to this policy, which forgets it.
  virtual void dropped(Slot slot) { removed(slot); }

  /// Pages in [begin, end) were discarded: the policy forgets their ghosts.
  virtual void discarded(std::uint64_t /*begin*/, std::uint64_t /*end*/) {}
  /// For a policy that evicts by itself: appends to `slots` the slots that it evicted since the last call.
  virtual void gone(std::vector<Slot>& /*slots*/) {}
  /// Whether the page in `slot` is a ghost that keeps its data; and the number of such ghosts.
  virtual bool kept_ghost(Slot /*slot*/) const { return false; }
  virtual std::uint32_t kept_ghosts() const { return 0; }

  /// Saves or loads the state that later decisions depend on; empty for a policy without such state.
  virtual void state(StateArchive& archive) = 0;

 protected:
  explicit EvictionPolicy(const EvictionTraits& traits = {}) : traits_(traits) {}

 private:
  EvictionTraits traits_;
};

}  // namespace flashloom
