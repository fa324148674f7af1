#include "sc_main/attach/linux/guest_machine.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "sc_main/attach/linux/wall_clock.hpp"

namespace flashloom {
namespace {

constexpr Picoseconds kGuestTick = 1000;  // ps; a guest's time is in nanoseconds
// The end of simulated time for guests, in nanoseconds: an hour before 2^64 ps, so that sums of times fit.
constexpr std::uint64_t kLastTime = (kNever - 3600 * kSecond) / kGuestTick;
// While the guest leaves input unread it is told of it no more often than this, in ns of wall time.
constexpr std::int64_t kInputSpacing = 2'000'000;
constexpr std::int64_t kLongestWait = 3600'000'000'000;  // ns of wall time

[[noreturn]] void fail_at_the_end_of_time() {
  throw GuestFailure("the guest sleeps beyond the 213 days that simulated time can count (2^64 ps)");
}

// Converts simulated time to the guest's, rounded up.
std::uint64_t guest_time(Picoseconds time) { return (time + kGuestTick - 1) / kGuestTick; }

// Passes all available data to `take`; closes a pipe at its end.
template <class Take>
void read_pipe(FileDescriptor& pipe, Take&& take) {
  std::array<char, 4096> part;
  while (pipe) {
    const ssize_t n = ::read(pipe.number(), part.data(), part.size());
    if (n == 0) pipe.close();
    if (n <= 0) return;
    take(std::string_view(part.data(), static_cast<std::size_t>(n)));
  }
}

}  // namespace

GuestMachine::GuestMachine(std::vector<PciSlot*> slots, double watchdog_s)
    : slots_(std::move(slots)), watchdog_s_(watchdog_s) {
  for (PciSlot* const slot : slots_)
    slot->on_interrupt([this] {
      if (turn_ == Turn::Simulation) notify_at(guest_time(kernel_now()) * kGuestTick);
    });
}

GuestMachine::~GuestMachine() = default;

void GuestMachine::start(Calendar& calendar, GuestProcess& process, FileDescriptor reports, FileDescriptor output) {
  calendar_ = &calendar;
  process_ = &process;
  reports_ = std::move(reports);
  output_ = std::move(output);
  for (const FileDescriptor* const pipe : {&reports_, &output_}) ::fcntl(pipe->number(), F_SETFL, O_NONBLOCK);
  turn_ = Turn::Guest;
  stopped_ = false;
  notify_at(kernel_now());
}

void GuestMachine::stop() {
  if (turn_ == Turn::Ended) return;
  stopped_ = true;
  end();
}

void GuestMachine::end() {
  process_->kill();
  take_output();
  take_reports();
  turn_ = Turn::Ended;
  kick_.reset();
  if (on_end_) on_end_();
}

void GuestMachine::wake() {
  if (turn_ == Turn::Ended) return;
  // Runs after all other events of this instant, so that the guest sees their results.
  if (!TimeLoop::instance().quiet()) return notify_at(kernel_now());
  try {
    step();
  } catch (...) {
    failure_ = std::current_exception();
    end();
  }
}

void GuestMachine::step() {
  for (;;) {
    if (stop_asked_ && stop_asked_()) return stop();
    if (turn_ == Turn::Ended || !(turn_ == Turn::Guest ? guests_turn() : simulations_turn())) return;
  }
}

// The guest runs. False: the simulation goes on now.
bool GuestMachine::guests_turn() {
  if (kick_) return serve_kick();
  switch (listen()) {
    case Heard::Nothing:
      return true;
    case Heard::Kick:
      ++statistics_.kicks;
      kick_->at = std::max(kernel_now(), calendar_->now() * kGuestTick);
      return true;
    case Heard::Waits:
      turn_ = Turn::Simulation;
      called_ = false;
      return true;
    case Heard::Gone:
      end();
      return false;
  }
  return false;
}

// Carries out a notification at the guest's time, and answers it after all its immediate consequences in the
// simulation.
bool GuestMachine::serve_kick() {
  if (kernel_now() < kick_->at) {
    notify_at(kick_->at);
    return false;
  }
  if (!std::exchange(kick_->served, true)) {
    kick_->slot->serve();
    notify_at(kernel_now());
    return false;
  }
  calendar_->allow_until(free_until());
  kick_->slot->connection().answer_kick();
  kick_.reset();
  return true;
}

// The simulation runs. True: it is the guest's turn again.
bool GuestMachine::simulations_turn() {
  const std::uint64_t now = guest_time(kernel_now());
  if (interrupts() && !called_) {
    if (now * kGuestTick != kernel_now()) {
      notify_at(now * kGuestTick);
      return false;
    }
    call_guest();
    if (turn_ == Turn::Ended) return false;
  }
  if (tell_at_ <= kernel_now()) {
    tell_at_ = std::max(tell_at_, allowed_);
    if (tell_at_ <= kernel_now() && !tell_of_input()) return false;
  }
  const std::uint64_t wanted = calendar_->wanted();
  if (wanted <= kernel_now() / kGuestTick) {
    ++statistics_.turns;
    turn_ = Turn::Guest;
    calendar_->run(now, free_until());
    return true;
  }
  const Picoseconds drives = TimeLoop::instance().next();
  const Picoseconds mine = std::min(tell_at_, wanted < kLastTime ? wanted * kGuestTick : kNever);
  const Picoseconds next = std::min(drives, mine);
  if (input_ >= 0) {
    const Picoseconds horizon = pace_.horizon(kernel_now(), wall_now());
    if (horizon >= kLastTime * kGuestTick) fail_at_the_end_of_time();
    if (next > horizon) return wait_at_terminal(next);
    notify_at(std::min(mine, horizon));
    return false;
  }
  if (next == kNever && wanted == Calendar::kForever)
    throw GuestFailure("the guest sleeps for ever, and no drive has anything left to do");
  if (next >= kLastTime * kGuestTick) fail_at_the_end_of_time();
  notify_at(mine != kNever ? mine : drives);
  return false;
}

// Lets wall time pass until simulated time may reach `next`, or input comes.
bool GuestMachine::wait_at_terminal(Picoseconds next) {
  const std::int64_t begin = wall_now();
  const Picoseconds horizon = pace_.horizon(kernel_now(), begin);
  if (next <= horizon) return true;
  std::int64_t wait = std::min(kLongestWait, static_cast<std::int64_t>((next - horizon) / kGuestTick) + 1);
  const bool spaced = begin >= told_ + kInputSpacing;
  const bool listens = spaced && tell_at_ == kNever;
  if (!spaced) wait = std::min(wait, told_ + kInputSpacing - begin);
  std::array<pollfd, 2> waits{{{listens ? input_ : -1, POLLIN, 0}, {process_->descriptor(), POLLIN, 0}}};
  const timespec time{static_cast<time_t>(wait / 1'000'000'000), static_cast<long>(wait % 1'000'000'000)};
  if (::ppoll(waits.data(), waits.size(), &time, nullptr) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
    return true;  // a signal
  }
  if (waits[1].revents != 0) {
    end();
    return false;
  }
  if (waits[0].revents == 0) return true;
  const Picoseconds reached = pace_.horizon(kernel_now(), wall_now()) - TerminalPace::kLead;
  tell_at_ = guest_time(std::max({kernel_now(), reached, allowed_})) * kGuestTick;
  return true;
}

// The guest's calendar has no interrupt for console input: the guest reads input only when it runs for another reason.
// So a drive sends it an empty interrupt. False: the guest has ended.
bool GuestMachine::tell_of_input() {
  tell_at_ = kNever;
  told_ = wall_now();
  calendar_->set_now(guest_time(kernel_now()));
  slots_.front()->call();
  if (!slots_.front()->connection().answered()) end();
  return turn_ != Turn::Ended;
}

// Whether a drive has an interrupt for the guest.
bool GuestMachine::interrupts() const {
  return std::any_of(slots_.begin(), slots_.end(), [](const PciSlot* slot) { return slot->interrupts(); });
}

void GuestMachine::call_guest() {
  called_ = true;
  ++statistics_.interrupts;
  calendar_->set_now(guest_time(kernel_now()));
  for (PciSlot* const slot : slots_) {
    if (!slot->interrupts()) continue;
    slot->call();
    if (!slot->connection().answered()) return end();
  }
}

// The time of the simulation's next event, before which the guest may advance its time by itself.
std::uint64_t GuestMachine::free_until() {
  if (interrupts() || tell_at_ != kNever) {
    allowed_ = guest_time(kernel_now()) * kGuestTick;
  } else {
    allowed_ = std::min(TimeLoop::instance().next(), kLastTime * kGuestTick);
    if (input_ >= 0) allowed_ = std::min(allowed_, std::max(kernel_now(), pace_.horizon(kernel_now(), wall_now())));
  }
  return guest_time(allowed_);
}

// Waits for the guest's next message.
GuestMachine::Heard GuestMachine::listen() {
  std::array<pollfd, 16> waits{};
  std::size_t count = 0;
  waits[count++] = {calendar_->connected() ? calendar_->socket() : calendar_->listener().number(), POLLIN, 0};
  for (PciSlot* const slot : slots_) {
    VhostUser& connection = slot->connection();
    waits[count++] = {connection.connected() ? connection.socket() : connection.listener().number(), POLLIN, 0};
  }
  for (const FileDescriptor* const pipe : {&reports_, &output_})
    if (*pipe) waits[count++] = {pipe->number(), POLLIN, 0};
  waits[count++] = {process_->descriptor(), POLLIN, 0};
  const std::uint64_t before = calendar_->now();
  const int ready = ::poll(waits.data(), count, static_cast<int>(watchdog_s_ * 1000));
  if (ready < 0 && errno == EINTR) return Heard::Nothing;
  if (ready < 0) throw std::system_error(errno, std::generic_category(), "poll");
  if (ready == 0 && calendar_->now() == before)
    throw GuestFailure("the guest has run for " + std::to_string(static_cast<int>(watchdog_s_)) +
                       " s of wall time in which no simulated time passed: a process in it computes without system " +
                       "calls, which takes none, or --busy-call is 0 (--watchdog sets the wall time)");
  for (std::size_t i = 0; i < count; ++i)
    if (waits[i].revents != 0)
      if (const Heard heard = listen_to(waits[i].fd); heard != Heard::Nothing) return heard;
  return Heard::Nothing;
}

GuestMachine::Heard GuestMachine::listen_to(int descriptor) {
  if (descriptor == calendar_->listener().number()) {
    calendar_->accept();
    return Heard::Nothing;
  }
  if (descriptor == calendar_->socket()) {
    switch (calendar_->receive()) {
      case Calendar::Event::Nothing:
        return Heard::Nothing;
      case Calendar::Event::Waits:
        return Heard::Waits;
      case Calendar::Event::Gone:
        return Heard::Gone;
    }
  }
  if (descriptor == process_->descriptor()) return Heard::Gone;
  if (descriptor == reports_.number()) {
    take_reports();
    return Heard::Nothing;
  }
  if (descriptor == output_.number()) {
    take_output();
    return Heard::Nothing;
  }
  for (PciSlot* const slot : slots_) {
    VhostUser& connection = slot->connection();
    if (descriptor == connection.listener().number()) {
      if (!calendar_->connected())
        throw GuestFailure(
            "the guest's kernel runs in wall time: it needs CONFIG_UML_TIME_TRAVEL_SUPPORT, as those of "
            "tools/linux-kernel/build have it");
      connection.accept();
    } else if (descriptor == connection.socket()) {
      switch (connection.receive()) {
        case VhostUser::Event::Nothing:
          return Heard::Nothing;
        case VhostUser::Event::Gone:
          return Heard::Gone;
        case VhostUser::Event::Kick:
          kick_ = Kick{slot, 0};
          return Heard::Kick;
      }
    }
  }
  return Heard::Nothing;
}

void GuestMachine::take_reports() {
  read_pipe(reports_, [this](std::string_view part) {
    for (const char c : part) {
      if (c != '\n') {
        report_ += c;
        continue;
      }
      if (on_report_) on_report_(report_);
      report_.clear();
    }
  });
}

void GuestMachine::take_output() {
  read_pipe(output_, [this](std::string_view part) {
    if (on_output_) on_output_(part);
  });
}

}  // namespace flashloom
