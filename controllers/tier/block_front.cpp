#include "controllers/tier/block_front.hpp"

#include <string>
#include <utility>

namespace flashloom {

struct BlockFront::Queue final : BlockForward {
  Queue(BlockFront& front, std::uint32_t number) : owner(front), socket(("target" + std::to_string(number)).c_str()) {
    socket.bind(*this);
  }

  tlm::tlm_sync_enum nb_transport_fw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time&) override {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;  // END_RESP: nothing to do
    phase = tlm::END_REQ;
    owner.submit(command);
    return tlm::TLM_UPDATED;
  }
  void b_transport(IoCommand&, sc_core::sc_time&) override {
    SC_REPORT_FATAL("block socket", "blocking transport is not offered: use nb_transport_fw");
  }
  bool get_direct_mem_ptr(IoCommand&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(IoCommand&) override { return 0; }

  BlockFront& owner;
  BlockTargetSocket socket;
};

BlockFront::BlockFront(std::uint32_t queues, std::function<void(IoCommand&)> serve) : serve_(std::move(serve)) {
  for (std::uint32_t queue = 0; queue < queues; ++queue) queues_.emplace_back(*this, queue);
}

BlockFront::~BlockFront() = default;

BlockTargetSocket& BlockFront::target(std::uint32_t queue) { return queues_[queue].socket; }

void BlockFront::submit(IoCommand& command) {
  command.slot = static_cast<std::uint32_t>(open_.size());
  open_.push_back(&command);
  serve_(command);
}

void BlockFront::complete(IoCommand& command) {
  open_[command.slot] = open_.back();
  open_[command.slot]->slot = command.slot;
  open_.pop_back();
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  queues_[command.queue].socket->nb_transport_bw(command, phase, delay);
}

void BlockFront::power_lost() {
  while (!open_.empty()) {
    IoCommand& command = *open_.back();
    command.status = IoStatus::PowerLost;
    command.breakdown.forget();
    complete(command);
  }
}

}  // namespace flashloom
