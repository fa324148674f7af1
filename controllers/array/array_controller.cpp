#include "controllers/array/array_controller.hpp"

#include <string>
#include <utility>

namespace flashloom {

ArrayController::ArrayController(const sc_core::sc_module_name& name, const ArrayConfig& config,
                                 const ArrayShape& shape, std::uint32_t queues, CollectionTurns* turns)
    : sc_module(name),
      config_(config),
      shape_(shape),
      layout_(config, shape.drive_bytes),
      turns_(turns),
      timers_("timers"),
      traffic_(config.drives + (config.has_spare() ? 1 : 0)),
      nvram_(config.journal == "none" ? nullptr : std::make_unique<MemoryPort>("nvram_port")),
      front_(queues, [this](IoCommand& command) { submit(command); }) {
  for (std::size_t drive = 0; drive < traffic_.size(); ++drive)
    ports_.push_back(std::make_unique<BlockPort>("drive" + std::to_string(drive) + "_", queues, shape.sector_bytes,
                                                 timers_, traffic_[drive]));
  if (config.fail_at != 0) ports_[config.failed_drive]->fail_at(config.fail_at);
  array_ = make_array();
}

ArrayController::~ArrayController() {
  for (const auto& port : ports_) port->forget();
  runtime_.destroy_frames();
}

std::unique_ptr<Array> ArrayController::make_array() {
  return std::make_unique<Array>(
      config_, shape_,
      ArraySurroundings{runtime_, timers_, ports_, nvram_.get(), turns_, media_, statistics_, rebuild_, on_step_});
}

void ArrayController::reset_statistics() {
  statistics_ = {};
  for (TierTraffic& traffic : traffic_) traffic = {};
}

void ArrayController::begin() { array_->begin(); }

void ArrayController::submit(IoCommand& command) {
  if (array_ == nullptr) {
    command.status = IoStatus::PowerLost;
    front_.complete(command);
    return;
  }
  runtime_.spawn([this, &command] { return serve(command); });
}

Task<void> ArrayController::serve(IoCommand& command) {
  co_await array_->serve(command);
  front_.complete(command);
}

void ArrayController::power_cut() {
  timers_.cancel_all();
  for (const auto& port : ports_) port->power_lost();
  if (nvram_ != nullptr) nvram_->drop_all();
  runtime_.destroy_frames();
  cut_array_ = std::move(array_);
  front_.power_lost();
}

void ArrayController::power_on(std::function<void()> ready) {
  cut_array_.reset();
  array_ = make_array();
  runtime_.spawn([&] { return start_array(std::move(ready)); });
}

Task<void> ArrayController::start_array(std::function<void()> ready) {
  co_await array_->start();
  ready();
}

}  // namespace flashloom
