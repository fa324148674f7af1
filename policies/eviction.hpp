// What leaves a buffer or cache: the interface that the families "replacement" (pages) and "write_buffer" (logical
// blocks) share. A policy orders *slots* (dense numbers 0 ... capacity-1, each holding one page); its controller owns
// the slots, the look-up and the data, and commits what the policy proposes.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/state_archive.hpp"

namespace flashloom {

enum class Access : std::uint8_t { Read, Write };

using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};

/// What of an EvictionPolicy does anything, so that who has no use for the rest need not call it for each page.
struct EvictionTraits {
  bool ghosts = true;      ///< expected() does
  bool companions = true;  ///< companions() does
  bool padding = false;    ///< what is missing of the block that leaves is read from below, and leaves with it
  bool mappings = false;   ///< remapped() does
  bool in_order = false;   ///< what comes once, and in order, leaves in that order; then its state hangs on what is in
                           ///< the slots, and on how they were taken in the last turn over all of them, alone
  bool own_room = false;   ///< gone() does: the policy makes room itself, and keeps ghosts' data beside its capacity
};

class EvictionPolicy {
 public:
  virtual ~EvictionPolicy() = default;

  const EvictionTraits& traits() const { return traits_; }

  /// `page` is missing and will enter because of `access`: said before victim() is asked for its place, so that a
  /// policy that remembers pages (ghosts) can take it into account. May be left out, where there is room anyway, and
  /// may be said again.
  virtual void expected(std::uint64_t /*page*/, Access /*access*/) {}
  /// `page` entered the free slot `slot` because of `access`: dirty after a write, clean after a read.
  virtual void inserted(Slot slot, std::uint64_t page, Access access) = 0;
  /// The page in `slot` was referenced again; a write makes it dirty.
  virtual void referenced(Slot slot, Access access) = 0;
  /// The page in `slot` was written back and stays.
  virtual void cleaned(Slot /*slot*/) {}
  /// The page in `slot` belongs to an object that was mapped, or unmapped: the policy's view says which.
  virtual void remapped(Slot /*slot*/) {}
  /// The slot that should leave next, still inserted; kNoSlot when none is. Asked again, with nothing else in between,
  /// it names the same.
  virtual Slot victim() = 0;
  /// The same among the clean ones.
  virtual Slot clean_victim() { return kNoSlot; }
  /// Slots that should leave together with victim(), in the order in which they should be handed on; appended to
  /// `slots`. Pages leave one by one.
  virtual void companions(Slot /*victim*/, std::vector<Slot>& /*slots*/) {}
  /// `slot` leaves, proposed or not; its page may come back.
  virtual void removed(Slot slot) = 0;
  /// `slot` leaves because its page was discarded (trim), or is no longer this policy's: nothing is remembered of it.
  virtual void dropped(Slot slot) { removed(slot); }

  /// Pages from `begin` to before `end` were discarded: those that are only remembered are not any more.
  virtual void discarded(std::uint64_t /*begin*/, std::uint64_t /*end*/) {}
  /// Of a policy that makes room itself: the slots that left in the calls since it was asked last, appended to `slots`.
  virtual void gone(std::vector<Slot>& /*slots*/) {}
  /// Whether the page in `slot` is a ghost whose data are kept; how many are.
  virtual bool kept_ghost(Slot /*slot*/) const { return false; }
  virtual std::uint32_t kept_ghosts() const { return 0; }

  /// Saves or loads what later decisions depend on; a policy that has nothing of the kind says so by an empty body.
  virtual void state(StateArchive& archive) = 0;

 protected:
  explicit EvictionPolicy(const EvictionTraits& traits = {}) : traits_(traits) {}

 private:
  EvictionTraits traits_;
};

}  // namespace flashloom
