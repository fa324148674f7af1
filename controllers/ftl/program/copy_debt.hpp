// How far, on each die, the copies of garbage collection lag behind their decisions, and what waits for them.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/runtime/wait_list.hpp"

namespace flashloom {

/// A collected block becomes free only when its copies are done. At a die, host programs go before copies; without a
/// bound, copies would pile up until the host needs a block whose erase waits for all of them. So a host program waits
/// at its die until at most `most` program units remain of the copies decided on before it; decisions and other dies do
/// not wait.
///
/// Host programs wait only while a copy is moving: while commands of it are in flight that end independently of host
/// data. Copies that stand still may themselves wait for that host data (source, turn in the block, erase).
class CopyDebt {
 public:
  CopyDebt(std::uint32_t dies, std::uint32_t most) : most_(most), dies_(dies) {}

  /// owe(): a program unit of copies was handed over. pay(): it is done.
  void owe(std::uint32_t die) { ++dies_[die].owed; }
  void pay(std::uint32_t die) {
    ++dies_[die].paid;
    dies_[die].held.wake_all();
  }
  void moves(std::uint32_t die) { ++dies_[die].moving; }
  void stands(std::uint32_t die) {
    if (--dies_[die].moving == 0) dies_[die].held.wake_all();
  }

  /// Program units of copies handed to the die so far.
  std::uint64_t owed(std::uint32_t die) const { return dies_[die].owed; }
  /// What a host program must wait for that was handed over when `owed` copies were owed; null if nothing.
  WaitList* before_host_data(std::uint32_t die, std::uint64_t owed) {
    Die& at = dies_[die];
    return owed > at.paid + most_ && at.moving != 0 ? &at.held : nullptr;
  }

 private:
  struct Die {
    std::uint64_t owed = 0;  // program units so far
    std::uint64_t paid = 0;
    std::uint32_t moving = 0;
    WaitList held;
  };
  std::uint32_t most_;
  std::vector<Die> dies_;
};

}  // namespace flashloom
