// A host for NVMe controllers: memory that stores data, and a small driver as a SystemC thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "controllers/nvme/nvme_types.hpp"
#include "sc_main/assembly/system/nvme_system.hpp"
#include "tests/support/systemc_threads.hpp"

namespace flashloom {

/// Host memory from address 0 on, and the target of interrupt messages. Answers at once, or in phases.
class StoringMemory : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  static constexpr std::uint64_t kMessages = 0xfee00000;

  StoringMemory(const sc_core::sc_module_name& name, std::size_t bytes, Picoseconds latency);

  tlm::tlm_target_socket<> socket;
  std::byte* at(std::uint64_t address) { return bytes_.data() + address; }
  std::size_t size() const { return bytes_.size(); }

  std::function<void(std::uint32_t)> on_message;  ///< called for an interrupt message with this data
  /// Accesses that overlap [first, last) get an error response.
  void refuse(std::uint64_t first, std::uint64_t last) { refused_ = {first, last}; }
  std::uint64_t accesses = 0;
  std::uint64_t violations = 0;

 private:
  struct Answer final : Timer {
    Answer(StoringMemory& memory, bool response) : of(memory), responds(response) {}
    void on_timer() override { responds ? of.respond() : of.end_request(); }
    StoringMemory& of;
    bool responds;
  };
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override { access(payload); }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  void access(tlm::tlm_generic_payload& payload);
  void end_request();
  void respond();

  std::vector<std::byte> bytes_;
  Picoseconds latency_;
  TimerQueue timers_;
  Answer request_{*this, false};
  Answer response_{*this, true};
  tlm::tlm_generic_payload* requesting_ = nullptr;
  std::deque<tlm::tlm_generic_payload*> pending_;
  bool responding_ = false;
  std::pair<std::uint64_t, std::uint64_t> refused_{0, 0};
};

/// The driver's thread runs `body`, which may call everything below, and ends the controller's job when `body` returns.
class NvmeHost : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(NvmeHost);
  struct Options {
    Picoseconds memory_latency = 0;
    std::size_t memory_bytes = 32 << 20;
    std::uint32_t admin_entries = 32;
    std::uint32_t arbitration = 0;   ///< CC.AMS
    std::uint32_t command_sets = 0;  ///< CC.CSS
  };
  NvmeHost(const sc_core::sc_module_name& name, NvmeController& controller, const Options& options);
  NvmeHost(const sc_core::sc_module_name& name, NvmeController& controller) : NvmeHost(name, controller, Options{}) {}

  ~NvmeHost() override;

  /// To be called before Simulation::run().
  void start(std::function<void()> body, std::function<void()> end);

  StoringMemory memory;
  tlm::tlm_initiator_socket<> bar0;
  tlm::tlm_initiator_socket<> configuration;

  std::uint32_t read32(std::uint64_t offset);
  std::uint64_t read64(std::uint64_t offset) { return read32(offset) | std::uint64_t{read32(offset + 4)} << 32U; }
  tlm::tlm_response_status write32(std::uint64_t offset, std::uint32_t value);
  std::uint32_t read_configuration(std::uint32_t offset, std::uint32_t bytes = 4);
  void write_configuration(std::uint32_t offset, std::uint32_t value, std::uint32_t bytes = 4);
  /// Any access to BAR 0 or to the configuration space.
  tlm::tlm_response_status access(bool to_configuration, bool write, std::uint64_t offset, void* data,
                                  std::uint32_t bytes);

  /// Allocates page-aligned memory.
  std::uint64_t allocate(std::size_t bytes);
  void free_all_from(std::uint64_t mark) { next_free_ = mark; }
  std::uint64_t mark() const { return next_free_; }

  /// Sets Memory Space and Bus Master Enable, and enables MSI-X with all vectors.
  void set_up_pci();
  /// Resets the controller, sets up the admin queue and enables; false if CSTS.CFS comes in place of CSTS.RDY.
  bool enable();
  void disable();
  /// Creates `count` I/O queue pairs of `entries`, with the priority classes in `priorities` if there are any.
  void create_queues(std::uint32_t count, std::uint32_t entries, const std::vector<std::uint32_t>& priorities = {});

  /// Puts the command into queue `queue` without ringing its doorbell; returns the command id.
  std::uint16_t put(std::uint32_t queue, nvme::Entry entry);
  void ring(std::uint32_t queue);
  /// put() and ring().
  std::uint16_t send(std::uint32_t queue, nvme::Entry entry);
  /// Waits for the completion of a command; throws if it does not come within a second.
  nvme::Completion wait_for(std::uint32_t queue, std::uint16_t id);
  nvme::Completion run(std::uint32_t queue, nvme::Entry entry) { return wait_for(queue, send(queue, entry)); }
  /// The status without phase, Do Not Retry and More.
  static nvme::Status status(const nvme::Completion& completion) {
    return static_cast<nvme::Status>(completion.status >> 1U & 0x7ffU);
  }
  nvme::Status status_of(std::uint32_t queue, const nvme::Entry& entry) { return status(run(queue, entry)); }
  /// Completions that have arrived and that no wait_for() has taken.
  std::size_t unclaimed(std::uint32_t queue) const { return queues_[queue].done.size(); }
  void take_completions();
  void forget_completions() {
    for (Queue& queue : queues_) queue.done.clear();
  }
  std::uint32_t queues() const { return static_cast<std::uint32_t>(queues_.size()); }  ///< includes the admin queue

  static nvme::Entry io(std::uint8_t opcode, std::uint64_t lba, std::uint32_t blocks, std::uint64_t data,
                        std::uint32_t name_space = 1);
  nvme::Entry identify(std::uint32_t cns, std::uint32_t name_space, std::uint64_t data);
  nvme::Entry log_page(std::uint32_t number, std::uint32_t bytes, std::uint64_t data, std::uint64_t offset = 0);
  std::uint64_t interrupts = 0;
  std::uint64_t completions = 0;
  sc_core::sc_event interrupted;
  bool drains_queues = true;  ///< the host rings completion doorbells

 private:
  struct Queue {
    std::uint64_t sq = 0;
    std::uint64_t cq = 0;
    std::uint32_t entries = 0;
    std::uint32_t tail = 0;
    std::uint32_t head = 0;  // of the completion queue
    bool phase = true;
    std::uint16_t next_id = 0;
    std::map<std::uint16_t, nvme::Completion> done;
  };
  class Backward;
  void thread();

  Options options_;
  std::unique_ptr<Backward> backward_;
  std::function<void()> body_;
  std::function<void()> end_;
  std::uint64_t next_free_ = 0x1000;
  std::vector<Queue> queues_;
};

}  // namespace flashloom
