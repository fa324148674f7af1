#include "controllers/host_interface/host_interface.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "policies/registry.hpp"

namespace flashloom {

struct HostInterface::Queue final : BlockForward {
  Queue(HostInterface& interface, std::uint32_t number)
      : owner(interface), socket(("queue" + std::to_string(number)).c_str()) {
    socket.bind(*this);
  }

  tlm::tlm_sync_enum nb_transport_fw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time&) override {
    return owner.submit(*this, command, phase);
  }
  void b_transport(IoCommand&, sc_core::sc_time&) override {
    SC_REPORT_FATAL("block socket", "blocking transport is not offered: use nb_transport_fw");
  }
  bool get_direct_mem_ptr(IoCommand&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(IoCommand& command) override {
    return owner.firmware_ == nullptr ? 0 : owner.firmware_->debug(command);
  }

  HostInterface& owner;
  BlockTargetSocket socket;
  // Entries of the queue: submitted, not yet fetched; then those that wait to be accepted.
  IoCommand* head = nullptr;
  IoCommand** tail = &head;
  std::uint32_t entries = 0;     // accepted, and the host has not seen their completions yet
  std::deque<Picoseconds> seen;  // when it will see those that are on their way to it, in order
  IoCommand* waiting = nullptr;  // not accepted: the queue was full
  IoCommand** waiting_tail = &waiting;
  // Completions that have reached the host without an interrupt so far.
  IoCommand* reported = nullptr;
  IoCommand** reported_tail = &reported;
  std::uint32_t reports = 0;
  std::uint64_t batch = 0;  // number of these
};

HostInterface::HostInterface(const sc_core::sc_module_name& name, const HostProtocolContext& context, Runtime& runtime,
                             Hardware& hardware)
    : sc_module(name),
      config_(context.interface),
      protocol_(Family<HostProtocol>::make(config_.kind, context)),
      traits_(protocol_->traits()),
      runtime_(runtime),
      hardware_(hardware) {
  for (std::uint32_t queue = 0; queue < context.queues; ++queue)
    queues_.push_back(std::make_unique<Queue>(*this, queue));
}

HostInterface::~HostInterface() = default;

BlockTargetSocket& HostInterface::socket(std::uint32_t queue) { return queues_[queue]->socket; }

void HostInterface::attach(Firmware* firmware) {
  firmware_ = firmware;
  started_ = firmware != nullptr;
  if (firmware_ != nullptr) fetch();
}

void HostInterface::arbitrate(const HostProtocol::Arbitration& arbitration) {
  protocol_->arbitrate(arbitration);
  traits_ = protocol_->traits();
}

void HostInterface::report_at_once() {
  protocol_->report_at_once();
  traits_ = protocol_->traits();
}

tlm::tlm_sync_enum HostInterface::submit(Queue& queue, IoCommand& command, tlm::tlm_phase& phase) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;  // END_RESP: nothing to do
  command.next = nullptr;
  free_entries(queue);
  if (queue.entries == config_.queue_depth) [[unlikely]] {
    if (queue.waiting == nullptr && !queue.seen.empty()) runtime_.spawn([this, &queue] { return accept_later(queue); });
    *queue.waiting_tail = &command;
    queue.waiting_tail = &command.next;
    return tlm::TLM_ACCEPTED;
  }
  accept(queue, command);
  phase = tlm::END_REQ;
  fetch();
  return tlm::TLM_UPDATED;
}

// Frees the entries whose completions the host has seen.
void HostInterface::free_entries(Queue& queue) {
  for (; !queue.seen.empty() && queue.seen.front() <= hardware_.now(); queue.seen.pop_front()) --queue.entries;
}

// Accepts waiting commands as completions reach the host, as long as any are on their way.
Task<void> HostInterface::accept_later(Queue& queue) {
  while (queue.waiting != nullptr && !queue.seen.empty()) {
    co_await hardware_.until(queue.seen.front());
    free_entries(queue);
    accept_waiting(queue);
  }
}

void HostInterface::accept(Queue& queue, IoCommand& command) {
  ++queue.entries;
  ++queued_;
  *queue.tail = &command;
  queue.tail = &command.next;
}

// Without power, commands wait for the mount; before the start of the device they would wait for ever.
void HostInterface::require_started() const {
  if (!started_)
    SC_REPORT_ERROR(
        "/flashloom/ssd",
        (std::string(name()) + ": a command has reached an SSD that was not started (Ssd::start_timed)").c_str());
}

const IoCommand* HostInterface::head(std::uint32_t queue) const { return queues_[queue]->head; }

HostInterface::Queue* HostInterface::next_queue() {
  if (traits_.picks) [[unlikely]] {
    const std::uint32_t picked = protocol_->pick(*this);
    return picked == kNone ? nullptr : queues_[picked].get();
  }
  const auto queues = static_cast<std::uint32_t>(queues_.size());
  for (;;) {
    Queue& queue = *queues_[next_queue_];
    next_queue_ = next_queue_ + 1 == queues ? 0 : next_queue_ + 1;
    if (queue.head != nullptr) return &queue;
  }
}

void HostInterface::fetch() {
  if (firmware_ == nullptr || held_) return require_started();
  while (queued_ != 0 && in_device_ < config_.commands) {
    Queue* const from = next_queue();
    if (from == nullptr) [[unlikely]]
      return;
    Queue& queue = *from;
    --queued_;
    IoCommand& command = *queue.head;
    queue.head = command.next;
    if (queue.head == nullptr) queue.tail = &queue.head;
    command.breakdown.attribute(LatencyPart::Interface, hardware_.now());
    if (in_device_ == serving_.size()) [[unlikely]] {
      serving_.push_back({nullptr, in_device_});
      place_of_.push_back(in_device_);
    }
    command.slot = serving_[in_device_].number;
    serving_[in_device_++].command = &command;
    if (firmware_->is_plain_read(command) && serves_plainly())
      runtime_.begin([this, &command] { begin_read(command); });
    else
      runtime_.spawn([this, &command] { return serve(command); });
  }
}

// Nothing of what serve() does for some devices only has to be done.
bool HostInterface::serves_plainly() const {
  return power_states_ == nullptr && heat_ == nullptr && !traits_.frames && !delays_ && !traits_.held_until_reported;
}

// serve() for a plain read.
void HostInterface::begin_read(IoCommand& command) {
  const Picoseconds fetched = Hardware::end_of(hardware_.from_host(traits_.command_bytes));
  command.breakdown.attribute(LatencyPart::Link, fetched);
  firmware_->begin_plain_read(command, fetched, *this);
}

void HostInterface::read_done(IoCommand& command) {
  const Picoseconds reported = Hardware::end_of(hardware_.to_host(traits_.completion_bytes, command.ready));
  const Picoseconds done = charge_end(command, reported, hardware_.now());
  if (!held_) served(command, done);
}

// The instant from which the device is out of a low-power state; 0: it was in none.
Picoseconds HostInterface::wake(IoCommand& command) {
  const Picoseconds begin = hardware_.now();
  const Picoseconds awake = power_states_->wake(begin);
  command.power_wait = awake == 0 ? 0 : awake - begin;
  return awake;
}

// The instant from which firmware has the command. Firmware begins its work at that time, so that resources are
// reserved in the order of these instants.
Picoseconds HostInterface::pass_pipeline(IoCommand& command, Picoseconds fetched) const {
  const Picoseconds latency = command.operation == IoOperation::Read ? read_latency_
                              : is_write(command.operation)          ? write_latency_
                                                                     : 0;
  if (latency == 0) return fetched;
  const Picoseconds passed = std::max(fetched, hardware_.now()) + latency;
  command.breakdown.attribute(LatencyPart::Controller, passed);
  return passed;
}

// The instant at which the host has the completed command. `reported`: when its completion entry arrives.
Picoseconds HostInterface::charge_end(IoCommand& command, Picoseconds reported, Picoseconds now) {
  const Picoseconds done = std::max(std::max(reported, command.data_done), now);
  // Only time that is not hidden counts: the core's work on the completion entry after the last data have arrived, and
  // the transfer of the entry after that work.
  command.breakdown.attribute(LatencyPart::Link, command.data_done);
  command.breakdown.attribute(LatencyPart::Cpu, command.ready);
  command.breakdown.attribute(LatencyPart::Link, done);
  return done;
}

// Gives the command's slot back.
void HostInterface::retire(IoCommand& command, Picoseconds done) {
  const std::uint32_t place = place_of_[command.slot];
  const Entry last = std::exchange(serving_[--in_device_], {nullptr, command.slot});
  place_of_[command.slot] = in_device_;
  if (place != in_device_) {
    serving_[place] = last;
    place_of_[last.number] = place;
  }
  if (power_states_ != nullptr && in_device_ == 0) [[unlikely]]
    power_states_->rest(done);
}

void HostInterface::rest() {
  if (idle_time_ != kNever && in_device_ == 0) [[unlikely]]
    runtime_.spawn([this, rest = ++rests_] { return background(rest); });
}

Task<void> HostInterface::serve(IoCommand& command) {
  Picoseconds awake = 0;
  if (power_states_ != nullptr) [[unlikely]]
    awake = wake(command);
  if (heat_ != nullptr) [[unlikely]]
    heat_->look(hardware_.now());
  Picoseconds fetched = co_await hardware_.from_host(traits_.command_bytes, awake);
  std::uint32_t completion_bytes = traits_.completion_bytes;
  if (traits_.frames) [[unlikely]] {
    const CommandFrames frames = protocol_->frames(command);
    command.frames = frames.data;
    if (frames.completion != 0) completion_bytes = frames.completion;
    const Picoseconds listed = co_await fetch_lists(command, frames.accepted, fetched);
    fetched = listed;
  }
  command.breakdown.attribute(LatencyPart::Power, awake);
  command.breakdown.attribute(LatencyPart::Link, fetched);
  if (delays_) [[unlikely]]
    fetched = pass_pipeline(command, fetched);
  co_await firmware_->execute(command, fetched);
  const Picoseconds reported = co_await hardware_.to_host(completion_bytes, command.ready);
  const Picoseconds done = charge_end(command, reported, hardware_.now());
  if (held_) [[unlikely]]
    co_return;  // the command fails with all others that are open
  if (traits_.held_until_reported) [[unlikely]] {
    co_await hardware_.until(done);
    if (held_) co_return;
  }
  served(command, done);
}

// Transfers before the device begins a command: acknowledges its receipt, and reads the lists that it refers to.
Task<Picoseconds> HostInterface::fetch_lists(const IoCommand& command, std::uint32_t accepted, Picoseconds fetched) {
  if (accepted != 0) co_await hardware_.to_host(accepted, fetched);
  for (std::uint32_t piece = 0;; ++piece) {
    const std::uint32_t bytes = protocol_->list(command, piece);
    if (bytes == 0) co_return fetched;
    if (protocol_->list_request() != 0) fetched = co_await hardware_.to_host(protocol_->list_request(), fetched);
    fetched = co_await hardware_.from_host(bytes, fetched);
    ++statistics_.lists;
    statistics_.list_bytes += bytes;
  }
}

void HostInterface::served(IoCommand& command, Picoseconds done) {
  if (logic_ != nullptr && command.status == IoStatus::Ok && moves_data(command.operation)) [[unlikely]]
    logic_->done(command.length, hardware_.now());
  retire(command, done);
  if (traits_.aggregate > 1) [[unlikely]]
    report(command);
  else
    complete(command, done - hardware_.now());
  fetch();
  rest();
}

// The completion entry has reached the host, which is interrupted when there are enough of them.
void HostInterface::report(IoCommand& command) {
  Queue& queue = *queues_[command.queue];
  command.next = nullptr;
  *queue.reported_tail = &command;
  queue.reported_tail = &command.next;
  if (++queue.reports == traits_.aggregate)
    interrupt(queue);
  else if (queue.reports == 1)
    runtime_.spawn([this, &queue] { return interrupt_later(queue, queue.batch); });
}

Task<void> HostInterface::interrupt_later(Queue& queue, std::uint64_t batch) {
  co_await hardware_.until(hardware_.now() + traits_.aggregate_time);
  if (queue.batch != batch || held_) co_return;
  ++statistics_.by_time;
  interrupt(queue);
  fetch();  // reported entries are free: commands that waited for them have come into the queue
}

void HostInterface::interrupt(Queue& queue) {
  IoCommand* command = std::exchange(queue.reported, nullptr);
  queue.reported_tail = &queue.reported;
  ++statistics_.interrupts;
  statistics_.reported += std::exchange(queue.reports, 0);
  ++queue.batch;
  while (command != nullptr) {
    IoCommand& next = *command;
    command = next.next;
    next.breakdown.attribute(LatencyPart::Interface, hardware_.now());
    complete(next, 0);
  }
}

// Does background work step by step, until a command comes or nothing is left to do.
Task<void> HostInterface::background(std::uint64_t rest) {
  co_await hardware_.until(hardware_.now() + idle_time_);
  bool more = true;
  while (more && in_device_ == 0 && rests_ == rest) more = co_await firmware_->idle();
}

void HostInterface::work_until(Picoseconds until) {
  if (firmware_ == nullptr || held_ || works_) return;
  works_ = true;
  runtime_.spawn([this, until] { return work(until); });
}

Task<void> HostInterface::work(Picoseconds until) {
  bool more = true;
  while (more && !held_ && hardware_.now() < until) more = co_await firmware_->idle();
  works_ = false;
}

void HostInterface::complete(IoCommand& command, Picoseconds delay_ps) {
  Queue& queue = *queues_[command.queue];
  const bool first = queue.seen.empty();
  const Picoseconds seen = hardware_.now() + delay_ps;
  if (first || queue.seen.back() <= seen) [[likely]]
    queue.seen.push_back(seen);
  else
    queue.seen.insert(std::upper_bound(queue.seen.begin(), queue.seen.end(), seen), seen);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = kernel_time(delay_ps);
  queue.socket->nb_transport_bw(command, phase, delay);
  free_entries(queue);
  accept_waiting(queue);
  if (first && queue.waiting != nullptr && !queue.seen.empty()) [[unlikely]]
    runtime_.spawn([this, &queue] { return accept_later(queue); });
}

void HostInterface::accept_waiting(Queue& queue) {
  while (queue.waiting != nullptr && queue.entries < config_.queue_depth) {
    IoCommand& next = *queue.waiting;
    queue.waiting = next.next;
    if (queue.waiting == nullptr) queue.waiting_tail = &queue.waiting;
    next.next = nullptr;
    accept(queue, next);
    next.breakdown.attribute(LatencyPart::Backlog, hardware_.now());
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    queue.socket->nb_transport_bw(next, phase, delay);
    fetch();
  }
}

void HostInterface::power_cut() {
  firmware_ = nullptr;
  held_ = false;
  works_ = false;
  std::vector<IoCommand*> lost;
  for (std::uint32_t place = 0; place < in_device_; ++place) lost.push_back(serving_[place].command);
  in_device_ = 0;
  queued_ = 0;
  for (const std::unique_ptr<Queue>& each : queues_) {
    Queue& queue = *each;
    for (IoCommand* command = queue.head; command != nullptr; command = command->next) lost.push_back(command);
    for (IoCommand* command = queue.waiting; command != nullptr; command = command->next) lost.push_back(command);
    queue.head = nullptr;
    queue.tail = &queue.head;
    queue.waiting = nullptr;
    queue.waiting_tail = &queue.waiting;
    for (IoCommand* command = queue.reported; command != nullptr; command = command->next) lost.push_back(command);
    queue.reported = nullptr;
    queue.reported_tail = &queue.reported;
    queue.reports = 0;
    ++queue.batch;
    queue.entries = 0;
    queue.seen.clear();
  }
  protocol_->reset();
  for (IoCommand* command : lost) {
    command->status = IoStatus::PowerLost;
    command->breakdown.forget();
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    queues_[command->queue]->socket->nb_transport_bw(*command, phase, delay);
  }
}

}  // namespace flashloom
