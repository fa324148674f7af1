// How firmware reaches the flash, on either clock.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>

#include "controllers/flash/die_history.hpp"
#include "controllers/flash/queue_places.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

class EccEngine;

class FlashPort {
 public:
  virtual ~FlashPort() = default;

  /// `co_await port.place(command)` before each submit(): waits while the queue of the command's die is full. Without a
  /// limit, and on the instant clock, it never waits. A multi-plane group takes one place.
  WaitList::Awaiter place(const OnfiCommand& command) { return places_.take(command.address.die.value()); }
  /// The same for a caller that cannot await: null (it has a place), or the list to wait on once.
  WaitList* ask_place(const OnfiCommand& command) { return places_.ask(command.address.die.value()); }
  /// Whether there is a limit, so that place() may have to wait.
  bool limits_queues() const { return places_.limited(); }

  /// Hands over a command, with those of its group (OnfiCommand::together, then), which the caller keeps alive until it
  /// is complete. True: it is complete already (the instant back end), and `completion` is not called. False:
  /// `completion` will be called, unless power is cut before.
  virtual bool submit(OnfiCommand& command) = 0;
  /// Without a limit: hands over commands that are linked through OnfiCommand::next (null: none), each with its group,
  /// in this order. `completion` of those that are complete already is called, too.
  virtual void submit_all(OnfiCommand* first) {
    while (first != nullptr) {
      OnfiCommand& command = *std::exchange(first, first->next);
      if (submit(command))
        for_each_of_group(command, [](OnfiCommand& each) { each.completion->on_flash_complete(each); });
    }
  }

  /// Instant clock only: programs the next program unit of a sequential fill that the media compute by a rule
  /// (NandMedia::begin_fill).
  virtual void program_by_rule(OnfiCommand&, std::uint32_t /*number*/) {
    throw std::logic_error("a fill by a rule takes no time, and is not carried out where time passes");
  }
  /// Thereafter, NandMedia::program_turns_by_rule(): each as `command` says, but for its address.
  virtual void program_turns_by_rule(const OnfiCommand& /*command*/, std::span<const FlashAddress> /*places*/,
                                     std::uint32_t /*number*/, std::uint32_t /*turns*/) {}

  /// Every command is complete when submit() returns, and its data can be decoded: the caller never has to wait.
  bool synchronous() const { return synchronous_; }

  /// A mapping unit to copy: its number, its OOB word and its source.
  struct Copied {
    std::uint32_t unit;
    OobWord word;
    std::uint32_t source;  ///< its PhysicalUnit
  };
  /// On a synchronous port: copies units that fill program units, out of the block whose first unit is `first`, one
  /// program unit after the other: each is read as `read` says (read_units()), but for its page, and programmed as
  /// `program` says, into the next pages. False: a read did not bring what `units` says; its program unit and those
  /// behind it are not programmed. May change what the commands point to.
  virtual bool copy(OnfiCommand& /*read*/, OnfiCommand& /*program*/, std::uint32_t /*first*/,
                    std::span<const Copied> /*units*/) {
    throw std::logic_error("flash that has to be waited for copies nothing at once");
  }
  static constexpr std::uint32_t kNotRead = ~std::uint32_t{0};  ///< in place of a PhysicalUnit
  /// On a synchronous port: reads units that hold `words`, as commands of `origin`, one for consecutive units of a page;
  /// `units`: PhysicalUnits, or kNotRead. False: they must be read command by command, for which the
  /// port has done nothing.
  virtual bool read_units(Origin, std::span<const std::uint32_t> /*units*/, const OobWord* /*words*/) { return false; }

  /// Commands of a die that are not complete (groups count as one).
  virtual std::uint32_t queued(Die die) const = 0;

  /// Recent array operations of a die; null on the instant clock.
  virtual const DieHistory* history(Die) const { return nullptr; }

  /// The decoder of reads; null if cells have no bit errors.
  EccEngine* ecc() const { return ecc_; }

 protected:
  EccEngine* ecc_ = nullptr;
  bool synchronous_ = false;
  QueuePlaces places_;
};

}  // namespace flashloom
