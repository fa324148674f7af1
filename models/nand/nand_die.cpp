#include "models/nand/nand_die.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/common/timer_queue.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/plane_groups.hpp"

namespace flashloom {

NandDie::NandDie(const sc_core::sc_module_name& name, Die die, NandMedia& media, const NandTiming& timing,
                 EnergyMeter* meter, const NandEnergy* energy)
    : sc_module(name),
      socket("socket"),
      die_(die),
      media_(media),
      timing_(timing),
      meter_(meter),
      energy_(energy != nullptr && !energy->plain() ? energy : nullptr),
      beside_(timing.overlap().plane_reads - 1) {
  socket.bind(*this);
}

// Each phase has a function of its own, so that this one need not save registers.
tlm::tlm_sync_enum NandDie::nb_transport_fw(OnfiCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) {
    phase = tlm::BEGIN_RESP;
    return begin(command, delay);
  }
  if (phase == tlm::END_RESP) return end(command);
  return suspend_or_resume(command, phase, delay.value());
}

[[gnu::noinline]] tlm::tlm_sync_enum NandDie::begin(OnfiCommand& command, sc_core::sc_time& array_time) {
  OnfiCommand** place = &current_;
  if (current_ != nullptr) [[unlikely]]
    place = place_beside(command);
  if (place == nullptr || command.address.die != die_) [[unlikely]]
    refuse(command);
  if (held_ != nullptr) [[unlikely]]
    check_beside_held(command);
  const bool from_register = command.operation == FlashOperation::Program && command.bytes == 0;
  if ((from_register || register_for_ != nullptr) && register_for_ != &command) [[unlikely]]
    refuse(command);
  register_for_ = nullptr;
  media_.check(command);
  media_.prefetch(command.address, command.first_unit);
  *place = &command;
  const Picoseconds time = timing_.array_time(command);
  array_time = kernel_time(time);
  if (meter_ != nullptr && !command.in_register) [[likely]] {
    EnergyMeter& meter = plane_meters_.empty() ? *meter_ : meter_of_planes(command);
    book(meter, command, command.at.array_begin, command.at.array_begin + time);
    if (energy_ != nullptr) [[unlikely]]
      energy_->for_each(command, [&meter, &command, time](std::uint32_t operation, std::uint64_t bytes) {
        meter.count(operation, bytes, command.at.array_begin, command.at.array_begin + time);
      });
  }
  return tlm::TLM_UPDATED;
}

[[gnu::noinline]] tlm::tlm_sync_enum NandDie::suspend_or_resume(OnfiCommand& command, const tlm::tlm_phase& phase,
                                                                Picoseconds time) {
  if (phase == ARRAY_STANDS && current_ == &command)
    suspend(command);
  else if (phase == ARRAY_RUNS && held_ == &command && current_ == nullptr)
    resume(command, time);
  else
    refuse_phase();
  return tlm::TLM_ACCEPTED;
}

[[gnu::noinline]] tlm::tlm_sync_enum NandDie::end(OnfiCommand& command) {
  if (current_ != &command && !comes_first(command)) [[unlikely]]
    refuse_phase();
  current_ = command.together;
  if (command.then != nullptr) then_ = command.then;
  if (current_ == nullptr) {
    register_for_ = std::exchange(then_, nullptr);
    current_ = std::exchange(next_, nullptr);
    if (!beside_.empty() && current_ == nullptr) [[unlikely]]
      for (OnfiCommand*& read : beside_)
        if (current_ == nullptr) std::swap(current_, read);
  }
  media_.carry_out(command);
  return tlm::TLM_COMPLETED;
}

void NandDie::book(EnergyMeter& meter, const OnfiCommand& command, Picoseconds from, Picoseconds to) {
  const std::uint32_t plain = 1 + static_cast<std::uint32_t>(command.operation);
  meter.busy(energy_ == nullptr ? plain : energy_->state(command), from, to);
}

void NandDie::refuse(const OnfiCommand& command) const {
  const std::string die = std::string(name()) + ": ";
  if (current_ == nullptr && command.address.die == die_)
    throw std::logic_error(die + "a copyback's program follows its read at once, and nothing else");
  throw std::logic_error(die + "command for die " + std::to_string(command.address.die.value()) +
                         (current_ != nullptr ? " while another is under way" : " of another position"));
}

void NandDie::refuse_phase() const { throw std::logic_error(std::string(name()) + ": unexpected phase"); }

/// Where to keep a command that arrives while another one is under way; null: it is not allowed.
OnfiCommand** NandDie::place_beside(const OnfiCommand& command) {
  if (current_->operation != FlashOperation::Read || command.operation != FlashOperation::Read) return nullptr;
  if (timing_.overlap().cache_read) return next_ == nullptr ? &next_ : nullptr;
  OnfiCommand** place = nullptr;
  std::uint32_t taken = plane_groups_of(*current_, media_.geometry());
  for (OnfiCommand*& read : beside_)
    if (read != nullptr)
      taken |= plane_groups_of(*read, media_.geometry());
    else
      place = &read;
  return (taken & plane_groups_of(command, media_.geometry())) == 0 ? place : nullptr;
}

/// A read of other planes ends before current_: swaps them.
bool NandDie::comes_first(const OnfiCommand& command) {
  const auto found = std::find(beside_.begin(), beside_.end(), &command);
  if (found == beside_.end()) return false;
  std::swap(*found, current_);
  return true;
}

EnergyMeter& NandDie::meter_of_planes(const OnfiCommand& command) const {
  if (command.operation != FlashOperation::Read) return *meter_;
  const auto group = static_cast<std::uint32_t>(std::countr_zero(plane_groups_of(command, media_.geometry())));
  return group == 0 ? *meter_ : *plane_meters_[group - 1];
}

void NandDie::check_beside_held(const OnfiCommand& command) const {
  if (command.operation != FlashOperation::Read)
    throw std::logic_error(std::string(name()) + ": only reads interrupt a program or an erase");
  for (const OnfiCommand* read = &command; read != nullptr; read = read->together) {
    const std::uint32_t first = held_->address.page.value();
    const std::uint32_t page = read->address.page.value();
    if (read->address.block == held_->address.block &&
        (held_->operation == FlashOperation::Erase ||
         (page >= first && page < first + media_.geometry().program_pages)))
      throw FirmwareViolation(std::string(name()) + ": block " + std::to_string(read->address.block.value()) +
                              ", page " + std::to_string(page) + " is read while its " + to_string(held_->operation) +
                              " stands suspended");
  }
}

void NandDie::suspend(OnfiCommand& command) {
  held_ = &command;
  current_ = nullptr;
  if (meter_ == nullptr) return;
  held_work_.clear();
  for (std::uint32_t i = 0; i < meter_->operations(); ++i) held_work_.push_back(meter_->counted(i));
  meter_->truncate(command.at.array_end);
  for (std::uint32_t i = 0; i < meter_->operations(); ++i) held_work_[i] -= meter_->counted(i);
}

void NandDie::resume(OnfiCommand& command, Picoseconds time) {
  current_ = std::exchange(held_, nullptr);
  if (meter_ == nullptr) return;
  const Picoseconds from = command.at.array_end - time;
  book(*meter_, command, from, command.at.array_end);
  for (std::uint32_t i = 0; i < held_work_.size(); ++i)
    if (held_work_[i] != 0) meter_->count(i, held_work_[i], from, command.at.array_end);
}

void NandDie::power_cut(Picoseconds at) {
  if (current_ != nullptr && current_->at.array_begin <= at && at < current_->at.array_end) media_.tear(*current_);
  if (held_ != nullptr) media_.tear(*held_);
  current_ = next_ = held_ = then_ = register_for_ = nullptr;
  std::fill(beside_.begin(), beside_.end(), nullptr);
  for (EnergyMeter* const meter : plane_meters_) meter->truncate(at);
  if (meter_ != nullptr) meter_->truncate(at);
}

}  // namespace flashloom
