// How far the copies of garbage collection are behind their decisions, die by die, and what waits for them.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/runtime/wait_list.hpp"

namespace flashloom {

/// What is decided on is free space only when it is done. Programs of the host go before copies at a die: without a
/// bound copies would pile up there until the host needs a block whose erase waits for all of them. So a program of
/// host data waits at its die until at most `most` program units of those copies are left that were decided on before
/// it; decisions, and other dies, do not wait.
///
/// They wait only while one of those copies moves: while commands of it are under way that will end whatever the host's
/// data do. Copies that stand may wait for just these data (their source, their turn in the block, an erase).
class CopyDebt {
 public:
  CopyDebt(std::uint32_t dies, std::uint32_t most) : most_(most), dies_(dies) {}

  /// A program unit of copies was handed over to be carried out, and has been.
  void owe(std::uint32_t die) { ++dies_[die].owed; }
  void pay(std::uint32_t die) {
    ++dies_[die].paid;
    dies_[die].held.wake_all();
  }
  void moves(std::uint32_t die) { ++dies_[die].moving; }
  void stands(std::uint32_t die) {
    if (--dies_[die].moving == 0) dies_[die].held.wake_all();
  }

  /// Program units of copies that the die was ever given.
  std::uint64_t owed(std::uint32_t die) const { return dies_[die].owed; }
  /// What a program of host data has to wait for that was decided on when so many were `owed`; null: nothing.
  WaitList* before_host_data(std::uint32_t die, std::uint64_t owed) {
    Die& at = dies_[die];
    return owed > at.paid + most_ && at.moving != 0 ? &at.held : nullptr;
  }

 private:
  struct Die {
    std::uint64_t owed = 0;  // program units, ever
    std::uint64_t paid = 0;
    std::uint32_t moving = 0;
    WaitList held;
  };
  std::uint32_t most_;
  std::vector<Die> dies_;
};

}  // namespace flashloom
