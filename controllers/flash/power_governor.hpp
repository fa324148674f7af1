// The power cap: the flash controllers of all channels ask here before they start a command.
#pragma once

#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "controllers/flash/arbitration.hpp"
#include "controllers/flash/duty_gate.hpp"
#include "controllers/flash/energy_window.hpp"
#include "models/channel/flash_wires.hpp"
#include "models/common/timer_queue.hpp"
#include "models/energy/power_budget.hpp"
#include "models/nand/nand_energy.hpp"
#include "models/nand/nand_timing.hpp"

namespace flashloom {

struct NandConfig;

/// The caps on the arrays of all dies together.
struct PowerCap {
  std::uint32_t dies = 0;  ///< arrays busy at once at most; 0 = any number
  double watts = 0;        ///< mean over every window, standby of all dies included; 0 = any
  double shared = 0;       ///< the same of the arrays and of what books at the PowerBudget together; 0 = any
  Picoseconds window = 0;
  bool set() const { return dies != 0 || watts != 0 || shared != 0; }
  /// Of `shared`, what the arrays may take. The others may take as much, but leave one operation of the arrays its energy
  /// in every window. So neither shuts the other out.
  static constexpr double kShare = 0.75;
  /// What the arrays may draw by themselves; 0 = any.
  double of_arrays() const {
    return shared == 0 ? watts : watts == 0 ? kShare * shared : std::min(watts, kShare * shared);
  }
};

/// The governor's view of a die.
class GovernedDie {
 public:
  /// The command that the die would start now, and its lane; null: none.
  struct Candidate {
    OnfiCommand* command = nullptr;
    std::uint32_t lane = 0;
    bool resumed = false;   ///< it is suspended, and is to resume
    Picoseconds after = 0;  ///< its array does not begin before that of the die's other command has ended
  };
  virtual Candidate candidate() const = 0;
  /// Power is granted: hand the candidate over to the channel now.
  virtual void grant() = 0;

 protected:
  ~GovernedDie() = default;
};

/// Grants commands so that the arrays keep to the cap at every instant. The governor grants a command early enough to
/// use the bus in advance, but late enough that its array cannot begin before the power is free. The duration of the
/// array operation is known then; its begin only once the bus has been granted (the channel is lazy). Until then the
/// governor assumes the worst: the array is busy, its energy is drawn as early as possible and never leaves the window.
/// So the cap is kept exactly; the only loss is the time that a granted command waits for its bus.
///
/// Waiting dies are served by lane, the more urgent first, and in the order of their requests within a lane; the one
/// that has waited longest is passed by no more grants than there are dies. No die overtakes a chosen die that still
/// waits for power. A die decides what it starts when it gets its grant.
///
/// A die may have several commands (NandOverlap), each with a grant. Their arrays work one after the other, or for
/// independent planes in parallel: together they count as one busy array until the last of them ends. When a program or
/// erase is suspended, the energy that it has not drawn yet is given back; to resume it needs a new grant, for the rest
/// and the resumption.
///
/// With PowerCap::shared it is the budget of others, too: what they book, at once and for a time to come, leaves less to the
/// arrays, and they wait where the arrays have been granted it.
///
/// The governor wakes (one timer) only when power becomes free for a waiting die.
class PowerGovernor final : public sc_core::sc_module, public PowerBudget, private Timer {
 public:
  /// Throws std::invalid_argument if some operation alone exceeds the cap (least_watts()).
  PowerGovernor(const sc_core::sc_module_name& name, const PowerCap& cap, const NandConfig& config,
                const NandTiming& timing, std::uint32_t dies);

  /// The energy in J that others book at once at most, of `shared` W in each window.
  static double piece_joules(double shared, Picoseconds window) {
    return (1 - PowerCap::kShare) / 2 * shared * seconds(window);
  }
  /// Lowest cap in watts that allows each operation of the device alone, and the rest of one after any suspension.
  static double least_watts(const NandConfig& config, std::uint32_t dies, Picoseconds window);

  /// Called before the simulation: connects die `die` with its controller and its channel.
  void connect(std::uint32_t die, GovernedDie& governed, Channel channel, FlashWires& wires);

  /// `die` is idle and has something to start.
  void request(std::uint32_t die);
  /// A command has been queued at `die`.
  void joined(std::uint32_t die);
  /// For dies with several commands: the candidate of `die`, or its lane, may have changed.
  void ask(std::uint32_t die);
  /// The array of a granted command of `die` has ended, at command.at.array_end. If not `settled`, the governor serves
  /// no die before the next call for `die`, which follows when its next candidate is known.
  void ended(std::uint32_t die, const OnfiCommand& command, bool settled = true);

  /// Highest mean power of the arrays, standby of their dies included, over any window of the cap that ends by `now`
  /// and after the last forget_most(); at most the cap. 0 without a cap in watts. Operations count with the power that
  /// the governor books, up to a microwatt above the ledger's, and those that a power cut ends count in full.
  double most_watts(Picoseconds now);
  /// Only windows that end after `now` count from now on.
  void forget_most(Picoseconds now);

  bool is_shared() const { return both_.has_value(); }
  Picoseconds longest_piece(std::uint64_t microwatts) const override;
  Picoseconds book(Picoseconds ready, std::uint64_t microwatts, Picoseconds time) override;

  /// From now on commands begin only while `gate` is open; gate_opened() must be called when it opens.
  void begin_behind(DutyGate& gate) { gate_ = &gate; }
  void gate_opened() { serve(); }

  /// Power fails: drops all waiting dies and all grants.
  void power_cut();

 private:
  using Hook = boost::intrusive::list_base_hook<boost::intrusive::tag<struct InLane>>;
  using OrderHook = boost::intrusive::list_base_hook<boost::intrusive::tag<struct InOrder>>;

  /// A command under way.
  struct Grant {
    const OnfiCommand* command = nullptr;
    EnergyWindow::Operation operation;
    Picoseconds admitted = 0;  // its array does not begin earlier
    Picoseconds end = 0;       // of the array, as last known; while `open` and `resumed`: when it was suspended
    bool open = true;          // the begin of its array is not known yet
    bool resumed = false;
  };
  struct Die : Hook, OrderHook {
    GovernedDie* governed = nullptr;
    Channel channel;
    FlashWires* wires = nullptr;
    bool waiting = false;
    std::uint32_t lane = 0;        // of its list
    std::vector<Grant> grants;     // few
    std::uint32_t open = 0;        // number of open grants
    EnergyWindow::Operation held;  // the rest of the suspended operation
  };
  /// The right to one busy array: free from `at` on or, while the end of the arrays of its die is not known, not before
  /// `at`.
  struct Token {
    Picoseconds at = 0;
    std::uint32_t die = 0;
    bool held = false;      // false: `at` is final
    Picoseconds ended = 0;  // the last end of the die's completed arrays
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
  void drop_bookings(Picoseconds now);
  void close(Die& die, Grant& grant);
  void stands(Die& die, const Grant& grant);
  void order_tokens();
  /// The token that a die holds while its arrays may be busy; null: it holds none.
  Token* token_of(const Die& die, Picoseconds now);
  void take_token(Die& die, Picoseconds at, Picoseconds now);
  /// Earliest instant at which a token is free; final if `tokens_.front().held` is false.
  Picoseconds next_token(Picoseconds now);
  std::uint32_t number(const Die& die) const { return static_cast<std::uint32_t>(&die - dies_.data()); }

  const NandTiming& timing_;
  DutyGate* gate_ = nullptr;
  NandEnergy energy_;
  std::vector<Die> dies_;
  std::vector<Lane> lanes_;
  Order order_;
  std::uint32_t passed_ = 0;   // grants since the front of order_ became the front
  std::vector<Token> tokens_;  // heap, earliest first; empty without a cap on dies
  std::optional<EnergyWindow> window_;
  std::optional<EnergyWindow> others_;  // what books at the budget
  std::optional<EnergyWindow> both_;    // arrays and others
  std::optional<EnergyWindow> drawn_;   // only operations whose array has begun
  std::uint64_t standby_ = 0;           // uW
  double piece_ = 0;                    // uW ps of a piece that others book at most
  std::uint64_t others_most_ = 0;       // uW
  std::uint64_t both_most_ = 0;
  Picoseconds width_ = 0;   // of the window
  std::vector<Die*> open_;  // dies with open grants
  TimerQueue timers_;
  Picoseconds armed_ = kNever;
  bool serving_ = false;
};

}  // namespace flashloom
