// A Linux machine whose time belongs to the simulation. Guest and simulation take turns in one thread: while the guest
// runs the simulation stands, and the other way round (ADR 33).
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/time_loop.hpp"
#include "sc_main/attach/linux/calendar.hpp"
#include "sc_main/attach/linux/guest_process.hpp"
#include "sc_main/attach/linux/pci_slot.hpp"
#include "sc_main/attach/linux/terminal_pace.hpp"

namespace flashloom {

/// The guest has failed: it spins without waiting, or its kernel panicked. See what().
class GuestFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class GuestMachine : private TimedProcess {
 public:
  struct Statistics {
    std::uint64_t turns = 0;       ///< number of the guest's turns
    std::uint64_t kicks = 0;       ///< notifications from the guest, each of one or more accesses to devices
    std::uint64_t interrupts = 0;  ///< notifications to the guest
  };
  /// `slots`: in the guest's order. `watchdog_s`: longest wall time for which a guest may run without
  /// a message, while its time stands.
  GuestMachine(std::vector<PciSlot*> slots, double watchdog_s);
  ~GuestMachine() override;

  /// Starts with a running guest process, for which the slots listen. `reports`: its descriptor 3; `output`: its
  /// script's output. Calendar and process outlive the guest.
  void start(Calendar& calendar, GuestProcess& process, FileDescriptor reports, FileDescriptor output);
  /// Called when the guest has ended, or failure() is set.
  void on_end(std::function<void()> handler) { on_end_ = std::move(handler); }
  /// Called with each line that the guest reports, and with its script's output.
  void on_report(std::function<void(std::string_view)> handler) { on_report_ = std::move(handler); }
  void on_output(std::function<void(std::string_view)> handler) { on_output_ = std::move(handler); }
  /// Polled regularly: true stops the machine as stop() does.
  void stop_when(std::function<bool()> asked) { stop_asked_ = std::move(asked); }
  /// The guest's console reads this descriptor itself. While the guest sleeps, simulated time then follows wall time.
  void expect_input(int descriptor) { input_ = descriptor; }
  /// Kills the guest, as if its plug was pulled.
  void stop();
  bool ended() const { return turn_ == Turn::Ended; }
  bool stopped() const { return stopped_; }
  const std::exception_ptr& failure() const { return failure_; }
  const Statistics& statistics() const { return statistics_; }

 private:
  enum class Turn { Guest, Simulation, Ended };
  struct Kick {
    PciSlot* slot;
    Picoseconds at;  // the guest's time
    bool served = false;
  };
  enum class Heard { Nothing, Waits, Kick, Gone };

  void wake() override;
  void step();
  bool guests_turn();
  bool simulations_turn();
  bool serve_kick();
  Heard listen();
  Heard listen_to(int descriptor);
  void take_reports();
  void take_output();
  bool interrupts() const;
  void call_guest();
  bool wait_at_terminal(Picoseconds next);
  bool tell_of_input();
  std::uint64_t free_until();
  void end();

  Calendar* calendar_ = nullptr;
  std::vector<PciSlot*> slots_;
  double watchdog_s_;
  GuestProcess* process_ = nullptr;
  FileDescriptor reports_;
  FileDescriptor output_;
  std::string report_;  // incomplete line
  Turn turn_ = Turn::Ended;
  bool called_ = false;  // the guest was notified since it waits
  int input_ = -1;
  Picoseconds allowed_ = 0;       // the running guest may have advanced its time to this: it takes no earlier interrupt
  Picoseconds tell_at_ = kNever;  // when the guest is to be told of input
  std::int64_t told_ = 0;         // wall time when it was last told
  TerminalPace pace_;
  bool stopped_ = false;
  std::optional<Kick> kick_;
  std::exception_ptr failure_;
  std::function<void()> on_end_;
  std::function<void(std::string_view)> on_report_;
  std::function<void(std::string_view)> on_output_;
  std::function<bool()> stop_asked_;
  Statistics statistics_;
};

}  // namespace flashloom
