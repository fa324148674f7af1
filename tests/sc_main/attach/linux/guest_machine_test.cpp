// The bridge between a simulation and a guest. The guest is a process of the test that speaks User-Mode Linux's
// protocols word by word; the device raises an interrupt some time after a write.
#include "sc_main/attach/linux/guest_machine.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "models/common/timer_queue.hpp"

namespace flashloom::guest_machine_test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMemory = 1 << 20;       // bytes of the guest
constexpr std::uint64_t kMemoryBegin = 1 << 24;  // guest-physical
constexpr std::uint64_t kUserBegin = 0x6000'0000 + kMemoryBegin;
constexpr std::uint64_t kForever = 0x7fff'ffff'ffff'ffff;
constexpr std::uint64_t kLastTime = (kNever - 3600 * kSecond) / 1000;  // an hour before 2^64 ps
constexpr Picoseconds kWork = 10'000'500;                              // of the device: not a whole nanosecond

/// The guest. It ends its process with an exit code that says where it failed.
class TestGuest {
 public:
  explicit TestGuest(const std::string& folder) {
    time_ = connect_to(folder + "/time");
    drive_ = connect_to(folder + "/drive0");
    file_ = ::memfd_create("guest", 0);
    require(::ftruncate(file_, kMemory) == 0, 10);
    memory_ = static_cast<char*>(::mmap(nullptr, kMemory, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0));
    start_clock();
    start_drive();
  }

  [[noreturn]] static void fail(int code) { ::_exit(code); }
  static void require(bool good, int code) {
    if (!good) fail(code);
  }

  static int connect_to(const std::string& path) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    require(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, 11);
    return fd;
  }
  /// Reads a configuration register at the guest's time.
  std::uint32_t read_configuration(std::uint32_t offset) {
    post(0, {1, 0, 0, 4, offset}, nullptr, 0, true);
    kick();
    std::uint32_t value = 0;
    std::memcpy(&value, memory_ + kAnswer, sizeof value);
    return value;
  }
  /// Writes to BAR 0 at time `at`, in nanoseconds.
  void write_register(std::uint64_t at, std::uint32_t offset, std::uint32_t value) {
    shared()->now = at;
    post(0, {4, 0, 0, 4, offset}, &value, 4, false);
    kick();
  }
  std::uint64_t free_until() { return shared()->free_until; }
  /// Sleeps until `wanted` or an interrupt. Returns the time, and in `message` the interrupt's message (0: none).
  std::uint64_t sleep(std::uint64_t wanted, std::uint32_t& message) {
    if (wanted != kForever) {
      shared()->clients[1].wanted = wanted;
      shared()->clients[1].flags = 1;
    }
    tell(3, 0);  // WAIT
    message = 0;
    for (;;) {
      pollfd waits[2] = {{time_, POLLIN, 0}, {calls_, POLLIN, 0}};
      require(::poll(waits, 2, 20'000) > 0, 20);
      if (waits[1].revents != 0) {
        Call call{};
        require(::read(calls_, &call, sizeof call) == sizeof call && call.header.request == 4, 21);
        // The guest kernel asks for the time, and wants to run at once.
        shared()->clients[1].wanted = shared()->now;
        shared()->clients[1].flags = 1;
        message = take_interrupt();
        const Call answer{{4, 5, 8}, 0, 0};
        require(::write(calls_, &answer, sizeof answer) == sizeof answer, 22);
        continue;
      }
      TimeMessage run{};
      require(::read(time_, &run, sizeof run) == sizeof run && run.operation == 6, 23);
      shared()->clients[1].flags = 0;
      return run.time;
    }
  }

 private:
  struct TimeMessage {
    std::uint32_t operation, sequence;
    std::uint64_t time;
  };
  struct Shared {
    std::uint32_t version, bytes;
    volatile std::uint64_t free_until, now;
    volatile std::uint16_t running;
    std::uint16_t at_most;
    char reserved[4096 - 28];
    struct {
      volatile std::uint32_t capabilities, flags;
      volatile std::uint64_t wanted;
      char rest[112];
    } clients[2];
  };
  struct Header {
    std::uint32_t request, flags, bytes;
  };
  struct Call {
    Header header;
    std::uint32_t first, second;
  };
  struct PciMessage {
    std::uint8_t operation, bar;
    std::uint16_t reserved;
    std::uint32_t bytes;
    std::uint64_t address;
  };
  struct Descriptor {
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint16_t flags, next;
  };
  // Layout of the memory: rings of 8 entries, buffers.
  static constexpr std::uint64_t kRing[2] = {0, 4096};
  static constexpr std::uint64_t kAvailable = 1024, kUsed = 2048, kRequest = 16384, kAnswer = 20480, kBuffers = 24576;
  static constexpr int kEntries = 8;

  Shared* shared() { return shared_; }
  void tell(std::uint32_t operation, std::uint64_t time) {
    const TimeMessage message{operation, ++sequence_, time};
    require(::write(time_, &message, sizeof message) == sizeof message, 12);
  }
  static int receive(int socket, void* into, std::size_t bytes, int* descriptor = nullptr) {
    char control[256];
    iovec piece{into, bytes};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const auto n = ::recvmsg(socket, &message, MSG_WAITALL);
    const cmsghdr* const part = CMSG_FIRSTHDR(&message);
    if (descriptor != nullptr && part != nullptr) std::memcpy(descriptor, CMSG_DATA(part), sizeof *descriptor);
    return static_cast<int>(n);
  }
  void start_clock() {
    tell(1, ~std::uint64_t{0});
    TimeMessage ack{};
    int memory = -1;
    require(receive(time_, &ack, sizeof ack, &memory) == sizeof ack && ack.operation == 0, 13);
    require(ack.time == 1 && ack.sequence == sequence_ && memory >= 0, 14);
    shared_ = static_cast<Shared*>(::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0));
    require(shared_->version == 2 && shared_->bytes == sizeof(Shared), 15);
    require(shared_->clients[0].capabilities == 1, 16);
    shared_->clients[1].capabilities = 1;
    tell(8, 0);
    require(receive(time_, &ack, sizeof ack) == sizeof ack && ack.time != 0, 17);
  }
  /// Sends a request with `bytes` of payload and a descriptor (-1: none), and returns its answer if it has one.
  std::uint64_t ask(std::uint32_t request, const void* payload, std::uint32_t bytes, int descriptor, bool answered) {
    char whole[512];
    const Header header{request, 1U | (answered ? 0U : 8U), bytes};
    std::memcpy(whole, &header, sizeof header);
    if (bytes != 0) std::memcpy(whole + sizeof header, payload, bytes);
    iovec piece{whole, sizeof header + bytes};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (descriptor >= 0) {
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      cmsghdr* const part = CMSG_FIRSTHDR(&message);
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      part->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
    }
    require(::sendmsg(drive_, &message, 0) == static_cast<ssize_t>(piece.iov_len), 30);
    struct __attribute__((packed)) {
      Header header;
      std::uint64_t value;
    } answer{};
    require(receive(drive_, &answer, sizeof answer) == sizeof answer, 31);
    require(answer.header.flags == 5 && answer.header.request == request && answer.header.bytes == 8, 32);
    return answer.value;
  }
  void start_drive() {
    ask(3, nullptr, 0, -1, false);
    require((ask(1, nullptr, 0, -1, true) >> 32 & 1) == 1, 33);
    const std::uint64_t features = ask(15, nullptr, 0, -1, true);
    require(features == (1 << 3 | 1 << 5 | 1 << 14), 34);
    ask(16, &features, 8, -1, false);
    int ends[2];
    require(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, 35);
    calls_ = ends[0];
    ask(21, nullptr, 0, ends[1], false);
    const std::uint64_t table[5] = {1, kMemoryBegin, kMemory, kUserBegin, 0};
    ask(5, table, sizeof table, file_, false);
    for (std::uint32_t queue = 0; queue < 2; ++queue) {
      const std::uint32_t entries[2] = {queue, kEntries}, base[2] = {queue, 0}, on[2] = {queue, 1};
      ask(8, entries, 8, -1, false);
      ask(10, base, 8, -1, false);
      const std::uint64_t at = kUserBegin + kRing[queue];
      const std::uint64_t address[5] = {queue, at, at + kUsed, at + kAvailable, 0};
      ask(9, address, sizeof address, -1, false);
      ask(18, on, 8, -1, false);
    }
    for (int i = 0; i < kEntries; ++i) offer(1, i, {kMemoryBegin + kBuffers + 64 * i, 20, 2, 0});
  }
  void offer(int queue, int head, const Descriptor& descriptor) {
    std::memcpy(memory_ + kRing[queue] + head * sizeof(Descriptor), &descriptor, sizeof descriptor);
    auto* const available = reinterpret_cast<volatile std::uint16_t*>(memory_ + kRing[queue] + kAvailable);
    available[2 + available[1] % kEntries] = static_cast<std::uint16_t>(head);
    available[1] = static_cast<std::uint16_t>(available[1] + 1);
  }
  void post(int queue, const PciMessage& message, const void* data, std::uint32_t bytes, bool answered) {
    std::memcpy(memory_ + kRequest, &message, sizeof message);
    if (bytes != 0) std::memcpy(memory_ + kRequest + sizeof message, data, bytes);
    const Descriptor answer{kMemoryBegin + kAnswer, 8, 2, 0};
    std::memcpy(memory_ + kRing[queue] + sizeof(Descriptor), &answer, sizeof answer);
    offer(queue, 0,
          {kMemoryBegin + kRequest, static_cast<std::uint32_t>(sizeof message) + bytes,
           static_cast<std::uint16_t>(answered ? 1 : 0), 1});
  }
  void kick() {
    const std::uint32_t state[2] = {0, 0};
    require(ask(35, state, 8, -1, false) == 0, 36);
  }
  std::uint32_t take_interrupt() {
    const auto* const used = reinterpret_cast<const volatile std::uint16_t*>(memory_ + kRing[1] + kUsed);
    if (used[1] == interrupts_) return 0;  // an empty one
    require(used[1] == ++interrupts_, 37);
    const auto* const entry =
        reinterpret_cast<const std::uint32_t*>(memory_ + kRing[1] + kUsed + 4 + 8 * ((interrupts_ - 1) % kEntries));
    require(entry[1] == 20, 38);
    PciMessage message{};
    std::uint32_t value = 0;
    std::memcpy(&message, memory_ + kBuffers + 64 * entry[0], sizeof message);
    std::memcpy(&value, memory_ + kBuffers + 64 * entry[0] + sizeof message, sizeof value);
    require(message.operation == 7 && message.bytes == 4, 39);
    offer(1, static_cast<int>(entry[0]), {kMemoryBegin + kBuffers + 64 * entry[0], 20, 2, 0});
    return value;
  }

  int time_, drive_, file_, calls_ = -1;
  char* memory_;
  Shared* shared_ = nullptr;
  std::uint32_t sequence_ = 0;
  std::uint16_t interrupts_ = 0;
};

/// Answers a configuration read with its address. kWork after a write to a register it raises an interrupt with the
/// value written.
class TestDevice : public sc_core::sc_module,
                   private tlm::tlm_fw_transport_if<>,
                   private tlm::tlm_bw_transport_if<>,
                   private Timer {
 public:
  explicit TestDevice(const sc_core::sc_module_name& name)
      : sc_module(name), bar0("bar0"), configuration("configuration"), dma("dma"), timers_("timers") {
    bar0.bind(*this);
    configuration.bind(*this);
    dma.bind(*this);
  }
  tlm::tlm_target_socket<> bar0, configuration;
  tlm::tlm_initiator_socket<> dma;
  std::vector<Picoseconds> writes;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase&,
                                     sc_core::sc_time&) override {
    const auto address = static_cast<std::uint32_t>(transaction.get_address());
    if (transaction.is_read()) {
      const std::uint32_t value = address | 0x80000000U;
      std::memcpy(transaction.get_data_ptr(), &value, sizeof value);
    } else {
      writes.push_back(kernel_now());
      std::memcpy(&value_, transaction.get_data_ptr(), sizeof value_);
      timers_.schedule(*this, kernel_now() + kWork);
    }
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  void on_timer() override {
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(0xa0000);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value_));
    payload.set_data_length(sizeof value_);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    ASSERT_EQ(dma->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
    EXPECT_TRUE(payload.is_response_ok());
  }
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  TimerQueue timers_;
  std::uint32_t value_ = 0;
};

/// A machine with one slot and the device; its guest runs `life`.
class GuestMachineTest : public testing::Test {
 protected:
  GuestMachineTest() : folder_(fs::temp_directory_path() / ("flashloom-test-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    slot_.bar0.bind(device_.bar0);
    slot_.configuration.bind(device_.configuration);
    device_.dma.bind(slot_.memory);
    machine_.on_end([] { TimeLoop::pause(); });
    machine_.on_report([this](std::string_view line) { reports_.emplace_back(line); });
  }
  ~GuestMachineTest() override { fs::remove_all(folder_); }

  void live(const std::function<void(TestGuest&)>& life) {
    fs::remove_all(folder_ / "time");
    fs::remove_all(folder_ / "drive0");
    Calendar calendar(folder_ / "time", 1'000'000'000, kernel_now() / 1000);
    slot_.listen_at(folder_ / "drive0");
    int reports[2];
    int output[2];
    ASSERT_EQ(::pipe(reports), 0);
    ASSERT_EQ(::pipe(output), 0);
    GuestProcess process(
        [&] {
          TestGuest guest(folder_);
          life(guest);
          const std::string done = "done\n";
          TestGuest::require(::write(reports[1], done.data(), done.size()) > 0, 50);
          ::_exit(0);
        },
        "");
    ::close(reports[1]);
    ::close(output[1]);
    machine_.start(calendar, process, FileDescriptor(reports[0]), FileDescriptor(output[0]));
    TimeLoop::instance().run();
    EXPECT_TRUE(machine_.ended());
  }

  fs::path folder_;
  TestDevice device_{"device"};
  PciSlot slot_{"slot"};
  GuestMachine machine_{{&slot_}, 20.0};
  std::vector<std::string> reports_;
};

TEST_F(GuestMachineTest, AnInterruptComesAtItsTime) {
  live([](TestGuest& guest) {
    TestGuest::require(guest.read_configuration(0x10) == 0x8000'0010U, 60);
    TestGuest::require(guest.free_until() == kLastTime, 61);
    std::uint32_t message = 0;
    guest.write_register(5'000, 0, 42);
    // The device needs 10.0005 us: the guest may run by itself until the nanosecond in which they end.
    TestGuest::require(guest.free_until() == 15'001, 62);
    TestGuest::require(guest.sleep(kForever, message) == 15'001 && message == 42, 63);
    TestGuest::require(guest.free_until() == kLastTime, 64);
  });
  EXPECT_EQ(reports_, std::vector<std::string>{"done"});
  EXPECT_EQ(machine_.failure(), nullptr);
  EXPECT_EQ(device_.writes, std::vector<Picoseconds>{5'000'000});
  EXPECT_EQ(machine_.statistics().interrupts, 1U);
  EXPECT_EQ(machine_.statistics().kicks, 2U);
}

TEST_F(GuestMachineTest, AGuestThatSleepsRunsAtItsTimeOrBefore) {
  live([](TestGuest& guest) {
    std::uint32_t message = 0;
    TestGuest::require(guest.sleep(7'000, message) == 7'000 && message == 0, 60);
    guest.write_register(7'000, 0, 1);
    TestGuest::require(guest.sleep(9'000, message) == 9'000 && message == 0, 61);  // the device is not done
    guest.write_register(9'100, 0, 2);  // both interrupts carry the last value written
    TestGuest::require(guest.sleep(30'000, message) == 17'001 && message == 2, 62);
    TestGuest::require(guest.sleep(30'000, message) == 19'101 && message == 2, 63);
    TestGuest::require(guest.sleep(30'000, message) == 30'000 && message == 0, 64);
  });
  EXPECT_EQ(reports_, std::vector<std::string>{"done"});
  EXPECT_EQ(machine_.failure(), nullptr);
}

TEST_F(GuestMachineTest, ASecondGuestCountsFromItsOwnBegin) {
  live([](TestGuest& guest) {
    std::uint32_t message = 0;
    TestGuest::require(guest.sleep(50'000, message) == 50'000, 60);
  });
  ASSERT_EQ(reports_, std::vector<std::string>{"done"});
  const std::uint64_t begin = kernel_now() / 1000;
  EXPECT_EQ(begin, 50'000U);
  live([begin](TestGuest& guest) {
    std::uint32_t message = 0;
    guest.write_register(begin + 1'000, 0, 7);
    TestGuest::require(guest.sleep(kForever, message) == 1'000 + 10'001 && message == 7, 60);
  });
  EXPECT_EQ(reports_, (std::vector<std::string>{"done", "done"}));
}

TEST_F(GuestMachineTest, SleepingForEverIsAFailureWhereNothingCanHappen) {
  live([](TestGuest& guest) {
    std::uint32_t message = 0;
    guest.sleep(kForever, message);
  });
  ASSERT_NE(machine_.failure(), nullptr);
  EXPECT_THROW(std::rethrow_exception(machine_.failure()), GuestFailure);
  EXPECT_TRUE(reports_.empty());
}

std::string what_failed(const std::exception_ptr& failure) {
  try {
    if (failure != nullptr) std::rethrow_exception(failure);
  } catch (const GuestFailure& error) {
    return error.what();
  }
  return "";
}

TEST_F(GuestMachineTest, SimulatedTimeDoesNotWrap) {
  live([](TestGuest& guest) {
    std::uint32_t message = 0;
    TestGuest::require(guest.sleep(kLastTime - 1, message) == kLastTime - 1, 60);
    TestGuest::require(guest.free_until() == kLastTime, 61);
    guest.sleep(kLastTime, message);
  });
  EXPECT_NE(what_failed(machine_.failure()).find("213 days"), std::string::npos);
  EXPECT_TRUE(reports_.empty());
}

TEST_F(GuestMachineTest, AtATerminalTimeIsNoFasterThanThePersonAndInputWakesTheGuest) {
  constexpr std::uint64_t kAWhile = 50'000'000;  // ns
  int input[2];
  ASSERT_EQ(::pipe(input), 0);
  machine_.expect_input(input[0]);
  const auto began = std::chrono::steady_clock::now();
  live([&](TestGuest& guest) {
    std::uint32_t message = 1;
    TestGuest::require(guest.sleep(kAWhile, message) == kAWhile && message == 0, 60);
    TestGuest::require(guest.free_until() <= kAWhile + TerminalPace::kLead / 1000, 61);
    TestGuest::require(
        std::chrono::steady_clock::now() - began >= std::chrono::nanoseconds(kAWhile - TerminalPace::kLead / 1000), 62);
    TestGuest::require(::write(input[1], "x", 1) == 1, 63);
    const std::uint64_t woken = guest.sleep(kLastTime - 1, message);  // else for months
    TestGuest::require(woken >= kAWhile && woken < 3600'000'000'000 && message == 0, 64);
  });
  EXPECT_EQ(reports_, std::vector<std::string>{"done"});
  EXPECT_EQ(machine_.failure(), nullptr);
}

TEST_F(GuestMachineTest, AKernelWithoutTimeTravelIsRefused) {
  slot_.listen_at(folder_ / "drive0");
  Calendar calendar(folder_ / "time", 1'000'000'000, 0);
  int reports[2];
  int output[2];
  ASSERT_EQ(::pipe(reports), 0);
  ASSERT_EQ(::pipe(output), 0);
  GuestProcess process(
      [&] {
        TestGuest::connect_to(folder_ / "drive0");
        ::pause();
      },
      "");
  machine_.start(calendar, process, FileDescriptor(reports[0]), FileDescriptor(output[0]));
  TimeLoop::instance().run();
  EXPECT_NE(what_failed(machine_.failure()).find("CONFIG_UML_TIME_TRAVEL_SUPPORT"), std::string::npos);
  ::close(reports[1]);
  ::close(output[1]);
}

TEST_F(GuestMachineTest, AGuestThatDiesEndsTheMachine) {
  live([](TestGuest& guest) {
    guest.write_register(1'000, 0, 1);
    ::_exit(9);
  });
  EXPECT_TRUE(reports_.empty());
  EXPECT_EQ(machine_.failure(), nullptr);
  EXPECT_TRUE(machine_.ended());
}

}  // namespace
}  // namespace flashloom::guest_machine_test
