// The flash controller of one channel: a queue for each die.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <systemc>
#include <utility>
#include <vector>

#include "controllers/flash/arbitration.hpp"
#include "controllers/flash/die_history.hpp"
#include "controllers/flash/duty_gate.hpp"
#include "controllers/flash/ecc_engine.hpp"
#include "controllers/flash/flash_counters.hpp"
#include "controllers/flash/flash_observer.hpp"
#include "controllers/flash/page_pipeline.hpp"
#include "controllers/flash/power_governor.hpp"
#include "controllers/flash/queue_places.hpp"
#include "models/common/cache_line.hpp"
#include "models/common/extremes.hpp"
#include "models/common/named_fields.hpp"
#include "models/onfi/onfi_ports.hpp"
#include "policies/parameters.hpp"

namespace flashloom {

/// Where the time of a die went. The shares of [0, now) add up to it exactly: where operations of a die overlap, array
/// time takes precedence over bus time, and simultaneous reads count once.
struct DieActivity {
  Picoseconds idle = 0;  ///< no command, or its command waits for the bus
  Picoseconds read = 0;  ///< in the array
  Picoseconds program = 0;
  Picoseconds erase = 0;
  Picoseconds transfer = 0;  ///< on the bus: command, address and data cycles
};

/// Waits of commands from their submission to the grant of the bus.
struct QueueWait {
  std::uint64_t commands = 0;
  Picoseconds total = 0;
  Highest<Picoseconds> longest;
  Picoseconds power = 0;  ///< of `total`: for power alone

  void add(Picoseconds waited, Picoseconds for_power) {
    ++commands;
    total += waited;
    power += for_power;
    longest.note(waited);
  }
  QueueWait& operator+=(const QueueWait& other);
};

/// Commands that overlapped or interrupted another command of their die (NandOverlap).
struct OverlapCounts {
  std::uint64_t cached_reads = 0;        ///< handed over while another read was under way
  std::uint64_t cached_programs = 0;     ///< the same of programs
  std::uint64_t suspended_programs = 0;  ///< suspensions
  std::uint64_t suspended_erases = 0;
  Picoseconds standing = 0;              ///< time that operations were suspended
  std::uint64_t interrupting_reads = 0;  ///< served during suspensions
  std::uint64_t plane_reads = 0;         ///< handed over while other planes of the die had a read
  std::uint64_t register_reads = 0;      ///< of a page that the page register held

  OverlapCounts& operator+=(const OverlapCounts& other);
  template <class F>
  void report(F&& f) const {
    f(FLASHLOOM_NAMED(cached_reads, cached_programs, suspended_programs, suspended_erases, interrupting_reads,
                      plane_reads, register_reads));
    f("standing_ns", nanoseconds(standing));
  }
};

/// Gives each die one command at a time; the policy of the family "arbitration" chooses it from the die's lanes. A
/// command for an idle die goes to the channel at once. At a completion the controller first sends the die's next
/// command, then tells the submitter. Queueing is O(1) and takes no memory beside the command. A multi-plane read is
/// one command here; a copyback queues as a program.
///
/// A read that has waited while its die read the same page takes the data from the page register, without a sense. An
/// idle die keeps its page only with nand.page_register.
///
/// A die with cache commands gets its next command while the current one is under way, if the arbitration chooses one
/// of the same operation. If the arbitration says so (Arbitration::suspends), a read suspends a program or erase of a
/// die that can do that: at most suspend_limit times an operation. While it is suspended, the die serves further reads
/// for suspend_hold; then the operation resumes.
///
/// A die whose plane groups read independently (nand.independent_planes) gets, beside a read, reads of other plane
/// groups: the one that the arbitration chooses or, if its planes are busy, the next one in the arbitration's order. No
/// read passes an older read of its lane and planes, nor a command whose turn has come and that needs the whole die.
class FlashController final : public sc_core::sc_module {
 public:
  /// Throws UnknownPart for an arbitration that does not exist. All controllers of the device share `counters`,
  /// `places` (bounds the queues; null: no limit), `governor` (grants power for each command; null: no power cap) and
  /// `gate` (commands start only while it is open; null: always).
  FlashController(const sc_core::sc_module_name& name, Channel channel, const NandGeometry& geometry,
                  const NandTiming& timing, const PolicyChoice& arbitration, FlashCounters& counters,
                  QueuePlaces* places = nullptr, PowerGovernor* governor = nullptr, DutyGate* gate = nullptr);

  sc_core::sc_vector<OnfiInitiatorSocket> to_channel;  ///< one a die, by position on the channel

  /// Needed with a governor only: the wires that connect the dies.
  void connect(FlashWires& wires);

  /// Takes a command for the die at `position`; `switch_wait`: how long the channel switch has delayed it.
  void submit(std::uint32_t position, OnfiCommand& command, Picoseconds switch_wait = 0);

  /// The gate has opened: dies that waited for it begin. Not called with a governor, which waits for the gate itself.
  void gate_opened();

  /// Power fails at `at`: drops all commands. Called after the channel's power_cut().
  void power_cut(Picoseconds at);

  /// From now on `observer` is told of completions.
  void attach(FlashObserver& observer) { observer_ = &observer; }

  /// From now on `ecc` decodes reads.
  void correct_by(EccEngine& ecc) { ecc_ = &ecc; }

  /// From now on page data pass through `pipeline`.
  void send_through(PagePipeline& pipeline) { pipeline_ = &pipeline; }

  /// Commands that are not complete.
  std::uint32_t pending() const { return pending_; }
  /// Most commands that were ever queued or under way at one die; a multi-plane read counts as one.
  std::uint32_t longest_queue() const { return longest_queue_; }
  /// Commands queued or under way at a die now.
  std::uint32_t queued(std::uint32_t position) const { return dies_[position].entries; }
  const DieHistory& history(std::uint32_t position) const { return dies_[position].history; }
  /// Time in [0, now) of a die; the channel must be settled until `now`.
  DieActivity activity(std::uint32_t position, Picoseconds now) const;
  const OverlapCounts& overlap_counts() const { return overlap_counts_; }
  /// Of completed commands.
  const QueueWait& queue_wait(FlashOperation operation, Origin origin) const {
    return waits_[static_cast<std::size_t>(operation)][static_cast<std::size_t>(origin)];
  }

 private:
  /// One die as the controller sees it; the channel's end of its binding.
  struct DieState final : OnfiInitiator, GovernedDie {
    FlashController* controller = nullptr;
    std::uint32_t position = 0;
    std::uint32_t entries = 0;                  // queued or under way; a group is one
    std::uint32_t waiting = 0;                  // bit i: lane i holds something
    OnfiCommand* current = nullptr;             // of a multi-plane read: its next page to complete
    OnfiCommand* then = nullptr;                // copyback: the program that follows `current`
    OnfiCommand* behind = nullptr;              // a cache command that follows `current`
    OnfiCommand* intruder = nullptr;            // a read that is to interrupt `current`
    OnfiCommand* held = nullptr;                // suspended while `current` is served
    std::uint32_t suspensions = 0;              // of `current`, or `held`
    Picoseconds booked_until = 0;               // where operations overlap: end of the time counted in `activity`
    std::optional<FlashAddress> page_register;  // the page read last; the die has done nothing else since
    bool data_only = false;                     // `current` is not the first page of its multi-plane read
    std::array<ArbitrationLane, kLanes> lanes;
    std::array<OnfiCommand*, kLanes> last{};  // of each lane that holds something
    Picoseconds idle_since = 0;               // with a governor: last completion, or grant of an overlapped command
    DieHistory history;
    DieActivity activity;  // of completed commands, or until `booked_until`; idle unused
    std::uint32_t number() const { return controller->geometry_.die_at(controller->channel_, position).value(); }
    Candidate candidate() const override;
    void grant() override;
    tlm::tlm_sync_enum nb_transport_bw(OnfiCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  };

  std::uint32_t lane_of(const OnfiCommand& command) const {
    // A copyback queues as a program.
    const FlashOperation operation = command.then == nullptr ? command.operation : FlashOperation::Program;
    const std::uint32_t lane = lane_of_[static_cast<std::size_t>(operation)][static_cast<std::size_t>(command.origin)];
    if (flow_lanes_ != 1 && operation == FlashOperation::Read && command.origin == Origin::Host) [[unlikely]]
      return lane + command.flow % flow_lanes_;
    return lane;
  }
  [[noreturn, gnu::cold]] void refuse_phase() const;
  void push(DieState& die, OnfiCommand& command);
  /// The first command of a lane, or the one behind `before`.
  OnfiCommand& pop(DieState& die, std::uint32_t lane, OnfiCommand* before = nullptr);
  std::uint32_t choose(const DieState& die) const { return choose(die, die.waiting); }
  /// Chooses among `lanes`, which are not empty.
  std::uint32_t choose(const DieState& die, std::uint32_t lanes) const;
  void start(DieState& die, OnfiCommand& command);
  void start_next(DieState& die);
  /// The gate is closed: no command may begin before gate_opened().
  bool shut();
  void complete(DieState& die, OnfiCommand& command);
  void end_group(DieState& die, const OnfiCommand& command);
  // flash_controller_overlap.cpp: dies whose operations overlap.
  /// What a die may be handed next: the first command of a lane, or the one behind `before`.
  struct Next {
    enum class Kind : std::uint8_t { Nothing, Then, First, Behind, Intruder, Beside, Resumed } kind = Kind::Nothing;
    std::uint32_t lane = 0;
    OnfiCommand* before = nullptr;
    explicit operator bool() const { return kind != Kind::Nothing; }
  };
  bool overtakes(DieState& die, const OnfiCommand& command);
  void send_more(DieState& die);
  Next second(const DieState& die) const;
  Next next(const DieState& die) const;
  GovernedDie::Candidate candidate(const DieState& die) const;
  void hand_over(DieState& die, const Next& next);
  void resume(DieState& die);
  void go_on(DieState& die);
  // flash_controller_planes.cpp: dies whose plane groups read independently.
  struct PlaneRead {
    OnfiCommand* command = nullptr;
    bool data_only = false;
  };
  static constexpr std::size_t kMostCommands = 32;  // under way at a die: reads of 16 planes, and four of other kinds
  std::span<PlaneRead> beside(const DieState& die);
  std::span<const PlaneRead> beside(const DieState& die) const;
  bool reads_beside(const DieState& die, const OnfiCommand& command) const;
  std::pair<std::uint32_t, std::uint32_t> groups_taken_and_wanted(const DieState& die) const;
  void count_waiting(const DieState& die, const OnfiCommand& command, std::uint32_t step);
  Next next_read(const DieState& die, const OnfiCommand* suspended) const;
  Next plane_read(const DieState& die) const;
  void put_beside(DieState& die, OnfiCommand& read);
  static bool is_single_read(const OnfiCommand& command);
  bool in_register(const DieState& die, const OnfiCommand& command) const;
  bool is_alone(const DieState& die, const OnfiCommand& command) const;
  [[gnu::noinline]] void keep_page(DieState& die, const OnfiCommand& command);
  [[gnu::noinline]] void use_register(DieState& die, OnfiCommand& command);
  bool bring_forward(DieState& die, const OnfiCommand* command);
  void send(DieState& die, OnfiCommand& command);
  DieActivity under_way(const DieState& die, Picoseconds now) const;
  DieActivity overlapping(const DieState& die, Picoseconds now) const;

  const NandGeometry& geometry_;
  const NandTiming& timing_;
  FlashCounters& counters_;
  QueuePlaces* places_;
  PowerGovernor* governor_;
  DutyGate* gate_;
  bool direct_;  // neither governor nor gate: a command for an idle die begins at once
  Channel channel_;
  std::unique_ptr<DieState[]> dies_;
  std::unique_ptr<Arbitration> arbitration_;
  std::array<std::array<std::uint8_t, kOrigins>, kFlashOperations> lane_of_{};
  bool overlap_ = false;    // a die may have several commands
  bool registers_ = false;  // an idle die keeps the page read last
  // With independent plane groups, by die: reads under way beside `current`, and by group the number of waiting reads.
  std::vector<PlaneRead> beside_;
  std::vector<std::uint32_t> waiting_reads_;
  OverlapCounts overlap_counts_;
  bool orders_bus_ = false;
  bool counts_service_ = false;
  std::uint32_t flow_lanes_ = 1;
  std::uint32_t pending_ = 0;
  FlashObserver* observer_ = nullptr;
  EccEngine* ecc_ = nullptr;
  PagePipeline* pipeline_ = nullptr;
  std::uint32_t longest_queue_ = 0;
  std::array<std::array<QueueWait, kOrigins>, kFlashOperations> waits_{};
};

// Every command passes through these functions; they stand in the header so that the compiler can inline them.

inline std::uint32_t FlashController::choose(const DieState& die, std::uint32_t lanes) const {
  if ((lanes & (lanes - 1)) == 0) return static_cast<std::uint32_t>(std::countr_zero(lanes));
  return arbitration_->choose({die.position, kernel_now(), lanes, die.lanes.data()});
}

inline OnfiCommand& FlashController::pop(DieState& die, std::uint32_t lane, OnfiCommand* before) {
  OnfiCommand& command = before == nullptr ? *die.lanes[lane].first : *before->next;
  if (before != nullptr) [[unlikely]] {
    before->next = std::exchange(command.next, nullptr);
    if (before->next == nullptr) die.last[lane] = before;
    ++die.lanes[lane].passed;
  } else {
    die.lanes[lane] = {std::exchange(command.next, nullptr), 0};
    if (die.lanes[lane].first == nullptr)
      die.waiting &= ~(1U << lane);
    else
      prefetch_lines(die.lanes[lane].first, sizeof(OnfiCommand));
  }
  if (!waiting_reads_.empty()) [[unlikely]]
    count_waiting(die, command, ~std::uint32_t{0});
  for (std::uint32_t others = die.waiting & ~(1U << lane); others != 0; others &= others - 1)
    ++die.lanes[static_cast<std::size_t>(std::countr_zero(others))].passed;
  return command;
}

inline void FlashController::send(DieState& die, OnfiCommand& command) {
  command.in_register = false;
  if (die.page_register) [[unlikely]]
    use_register(die, command);
  if (orders_bus_) command.urgency = static_cast<std::uint8_t>(lane_of(command));
  if (counts_service_) [[unlikely]]
    arbitration_->started(die.position, command);
  const Picoseconds now = kernel_now();
  for (OnfiCommand* each = &command; each != nullptr; each = each->together) each->at.issued = now;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  to_channel[die.position]->nb_transport_fw(command, phase, delay);
  command.completion->foresee();
}

inline void FlashController::start(DieState& die, OnfiCommand& command) {
  die.current = &command;
  die.data_only = false;
  if (command.then != nullptr) die.then = command.then;
  send(die, command);
}

inline void FlashController::start_next(DieState& die) {
  if (die.waiting == 0) return;
  if (!direct_) [[unlikely]] {
    if (governor_ != nullptr) return governor_->request(die.number());
    if (shut()) return;
  }
  start(die, pop(die, choose(die)));
}

}  // namespace flashloom
