// What a channel's bus and a network have in common: the commands of dies that share wires.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <vector>

#include "models/channel/bus_time.hpp"
#include "models/channel/command_work.hpp"
#include "models/channel/phase_feed.hpp"
#include "models/channel/sorted_ring.hpp"
#include "models/common/lazy_arbiter.hpp"

namespace flashloom {

/// A command of a die. Dies with independent plane reads have one further slot per read, at `die` + a multiple of the
/// number of dies.
struct DieSlot : CommandWork {
  std::uint32_t die = 0;  ///< its number on these wires
};

/// Base of modules that arbitrate wires lazily. Commands come in on `from_controller`, one binding and one command at a
/// time a die, and go out on `to_die`. OnfiCommand::at holds the instants of the phases, kNever until they are known.
/// END_RESP goes to the die (which carries the command out), then to the controller.
///
/// A command takes this way: arrive(), start(), the array, read_status() if polled, send_data() if it reads, finish().
/// `Owner`, derived from this class, decides when, and has what LazyArbiter asks for, but
///   void complete(Picoseconds now, bool report = true);              calls finish(index, report)
/// and
///   void enqueue(std::uint32_t die, OnfiCommand&, Picoseconds now);  for start()
///   void enqueue_data(std::uint32_t index, Picoseconds ready);       for send_data()
///   BusGrant occupy(std::uint32_t index, Picoseconds at, Picoseconds command, Picoseconds data, std::uint32_t bytes);
///       Grants the wires at `at` for cycles of these lengths, which move `bytes` of page data. The result begins with
///       the cycles.
///   void array_started(std::uint32_t index);
///   void finished(std::uint32_t index);                              may free the wires, or let a command follow
///   PhaseFeed* feed_of(const Slot&) const;                           null: nobody observes
template <class Owner, class Slot>
class WireArbiter : public sc_core::sc_module, public LazyArbiter<Owner> {
  using Lazy = LazyArbiter<Owner>;

 public:
  /// Data-outs that may pass a waiting program.
  static constexpr std::uint32_t kProgramBound = 8;
  /// A command's arrival is counted OnfiCommand::urgency times this later than it is.
  static constexpr Picoseconds kPatience = 100 * kMicrosecond;

  sc_core::sc_vector<OnfiTargetSocket> from_controller;
  sc_core::sc_vector<OnfiInitiatorSocket> to_die;

 protected:
  WireArbiter(const sc_core::sc_module_name& name, const NandTiming& timing, std::uint32_t dies, AlarmClock& clock)
      : sc_module(name),
        Lazy(clock),
        from_controller("from_controller", dies),
        to_die("to_die", dies),
        timing_(timing),
        slots_(std::size_t{dies} * timing.overlap().plane_reads),
        reads_(slots_.size()),
        arrays_(slots_.size()),
        polls_(slots_.size()),
        entries_(std::make_unique<Entry[]>(dies)) {
    for (std::uint32_t i = 0; i < slots_.size(); ++i) slots_[i].die = i % dies;
    for (std::uint32_t i = 0; i < dies; ++i) {
      entries_[i].arbiter = this;
      entries_[i].die = i;
      from_controller[i].bind(entries_[i]);
      to_die[i].bind(die_end_);
    }
  }

  [[noreturn, gnu::cold]] void refuse(const char* why) const {
    throw std::logic_error(std::string(this->name()) + ": " + why);
  }

  void attach_to(std::unique_ptr<PhaseFeed>& feed, OnfiObserver& observer) {
    if (feed == nullptr) feed = std::make_unique<PhaseFeed>();
    for (const Slot& slot : slots_)
      if (slot.command != nullptr && owner().feed_of(slot) == feed.get()) refuse("commands are under way");
    feed->attach(observer);
  }

  /// The first free slot of a die at `index` or behind.
  std::uint32_t free_slot(std::uint32_t index, const OnfiCommand& command) const {
    const auto dies = static_cast<std::uint32_t>(from_controller.size());
    while (index < slots_.size() && slots_[index].command != nullptr) index += dies;
    if (index >= slots_.size() || (index >= dies && command.operation != FlashOperation::Read))
      refuse("a die takes one command at a time, or one a plane group");
    return index;
  }

  /// Command cycles, with data-in, then the array.
  void start(std::uint32_t index, Picoseconds at) {
    const Slot& slot = slots_[index];
    OnfiCommand& command = *slot.command;
    const bool program = command.operation == FlashOperation::Program;
    const BusGrant grant =
        owner().occupy(index, at, slot.command_time, program ? slot.data_time : 0, program ? command.bytes : 0);
    note_start(index, command, at, grant);
    run_array(index, grant.end);
  }

  /// A command of the slot's die was granted `grant` at `at`.
  void note_start(std::uint32_t index, OnfiCommand& command, Picoseconds at, const BusGrant& grant) {
    for (OnfiCommand* each = &command; each != nullptr; each = each->together) {
      each->at.granted = grant.begin;
      each->at.loaded = grant.end;
    }
    if (PhaseFeed* const feed = owner().feed_of(slots_[index])) [[unlikely]] {
      feed->flush(at);
      feed->add(command, OnfiPhase::BusGranted, grant.begin);
      feed->add(command, OnfiPhase::EndRequest, grant.end);
    }
  }

  /// The array starts the slot's command. `noted`: observers know of it already.
  void run_array(std::uint32_t index, Picoseconds begin, bool noted = false) {
    Slot& slot = slots_[index];
    slot.command->at.array_begin = begin;
    call_die(index, *slot.command, slot.array_time, noted);
    owner().array_started(index);
  }

  void call_die(std::uint32_t index, OnfiCommand& command, Picoseconds array_time, bool noted = false) {
    const Slot& slot = slots_[index];
    if (!begin_array(to_die[slot.die], command, array_time)) [[unlikely]]
      refuse("a die has another timing");
    if (noted) return;
    if (PhaseFeed* const feed = owner().feed_of(slot)) [[unlikely]]
      feed->add(command, OnfiPhase::BeginResponse, command.at.array_end);
  }

  /// The slot's array works since `since`: awaits its end, or status reads until then.
  void watch_array(std::uint32_t index, Picoseconds since) {
    if (timing_.overlap().poll_interval != 0) [[unlikely]]
      polls_.insert(since + timing_.overlap().poll_interval, index);
    else
      await_data(index, slots_[index].command->at.array_end);
  }

  /// A status read of a command of the slot's die; returns its end, when the array is known to be done. kNever: it works
  /// on, and the next status read is planned.
  Picoseconds read_status(std::uint32_t index, const OnfiCommand& command, Picoseconds at) {
    const Picoseconds end = owner().occupy(index, at, timing_.overlap().status_read, 0, 0).end;
    if (end >= command.at.array_end) return end;
    polls_.insert(end + timing_.overlap().poll_interval, index);
    return kNever;
  }

  /// The slot's array is known to be done at `ready`, which completes a command without data-out.
  void await_data(std::uint32_t index, Picoseconds ready) {
    Slot& slot = slots_[index];
    if (slot.sends_data()) {
      owner().enqueue_data(index, ready);
    } else {
      slot.command->at.complete = slot.command->at.data_begin = ready;
      arrays_.insert(ready, index);
    }
  }

  /// Data-out; returns its end, which completes the page.
  Picoseconds send_data(std::uint32_t index, Picoseconds at) {
    const Slot& slot = slots_[index];
    OnfiCommand& command = *slot.command;
    const BusGrant grant = owner().occupy(index, at, slot.select_time, slot.data_time, command.bytes);
    command.at.data_begin = grant.begin;
    command.at.complete = grant.end;
    if (PhaseFeed* const feed = owner().feed_of(slot)) [[unlikely]] {
      feed->flush(at);
      feed->add(command, OnfiPhase::BeginData, grant.begin);
    }
    return grant.end;
  }

  /// The slot's command, or page, is complete: the die carries it out, and the controller learns of it if `report`. The
  /// slot goes on to the next page read together, or is free.
  void finish(std::uint32_t index, bool report) {
    Slot& slot = slots_[index];
    OnfiCommand& command = *slot.command;
    if (PhaseFeed* const feed = owner().feed_of(slot)) [[unlikely]] {
      feed->add(command, OnfiPhase::EndResponse, command.at.complete);
      feed->flush(command.at.complete);
    }
    end_response(to_die[slot.die], command);
    slot.command = command.together;
    if (slot.command != nullptr) [[unlikely]] {
      slot.data_time = timing_.data_time(slot.command->bytes);
      await_data(index, slot.command->at.array_end);
    }
    owner().finished(index);
    if (report) [[likely]]
      end_response(from_controller[slots_[index].die], command);
  }

  /// Power fails at `at`: commands that complete at `at` are carried out but not reported; all others are dropped.
  void drop_commands(Picoseconds at) {
    Lazy::decide_before(at);
    owner().complete(at, false);
    for (Slot& slot : slots_) static_cast<CommandWork&>(slot) = {};
    for (SortedRing* ring : {&reads_, &arrays_, &polls_}) ring->clear();
    Lazy::cancel_alarm();
  }

  const NandTiming& timing_;
  std::vector<Slot> slots_;
  // Slot indices.
  SortedRing reads_;   // by the end of their array time
  SortedRing arrays_;  // programs and erases, by the end of their array time, a completion
  SortedRing polls_;   // by their next status read

 private:
  /// The controller's end of one binding.
  struct Entry final : OnfiTarget {
    WireArbiter* arbiter = nullptr;
    std::uint32_t die = 0;
    tlm::tlm_sync_enum nb_transport_fw(OnfiCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
      const Picoseconds now = kernel_now();
      if (phase != tlm::BEGIN_REQ || delay != sc_core::SC_ZERO_TIME) [[unlikely]]
        arbiter->refuse("a die takes commands at once");
      arbiter->arrive(die, command, now);
      return tlm::TLM_ACCEPTED;
    }
  };

  void arrive(std::uint32_t die, OnfiCommand& command, Picoseconds now) {
    if (Lazy::decided() != now) Lazy::decide_before(now);  // not for a command that directly follows a completion
    owner().enqueue(die, command, now);
    if (PhaseFeed* const feed = owner().feed_of(slots_[die])) [[unlikely]] {
      if (command.at.granted == kNever) feed->add(command, OnfiPhase::BeginRequest, now);
      feed->flush(now);
    }
    Lazy::set_alarm(now);
  }

  Owner& owner() { return static_cast<Owner&>(*this); }

  std::unique_ptr<Entry[]> entries_;
  DieEnd die_end_;
};

}  // namespace flashloom
