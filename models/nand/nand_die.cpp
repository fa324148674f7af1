#include "models/nand/nand_die.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "models/common/timer_queue.hpp"

namespace flashloom {

NandDie::NandDie(const sc_core::sc_module_name& name, Die die, NandMedia& media, const NandTiming& timing,
                 EnergyMeter* meter)
    : sc_module(name), socket("socket"), die_(die), media_(media), timing_(timing), meter_(meter) {
  socket.bind(*this);
}

tlm::tlm_sync_enum NandDie::nb_transport_fw(OnfiCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) {
    if (current_ != nullptr || command.address.die != die_) [[unlikely]]
      refuse(command);
    const bool from_register = command.operation == FlashOperation::Program && command.bytes == 0;
    if ((from_register || register_for_ != nullptr) && register_for_ != &command) [[unlikely]]
      refuse(command);
    register_for_ = nullptr;
    media_.check(command);
    media_.prefetch(command);
    current_ = &command;
    const Picoseconds time = timing_.array_time(command);
    if (meter_ != nullptr)
      meter_->busy(1 + static_cast<std::uint32_t>(command.operation), command.at.array_begin,
                   command.at.array_begin + time);
    phase = tlm::BEGIN_RESP;
    delay = kernel_time(time);
    return tlm::TLM_UPDATED;
  }
  if (phase != tlm::END_RESP || current_ != &command) [[unlikely]]
    refuse_phase();
  current_ = command.together;
  if (command.then != nullptr) then_ = command.then;
  if (current_ == nullptr) register_for_ = std::exchange(then_, nullptr);
  media_.apply(command);
  return tlm::TLM_COMPLETED;
}

void NandDie::refuse(const OnfiCommand& command) const {
  const std::string die = std::string(name()) + ": ";
  if (current_ == nullptr && command.address.die == die_)
    throw std::logic_error(die + "a copyback's program follows its read at once, and nothing else");
  throw std::logic_error(die + "command for die " + std::to_string(command.address.die.value()) +
                         (current_ != nullptr ? " while another is under way" : " of another position"));
}

void NandDie::refuse_phase() const { throw std::logic_error(std::string(name()) + ": unexpected phase"); }

void NandDie::power_cut(Picoseconds at) {
  if (current_ != nullptr && current_->at.array_begin <= at && at < current_->at.array_end) media_.tear(*current_);
  current_ = then_ = register_for_ = nullptr;
  if (meter_ != nullptr) meter_->truncate(at);
}

std::vector<PowerState> NandDie::power_states(const NandConfig& config) {
  return {{"idle", config.array_voltage * config.standby_current, kBackground},
          {"read", config.array_voltage * config.read_current, "nand.read"},
          {"program", config.array_voltage * config.program_current, "nand.program"},
          {"erase", config.array_voltage * config.erase_current, "nand.erase"}};
}

}  // namespace flashloom
