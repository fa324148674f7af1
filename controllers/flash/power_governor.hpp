// The power cap: the flash controllers of all channels ask here before they start a command.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "controllers/flash/arbitration.hpp"
#include "controllers/flash/duty_gate.hpp"
#include "controllers/flash/energy_window.hpp"
#include "models/channel/flash_wires.hpp"
#include "models/common/timer_queue.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/nand_energy.hpp"
#include "models/nand/nand_timing.hpp"

namespace flashloom {

/// What the arrays of all dies may draw together. Both may be set; nothing set: no cap.
struct PowerCap {
  std::uint32_t dies = 0;  ///< arrays busy at once at most; 0 = any number
  double watts = 0;        ///< mean over every window, standby of all dies included; 0 = any
  Picoseconds window = 0;
  bool set() const { return dies != 0 || watts != 0; }
};

/// A die that has commands waiting, as the governor sees it.
class GovernedDie {
 public:
  /// What the die would start now, and its lane; no command: nothing any more.
  struct Candidate {
    OnfiCommand* command = nullptr;
    std::uint32_t lane = 0;
    bool resumed = false;   ///< it stands suspended, and is to go on
    Picoseconds after = 0;  ///< its array does not begin before that of the die's other command has ended
  };
  virtual Candidate candidate() const = 0;
  /// The power is there: hand the candidate over to the channel now.
  virtual void grant() = 0;

 protected:
  ~GovernedDie() = default;
};

/// Grants commands so that the arrays keep to the cap at every instant. A grant lets the command go to its channel at
/// such a time that its array cannot begin before the power is there: it may occupy the bus meanwhile. How long the
/// array then takes is known; when it begins, only once the bus has been granted (the channel is lazy). Until the
/// governor knows, it counts on the worst: of the dies, that the array is busy; of the energy, that it is drawn as
/// early as possible and not forgotten. So the cap is kept exactly, and what may be lost is the time that a granted
/// command waits for its bus.
///
/// Dies that wait are served by lane, the more urgent first, and in the order of their requests within a lane; the one
/// that has waited longest is passed by no more grants than there are dies. Nobody overtakes a die that was chosen and
/// for whose power there is no room yet. What a die starts is decided when it is granted.
///
/// A die may have several commands (NandOverlap), and each has a grant. Their arrays work one after the other, or for
/// independent planes beside each other: they share the die's place among the arrays that are busy, which it keeps
/// until the last of them ends. What a suspended program or erase had still to draw is given back from the instant that
/// it stands; to go on it needs a grant again, for what is left and its resumption.
///
/// The governor wakes (one timer) when power becomes free for somebody who waits, and never else.
class PowerGovernor final : public sc_core::sc_module, private Timer {
 public:
  /// Throws std::invalid_argument if some operation alone does not keep to the cap; what() says what it takes.
  PowerGovernor(const sc_core::sc_module_name& name, const PowerCap& cap, const NandConfig& config,
                const NandTiming& timing, std::uint32_t dies);

  /// Lowest watts that allow every operation of the device alone, and what is left of one after any suspension.
  static double least_watts(const NandConfig& config, std::uint32_t dies, Picoseconds window);

  /// Before the simulation: who `die` is, and the channel that it is on.
  void connect(std::uint32_t die, GovernedDie& governed, Channel channel, FlashWires& wires);

  /// `die` is idle and has something to start.
  void request(std::uint32_t die);
  /// A command has joined those that wait at `die`.
  void joined(std::uint32_t die);
  /// Of dies with several commands: what `die` would start may have changed, to something, nothing or another lane.
  void ask(std::uint32_t die);
  /// The array of a command that was granted to `die` has ended, at command.at.array_end. Without `settled` a call for
  /// that die follows, when it knows what comes next: nobody is served before.
  void ended(std::uint32_t die, const OnfiCommand& command, bool settled = true);

  /// Highest mean power of the arrays, standby of their dies included, over any window of the cap that ends by `now`
  /// and after the last forget_most(); at most the cap. 0 without a cap in watts. Operations draw here what the
  /// governor books them for, up to a microwatt above what the ledger has; what a power cut ends goes on as if it had
  /// not come.
  double most_watts(Picoseconds now);
  /// Only windows that end after `now` count from now on.
  void forget_most(Picoseconds now);

  /// From now on commands begin only while `gate` is open; gate_opened() must come when it is.
  void begin_behind(DutyGate& gate) { gate_ = &gate; }
  void gate_opened() { serve(); }

  /// Power fails: nobody waits any more, and no grant is under way.
  void power_cut();

 private:
  using Hook = boost::intrusive::list_base_hook<boost::intrusive::tag<struct InLane>>;
  using OrderHook = boost::intrusive::list_base_hook<boost::intrusive::tag<struct InOrder>>;

  /// A command under way.
  struct Grant {
    const OnfiCommand* command = nullptr;
    EnergyWindow::Operation operation;
    Picoseconds admitted = 0;  // its array does not begin earlier
    Picoseconds end = 0;       // of the array as it was known last; `open`, `resumed`: when it stood
    bool open = true;          // when its array begins is not known yet
    bool resumed = false;
  };
  struct Die : Hook, OrderHook {
    GovernedDie* governed = nullptr;
    Channel channel;
    FlashWires* wires = nullptr;
    bool waiting = false;
    std::uint32_t lane = 0;     // of its list
    std::vector<Grant> grants;  // few
    std::uint32_t open = 0;     // of them
    EnergyWindow::Operation held;  // what is left of the operation that stands suspended
  };
  /// The right to one busy array: free from `at` on, or, while it is not known when the arrays of its die end, not
  /// earlier.
  struct Token {
    Picoseconds at = 0;
    std::uint32_t die = 0;
    bool held = false;      // false: `at` is final
    Picoseconds ended = 0;  // the last end of those of the die that are done
  };
  using Lane = boost::intrusive::list<Die, boost::intrusive::base_hook<Hook>>;
  using Order = boost::intrusive::list<Die, boost::intrusive::base_hook<OrderHook>>;

  void on_timer() override;
  void serve();
  Die& choose();
  static Picoseconds when_known(const Die& die, Picoseconds now);
  void join(Die& die, std::uint32_t lane);
  void leave(Die& die);
  Picoseconds lead(const OnfiCommand& command, bool resumed) const;
  EnergyWindow::Operation operation(const Die& die, const GovernedDie::Candidate& candidate) const;
  void look_at_open(Picoseconds now);
  void look_at(Die& die);
  void advance_drawn(Picoseconds now);
  void close(Die& die, Grant& grant);
  void stands(Die& die, const Grant& grant);
  void order_tokens();
  /// The token of a die whose arrays may still be busy; null: it has none.
  Token* token_of(const Die& die, Picoseconds now);
  void take_token(Die& die, Picoseconds at, Picoseconds now);
  /// When a token is free: earliest instant; final if `tokens_.front().held` is false.
  Picoseconds next_token(Picoseconds now);
  std::uint32_t number(const Die& die) const { return static_cast<std::uint32_t>(&die - dies_.data()); }

  const NandTiming& timing_;
  DutyGate* gate_ = nullptr;
  NandEnergy energy_;
  std::vector<Die> dies_;
  std::vector<Lane> lanes_;
  Order order_;
  std::uint32_t passed_ = 0;   // grants since the first of order_ became the first
  std::vector<Token> tokens_;  // heap, earliest first; empty without a cap on dies
  std::optional<EnergyWindow> window_;
  std::optional<EnergyWindow> drawn_;  // what has begun, and no more
  std::uint64_t standby_ = 0;          // uW
  Picoseconds width_ = 0;              // of the window
  std::vector<Die*> open_;             // dies with open grants
  TimerQueue timers_;
  Picoseconds armed_ = kNever;
  bool serving_ = false;
};

}  // namespace flashloom
