#include "controllers/tier/block_port.hpp"

#include <algorithm>

namespace flashloom {

void BlockTransfer::on_timer() {
  at.complete = kernel_now();
  --port->in_flight_;
  port->load_ -= length;
  if (port->on_complete_) port->on_complete_(*this);
  if (--group->open_ == 0 && group->waiter_) group->runtime_->wake(std::exchange(group->waiter_, {}));
}

void BlockTransfer::own_tokens(std::size_t sectors) {
  if (tokens != contents.data()) contents.assign(tokens, tokens + sectors);
  tokens = contents.data();
}

BlockPort::BlockPort(const std::string& name, std::uint32_t queues, std::uint32_t sector_bytes, TimerQueue& timers,
                     TierTraffic& traffic)
    : sector_bytes_(sector_bytes), timers_(timers), traffic_(traffic) {
  for (std::uint32_t queue = 0; queue < queues; ++queue) {
    sockets_.push_back(std::make_unique<BlockInitiatorSocket>((name + std::to_string(queue)).c_str()));
    sockets_.back()->bind(*this);
  }
}

BlockTransfer& BlockPort::take(IoOperation operation, std::uint16_t queue) {
  if (free_.empty()) {
    free_.push_back(&transfers_.emplace_back());
    free_.back()->port = this;
  }
  BlockTransfer& transfer = *free_.back();
  free_.pop_back();
  static_cast<IoCommand&>(transfer) = {};
  transfer.operation = operation;
  transfer.queue = static_cast<std::uint16_t>(queue % sockets_.size());
  transfer.at.arrival = transfer.at.submit = kernel_now();
  transfer.breakdown.begin(kernel_now());
  return transfer;
}

void BlockPort::submit(BlockTransfer& transfer) {
  ++in_flight_;
  transfer.load = load_ += transfer.length;
  if (kernel_now() >= fails_at_) {
    transfer.status = IoStatus::MediaError;
    timers_.schedule(transfer, kernel_now());
    return;
  }
  if (transfer.operation == IoOperation::Read) {
    ++traffic_.reads;
    traffic_.read_bytes += transfer.length;
  } else if (transfer.operation == IoOperation::Write) {
    ++traffic_.writes;
    traffic_.write_bytes += transfer.length;
  }
  if (stands_in_) {
    const Picoseconds end = kernel_now() + stands_in_(transfer);
    transfer.breakdown.attribute(LatencyPart::Tier, end);
    timers_.schedule(transfer, end);
    return;
  }
  transfer.in_device = true;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  (*sockets_[transfer.queue])->nb_transport_fw(transfer, phase, delay);
}

tlm::tlm_sync_enum BlockPort::nb_transport_bw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  auto& transfer = static_cast<BlockTransfer&>(command);
  transfer.in_device = false;
  if (transfer.group == nullptr)
    free_.push_back(&transfer);
  else
    timers_.schedule(transfer, kernel_now() + delay.value());
  return tlm::TLM_COMPLETED;
}

void BlockPort::power_lost() {
  in_flight_ = 0;
  load_ = 0;
  for (BlockTransfer& transfer : transfers_) {
    if (std::exchange(transfer.group, nullptr) == nullptr) continue;
    if (!transfer.in_device)
      free_.push_back(&transfer);
    else if (transfer.tokens != nullptr)
      transfer.own_tokens(transfer.length / sector_bytes_);
  }
}

void BlockPort::forget() {
  for (BlockTransfer& transfer : transfers_) transfer.group = nullptr;
}

BlockTransfer& TransferGroup::add(BlockTransfer& transfer) {
  transfer.group = this;
  transfer.next_in_group = first_;
  first_ = &transfer;
  ++open_;
  transfer.port->submit(transfer);
  return transfer;
}

BlockTransfer& TransferGroup::submit(BlockPort& port, IoOperation operation, std::uint64_t offset, std::uint64_t length,
                                     SectorToken* tokens, const IoCommand* like, bool fua) {
  BlockTransfer& transfer = port.take(operation, like == nullptr ? 0 : like->queue);
  transfer.offset = offset;
  transfer.length = length;
  transfer.tokens = tokens;
  transfer.fua = fua;
  if (like != nullptr) {
    transfer.number = like->number;
    transfer.stream = like->stream;
  }
  return add(transfer);
}

BlockTransfer& TransferGroup::read(BlockPort& port, std::uint64_t offset, std::uint64_t length, std::size_t sectors) {
  BlockTransfer& transfer = port.take(IoOperation::Read, 0);
  transfer.offset = offset;
  transfer.length = length;
  if (transfer.contents.size() < sectors) transfer.contents.resize(sectors);
  transfer.tokens = sectors == 0 ? nullptr : transfer.contents.data();
  return add(transfer);
}

IoStatus TransferGroup::status(const BlockPort* port) const {
  for (const BlockTransfer* transfer = first_; transfer != nullptr; transfer = transfer->next_in_group)
    if (transfer->status != IoStatus::Ok && (port == nullptr || transfer->port == port)) return transfer->status;
  return IoStatus::Ok;
}

void TransferGroup::charge(LatencyBreakdown& breakdown) const {
  const BlockTransfer* last = nullptr;
  for (const BlockTransfer* transfer = first_; transfer != nullptr; transfer = transfer->next_in_group)
    if (last == nullptr || transfer->at.complete > last->at.complete) last = transfer;
  if (last == nullptr) return;
  breakdown.attribute(LatencyPart::Tier, last->at.submit);
  breakdown.append(last->breakdown);
}

void TransferGroup::release() {
  for (BlockTransfer* transfer = first_; transfer != nullptr; transfer = transfer->next_in_group)
    if (std::exchange(transfer->group, nullptr) != nullptr) transfer->port->free_.push_back(transfer);
  first_ = nullptr;
  open_ = 0;
}

}  // namespace flashloom
