#include "sc_main/attach/linux/calendar.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace flashloom {
namespace {

// Operations.
constexpr std::uint32_t kAck = 0;
constexpr std::uint32_t kStart = 1;
constexpr std::uint32_t kWait = 3;
constexpr std::uint32_t kRun = 6;
constexpr std::uint32_t kGetTimeOfDay = 8;

constexpr std::uint32_t kSharedVersion = 2;
constexpr std::uint32_t kTimeShare = 1;   // capability: times go through the shared memory
constexpr std::uint32_t kWantsToRun = 1;  // flag
constexpr std::uint16_t kSimulation = 0;  // numbers of clients
constexpr std::uint16_t kGuest = 1;
constexpr std::size_t kClients = 2;

}  // namespace

struct Calendar::Message {
  std::uint32_t operation;
  std::uint32_t sequence;
  std::uint64_t time;
};

struct Calendar::Shared {
  struct Client {
    volatile std::uint32_t capabilities;
    volatile std::uint32_t flags;
    volatile std::uint64_t wanted;
    std::uint64_t name;
    std::array<char, 104> reserved;
  };
  std::uint32_t version;
  std::uint32_t bytes;
  volatile std::uint64_t free_until;
  volatile std::uint64_t now;
  volatile std::uint16_t running;
  std::uint16_t clients_at_most;
  std::array<char, 4096 - 28> reserved;
  std::array<Client, kClients> clients;
};

Calendar::Calendar(const std::string& path, std::uint64_t time_of_day, std::uint64_t now)
    : listener_(listen_at(path)),
      memory_(::memfd_create("calendar", MFD_CLOEXEC)),
      log_(::open("/dev/null", O_WRONLY | O_CLOEXEC)),
      time_of_day_(time_of_day + now),
      begin_(now) {
  static_assert(sizeof(Shared::Client) == 128 && sizeof(Shared) == 4096 + kClients * 128);
  if (!memory_ || !log_ || ::ftruncate(memory_.number(), sizeof(Shared)) != 0)
    throw std::system_error(errno, std::generic_category(), "shared memory of the calendar");
  void* const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, memory_.number(), 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "shared memory of the calendar");
  shared_ = static_cast<Shared*>(memory);
  shared_->version = kSharedVersion;
  shared_->bytes = sizeof(Shared);
  shared_->free_until = kForever;
  shared_->now = now;
  shared_->running = kGuest;
  shared_->clients_at_most = kClients;
  shared_->clients[kSimulation].capabilities = kTimeShare;
}

Calendar::~Calendar() { ::munmap(shared_, sizeof(Shared)); }

std::uint64_t Calendar::now() const { return shared_->now; }

std::uint64_t Calendar::wanted() const {
  const Shared::Client& guest = shared_->clients[kGuest];
  return (guest.flags & kWantsToRun) != 0 ? guest.wanted : kForever;
}

void Calendar::allow_until(std::uint64_t until) { shared_->free_until = until; }

void Calendar::set_now(std::uint64_t now) { shared_->now = now; }

void Calendar::answer(const Message& message, std::uint64_t time) {
  const Message ack{kAck, message.sequence, time};
  write_whole(guest_.number(), &ack, sizeof ack);
}

// Answers the first message with the shared memory, and the guest's number in it.
void Calendar::begin(const Message& start) {
  const Message ack{kAck, start.sequence, kGuest};
  const std::array<int, 2> descriptors = {memory_.number(), log_.number()};
  write_whole(guest_.number(), &ack, sizeof ack, descriptors);
}

Calendar::Event Calendar::receive() {
  Message message{};
  if (!read_whole(guest_.number(), &message, sizeof message)) return Event::Gone;
  switch (message.operation) {
    case kStart:
      begin(message);
      return Event::Nothing;
    case kGetTimeOfDay:
      answer(message, time_of_day_);
      return Event::Nothing;
    case kWait:
      shared_->running = kSimulation;
      return Event::Waits;
    default:
      throw std::runtime_error("the guest's kernel does not share its calendar's memory (message " +
                               std::to_string(message.operation) + "): it must be Linux 6.12 or newer");
  }
}

void Calendar::run(std::uint64_t now, std::uint64_t until) {
  shared_->now = now;
  shared_->free_until = until;
  shared_->running = kGuest;
  const Message message{kRun, ++sequence_, now - begin_};
  write_whole(guest_.number(), &message, sizeof message);
}

}  // namespace flashloom
