// A platform with two SSDs, and a DMA engine of its own on a clock of its own: it reads a file from one drive and writes it to
// the other, block by block.
#include <deque>
#include <flashloom/ssd.hpp>
#include <iostream>
#include <systemc>

using flashloom::BlockBackward;
using flashloom::BlockInitiatorSocket;
using flashloom::IoCommand;
using flashloom::IoOperation;
using flashloom::IoStatus;

/// Starts at most one command in each cycle of its clock, keeps `depth` blocks in flight.
class CopyEngine : public sc_core::sc_module, private BlockBackward {
 public:
  sc_core::sc_in<bool> clock;
  BlockInitiatorSocket source;
  BlockInitiatorSocket target;

  CopyEngine(const sc_core::sc_module_name& name, std::uint64_t blocks, std::uint32_t block_bytes, std::size_t depth)
      : sc_module(name), clock("clock"), source("source"), target("target"), blocks_(blocks), slots_(depth) {
    source.bind(static_cast<BlockBackward&>(*this));
    target.bind(static_cast<BlockBackward&>(*this));
    for (Slot& slot : slots_) {
      slot.command.length = block_bytes;
      idle_.push_back(&slot);
    }
    SC_HAS_PROCESS(CopyEngine);
    SC_METHOD(cycle);
    sensitive << clock.pos();
    dont_initialize();
  }

  std::uint64_t copied() const { return copied_; }
  sc_core::sc_time longest_read() const { return longest_read_; }

 private:
  struct Slot {
    IoCommand command;  // the payload of the block socket: it lives until BEGIN_RESP
    bool writes = false;
  };

  void cycle() {
    if (!read_.empty()) {
      Slot& slot = *read_.front();
      read_.pop_front();
      slot.writes = true;
      slot.command.operation = IoOperation::Write;
      return submit(slot);
    }
    if (next_ == blocks_ || idle_.empty()) return;
    Slot& slot = *idle_.front();
    idle_.pop_front();
    slot.writes = false;
    slot.command.operation = IoOperation::Read;
    slot.command.offset = next_++ * slot.command.length;
    submit(slot);
  }

  void submit(Slot& slot) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    (slot.writes ? target : source)->nb_transport_fw(slot.command, phase, delay);
  }

  tlm::tlm_sync_enum nb_transport_bw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time&) override {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;  // END_REQ: the queue had room again
    if (command.status != IoStatus::Ok) SC_REPORT_ERROR("copy engine", "a command failed");
    for (Slot& slot : slots_) {
      if (&slot.command != &command) continue;
      if (slot.writes) {
        idle_.push_back(&slot);
        if (++copied_ == blocks_) sc_core::sc_stop();
      } else {
        longest_read_ = std::max(longest_read_, sc_core::sc_time::from_value(command.at.complete - command.at.submit));
        read_.push_back(&slot);
      }
    }
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  std::uint64_t blocks_;
  std::uint64_t next_ = 0;
  std::uint64_t copied_ = 0;
  sc_core::sc_time longest_read_;
  std::vector<Slot> slots_;
  std::deque<Slot*> idle_;
  std::deque<Slot*> read_;  // to be written
};

int sc_main(int, char**) {
  constexpr std::uint64_t kBlocks = 500;
  constexpr std::uint32_t kBlockBytes = 16384;
  sc_core::sc_clock clock("clock", 5, sc_core::SC_NS);
  // One queue each; the source is full, so that reads go to its flash.
  flashloom::SsdModule source("source", "tiny", {.overrides = {"host.queues=1", "precondition.fill=1.0"}});
  flashloom::SsdModule target("target", "tiny", {.overrides = {"host.queues=1", "nand.channels=1"}});
  CopyEngine engine("engine", kBlocks, kBlockBytes, 8);
  engine.clock.bind(clock);
  engine.source.bind(source.socket());
  engine.target.bind(target.socket());

  sc_core::sc_start();

  const double seconds = sc_core::sc_time_stamp().to_seconds();
  std::cout << engine.copied() << " blocks in " << seconds * 1e3
            << " ms: " << static_cast<double>(engine.copied() * kBlockBytes) / seconds / 1e6 << " MB/s; longest read "
            << engine.longest_read() << '\n'
            << "source: " << source.result() << "target: " << target.result();
  return engine.copied() == kBlocks ? 0 : 1;
}
