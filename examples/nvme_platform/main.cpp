// A virtual platform with an NVMe SSD in it: memory, and a driver of a hundred lines that polls. It asks the drive for its name,
// makes a queue, writes a block and reads it back.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstring>
#include <flashloom/nvme_ssd.hpp>
#include <iostream>
#include <systemc>
#include <vector>

/// Host memory from address 0 on; the drive is its master.
class Memory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Memory> socket;
  std::vector<unsigned char> bytes;

  Memory(const sc_core::sc_module_name& name, std::size_t size) : sc_module(name), socket("socket"), bytes(size) {
    socket.register_b_transport(this, &Memory::b_transport);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
    if (access.get_address() + access.get_data_length() > bytes.size()) {
      access.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    unsigned char* const at = bytes.data() + access.get_address();
    if (access.is_read())
      std::memcpy(access.get_data_ptr(), at, access.get_data_length());
    else
      std::memcpy(at, access.get_data_ptr(), access.get_data_length());
    delay += sc_core::sc_time(80, sc_core::SC_NS);
    access.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

/// The software: one command at a time on an admin queue and one I/O queue (NVM Express Base Specification 1.4).
class Driver : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Driver> bar0;
  tlm_utils::simple_initiator_socket<Driver> configuration;
  bool passed = false;

  Driver(const sc_core::sc_module_name& name, Memory& memory)
      : sc_module(name), bar0("bar0"), configuration("configuration"), memory_(memory) {
    SC_HAS_PROCESS(Driver);
    SC_THREAD(run);
  }

 private:
  static constexpr std::uint32_t kEntries = 16;
  static constexpr std::uint64_t kData = 0x10000;
  static constexpr std::uint64_t submission(std::uint32_t queue) { return 0x1000 + queue * 0x2000; }
  static constexpr std::uint64_t completion(std::uint32_t queue) { return 0x2000 + queue * 0x2000; }

  template <class Socket>
  void access(Socket& socket, tlm::tlm_command command, std::uint64_t address, std::uint32_t& value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    wait(delay);
    if (!payload.is_response_ok()) SC_REPORT_ERROR("driver", payload.get_response_string().c_str());
  }
  std::uint32_t read(std::uint64_t offset) {
    std::uint32_t value = 0;
    access(bar0, tlm::TLM_READ_COMMAND, offset, value);
    return value;
  }
  void write(std::uint64_t offset, std::uint32_t value) { access(bar0, tlm::TLM_WRITE_COMMAND, offset, value); }

  /// Status of a command of 16 double words; 0: success.
  std::uint32_t carry_out(std::uint32_t queue, std::array<std::uint32_t, 16> command) {
    std::uint32_t& tail = tails_[queue];
    command[0] |= ++identifier_ << 16;
    std::memcpy(&memory_.bytes[submission(queue) + tail * 64], command.data(), 64);
    const std::uint64_t entry = completion(queue) + tail * 16;
    tail = (tail + 1) % kEntries;
    if (tail == 0) phases_[queue] ^= 1U;
    write(0x1000 + queue * 8, tail);
    const std::uint32_t expected = tail == 0 ? phases_[queue] ^ 1U : phases_[queue];
    std::uint32_t last = 0;
    do {
      wait(1, sc_core::SC_US);
      std::memcpy(&last, &memory_.bytes[entry + 12], 4);
    } while ((last >> 16 & 1U) != expected);
    write(0x1004 + queue * 8, tail);
    return last >> 17;
  }

  void run() {
    std::uint32_t enable = 0x6;  // memory space, bus master
    access(configuration, tlm::TLM_WRITE_COMMAND, 4, enable);
    write(0x24, (kEntries - 1) << 16 | (kEntries - 1));  // AQA
    write(0x28, submission(0));                          // ASQ
    write(0x30, completion(0));                          // ACQ
    write(0x14, 4U << 20 | 6U << 16 | 1);                // CC: entries of 16 and 64 bytes, enable
    while ((read(0x1c) & 1U) == 0) wait(10, sc_core::SC_US);

    std::uint32_t status = carry_out(0, {0x06, 0, 0, 0, 0, 0, kData, 0, 0, 0, 1});  // Identify: controller
    std::cout << "drive: " << std::string(&memory_.bytes[kData + 24], &memory_.bytes[kData + 64]) << '\n';
    status |= carry_out(0, {0x05, 0, 0, 0, 0, 0, completion(1), 0, 0, 0, (kEntries - 1) << 16 | 1, 1});
    status |= carry_out(0, {0x01, 0, 0, 0, 0, 0, submission(1), 0, 0, 0, (kEntries - 1) << 16 | 1, 1U << 16 | 1});

    const std::string text = "this was on flash that does not exist";
    std::memcpy(&memory_.bytes[kData], text.data(), text.size());
    status |= carry_out(1, {0x01, 1, 0, 0, 0, 0, kData, 0, 0, 0, 64, 0, 7});  // Write: 8 blocks at 64
    std::memset(&memory_.bytes[kData], 0, 4096);
    const sc_core::sc_time begin = sc_core::sc_time_stamp();
    status |= carry_out(1, {0x02, 1, 0, 0, 0, 0, kData, 0, 0, 0, 64, 0, 7});  // Read
    std::cout << "read back in " << (sc_core::sc_time_stamp() - begin) << ": "
              << std::string(&memory_.bytes[kData], &memory_.bytes[kData + text.size()]) << '\n';
    passed = status == 0 && std::memcmp(&memory_.bytes[kData], text.data(), text.size()) == 0;
    sc_core::sc_stop();
  }

  Memory& memory_;
  std::array<std::uint32_t, 2> tails_{};
  std::array<std::uint32_t, 2> phases_{1, 1};
  std::uint32_t identifier_ = 0;
};

int sc_main(int, char**) {
  Memory memory("memory", 1 << 20);
  Driver driver("driver", memory);
  flashloom::NvmeSsdModule ssd("ssd", "tiny", {.overrides = {"host.queues=1"}});
  driver.bar0.bind(ssd.bar0());
  driver.configuration.bind(ssd.configuration());
  ssd.dma().bind(memory.socket);
  sc_core::sc_start();
  std::cout << ssd.result().substr(0, 60) << "...\n";
  return driver.passed ? 0 : 1;
}
