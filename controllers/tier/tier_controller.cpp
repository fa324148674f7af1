#include "controllers/tier/tier_controller.hpp"

#include <utility>

namespace flashloom {

TierController::TierController(const sc_core::sc_module_name& name, const TierConfig& config, const TierShape& shape,
                               std::uint32_t queues)
    : sc_module(name),
      config_(config),
      shape_(shape),
      layout_(tier_layout(config, shape)),
      timers_("timers"),
      cache_("cache", queues, shape.sector_bytes, timers_, statistics_.cache),
      home_("home", 1, shape.sector_bytes, timers_, statistics_.home),
      front_(queues, [this](IoCommand& command) { submit(command); }),
      tier_(make_tier()) {
  if (config.ssd_fails_at != 0) cache_.fail_at(config.ssd_fails_at);
}

TierController::~TierController() {
  cache_.forget();
  home_.forget();
  runtime_.destroy_frames();
}

std::unique_ptr<Tier> TierController::make_tier() {
  return std::make_unique<Tier>(config_, shape_,
                                TierSurroundings{runtime_, timers_, cache_, home_, contents_, statistics_, on_step_});
}

void TierController::submit(IoCommand& command) {
  if (tier_ == nullptr) {
    command.status = IoStatus::PowerLost;
    front_.complete(command);
    return;
  }
  runtime_.spawn([this, &command] { return serve(command); });
}

Task<void> TierController::serve(IoCommand& command) {
  co_await tier_->serve(command);
  front_.complete(command);
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
  front_.power_lost();
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
