// The flash controller of one channel: a queue of reads and a queue of writes for each die.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>

#include "controllers/flash/arbitration.hpp"
#include "controllers/flash/flash_counters.hpp"
#include "models/onfi/onfi_ports.hpp"

namespace flashloom {

/// Where the time of a die went. The shares of [0, now) add to it exactly.
struct DieActivity {
  Picoseconds idle = 0;  ///< without a command, or with one that waits for the bus
  Picoseconds read = 0;  ///< in the array
  Picoseconds program = 0;
  Picoseconds erase = 0;
  Picoseconds transfer = 0;  ///< on the bus: command, address and data cycles
};

/// Waits of commands from their submission to the grant of the bus.
struct QueueWait {
  std::uint64_t commands = 0;
  Picoseconds total = 0;
  Picoseconds longest = 0;
};

/// Gives each die one command at a time, which the family "arbitration" chooses between its queue of reads and its
/// queue of programs and erases; each of the two stays in the order of arrival. A command for an idle die goes to the
/// channel at once; at a completion the die's next command goes first, then the submitter hears of it. Pages read
/// together are one command here; a copyback queues as the program that it is.
class FlashController final : public sc_core::sc_module {
 public:
  /// Throws UnknownPart for an arbitration that does not exist. `counters` are shared by the device's controllers.
  FlashController(const sc_core::sc_module_name& name, const NandGeometry& geometry, const NandTiming& timing,
                  const PolicyChoice& arbitration, FlashCounters& counters);

  sc_core::sc_vector<OnfiInitiatorSocket> to_channel;  ///< one a die, by position on the channel

  /// Takes a command for the die at `position`.
  void submit(std::uint32_t position, OnfiCommand& command);

  /// Power fails at `at`: all commands are forgotten. The channel's power_cut() comes before.
  void power_cut(Picoseconds at);

  /// Commands that are not complete.
  std::uint32_t pending() const { return pending_; }
  /// Time in [0, now) of a die; the channel must be settled until `now`.
  DieActivity activity(std::uint32_t position, Picoseconds now) const;
  const QueueWait& queue_wait(FlashOperation operation) const { return waits_[static_cast<std::size_t>(operation)]; }

 private:
  struct Fifo {
    OnfiCommand* head = nullptr;
    OnfiCommand* tail = nullptr;
    void push(OnfiCommand& command) {
      command.next = nullptr;
      (head == nullptr ? head : tail->next) = &command;
      tail = &command;
    }
    OnfiCommand& pop() {
      OnfiCommand& command = *head;
      head = command.next;
      command.next = nullptr;
      return command;
    }
  };

  /// One die as the controller sees it; the channel's end of its binding.
  struct DieState final : OnfiInitiator {
    FlashController* controller = nullptr;
    std::uint32_t position = 0;
    std::uint32_t passed = 0;        // reads started since the first write of the queue became the first
    OnfiCommand* current = nullptr;  // of pages read together: the next to complete
    OnfiCommand* then = nullptr;     // copyback: the program that follows `current`
    bool data_only = false;          // `current` is not the first of the pages read together
    Fifo reads;
    Fifo writes;
    DieActivity activity;  // of completed commands; idle unused
    tlm::tlm_sync_enum nb_transport_bw(OnfiCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  };

  void start(DieState& die, OnfiCommand& command);
  void start_next(DieState& die);
  void complete(DieState& die, OnfiCommand& command);

  const NandGeometry& geometry_;
  const NandTiming& timing_;
  FlashCounters& counters_;
  std::unique_ptr<DieState[]> dies_;
  std::unique_ptr<Arbitration> arbitration_;
  std::uint32_t pending_ = 0;
  std::array<QueueWait, kFlashOperations> waits_{};
};

}  // namespace flashloom
