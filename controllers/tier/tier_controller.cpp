#include "controllers/tier/tier_controller.hpp"

#include <string>
#include <utility>

namespace flashloom {

struct TierController::Queue final : BlockForward {
  Queue(TierController& controller, std::uint32_t number)
      : owner(controller), socket(("target" + std::to_string(number)).c_str()) {
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

  TierController& owner;
  BlockTargetSocket socket;
};

TierController::TierController(const sc_core::sc_module_name& name, const TierConfig& config, const TierShape& shape,
                               std::uint32_t queues)
    : sc_module(name),
      config_(config),
      shape_(shape),
      layout_(tier_layout(config, shape)),
      timers_("timers"),
      cache_("cache", queues, shape.sector_bytes, timers_, statistics_.cache),
      home_("home", 1, shape.sector_bytes, timers_, statistics_.home),
      tier_(make_tier()) {
  for (std::uint32_t queue = 0; queue < queues; ++queue) queues_.emplace_back(*this, queue);
  if (config.ssd_fails_at != 0) cache_.fail_at(config.ssd_fails_at);
}

TierController::~TierController() {
  cache_.power_lost();
  home_.power_lost();
  runtime_.destroy_frames();
}

std::unique_ptr<Tier> TierController::make_tier() {
  return std::make_unique<Tier>(config_, shape_,
                                TierSurroundings{runtime_, timers_, cache_, home_, contents_, statistics_, on_step_});
}

BlockTargetSocket& TierController::target(std::uint32_t queue) { return queues_[queue].socket; }

void TierController::submit(IoCommand& command) {
  command.slot = static_cast<std::uint32_t>(open_.size());
  open_.push_back(&command);
  if (tier_ == nullptr) {
    command.status = IoStatus::PowerLost;
    complete(command);
    return;
  }
  runtime_.spawn([this, &command] { return serve(command); });
}

Task<void> TierController::serve(IoCommand& command) {
  co_await tier_->serve(command);
  complete(command);
}

void TierController::complete(IoCommand& command) {
  open_[command.slot] = open_.back();
  open_[command.slot]->slot = command.slot;
  open_.pop_back();
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  queues_[command.queue].socket->nb_transport_bw(command, phase, delay);
}

void TierController::start_pass(std::function<void()> done) {
  if (tier_ != nullptr) runtime_.spawn([&] { return pass(std::move(done)); });
}

Task<void> TierController::pass(std::function<void()> done) {
  co_await tier_->pass();
  if (done) done();
}

void TierController::stop(std::function<void()> done) {
  runtime_.spawn([&] { return stop_tier(std::move(done)); });
}

Task<void> TierController::stop_tier(std::function<void()> done) {
  co_await tier_->stop();
  done();
}

void TierController::power_cut() {
  timers_.cancel_all();
  cache_.power_lost();
  home_.power_lost();
  runtime_.destroy_frames();
  tier_.reset();
  while (!open_.empty()) {
    IoCommand& command = *open_.back();
    command.status = IoStatus::PowerLost;
    command.breakdown.forget();
    complete(command);
  }
}

void TierController::power_on(std::function<void()> ready) {
  tier_ = make_tier();
  runtime_.spawn([&] { return start_tier(std::move(ready)); });
}

Task<void> TierController::start_tier(std::function<void()> ready) {
  co_await tier_->start();
  ready();
}

}  // namespace flashloom
