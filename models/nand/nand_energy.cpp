#include "models/nand/nand_energy.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/nand/nand_config.hpp"
#include "models/nand/nand_timing.hpp"
#include "models/nand/nand_variation.hpp"
#include "models/nand/page_order.hpp"

namespace flashloom {
namespace {

bool by_bits(const NandConfig& config) { return config.energy_model == "bits"; }

std::uint32_t planes_programmed(const NandConfig& config) { return config.multi_plane_program ? config.planes : 1; }
std::uint32_t planes_read(const NandConfig& config) { return config.multi_plane_read ? config.planes : 1; }

std::size_t page_types(const NandConfig& config) {
  return std::max(config.read_time.size(), config.program_time.size());
}

double or_lower_page(double energy, const std::vector<double>& pages) { return energy != 0 ? energy : pages.front(); }

std::string numbered(const char* name, std::size_t number, std::size_t of) {
  return of == 1 ? name : name + std::to_string(number);
}

Picoseconds shortest(double mean, const Deviations& deviations) {
  return std::max<Picoseconds>(1, static_cast<Picoseconds>(mean * VariationFactor::least(deviations)));
}

// The shortest tPROG that a program with this mean can have.
Picoseconds shortest_program(const NandConfig& config, Picoseconds mean) {
  return shortest(static_cast<double>(mean) * (1 - config.program_time_spread), config.variation.program);
}

std::vector<NandEnergy::Most> most_by_current(const NandConfig& config) {
  const std::vector<PowerState> states = NandEnergy::power_figures(config).states;
  const auto above = [&states](std::size_t state) { return std::max(0.0, states[state].watts - states[0].watts); };
  const VariationConfig& varied = config.variation;
  const Picoseconds program = VariationFactor::longest(longest_program_time(config), varied.program);
  const auto spread = static_cast<Picoseconds>(std::ceil(static_cast<double>(program) * config.program_time_spread));
  return {{FlashOperation::Read, above(states.size() > NandEnergy::kStates ? states.size() - 1 : 1),
           VariationFactor::longest(config.longest_read(), varied.read) +
               (config.errors.on() ? config.errors.retry_time : 0),
           false},
          {FlashOperation::Program, above(2), program + spread, false},
          {FlashOperation::Erase, above(3), VariationFactor::longest(config.erase_time, varied.erase), false}};
}

std::vector<NandEnergy::Most> most_by_bits(const NandConfig& config) {
  std::vector<NandEnergy::Most> most;
  const auto add = [&most](FlashOperation operation, double joules, Picoseconds time) {
    most.push_back({operation, joules * 1e12 / static_cast<double>(time), time, true});
  };
  const std::size_t types = page_types(config);
  const double read_bytes = static_cast<double>(config.page_size) * planes_read(config);
  const double page_bytes = static_cast<double>(config.page_size / config.partial_programs) * planes_programmed(config);
  const std::uint32_t unit = config.pages_per_program;
  for (std::size_t type = 0; type < types; ++type) {
    add(FlashOperation::Read, read_bytes * config.read_energy[type % config.read_energy.size()],
        shortest(static_cast<double>(config.read_time[type % config.read_time.size()]), config.variation.read));
    // The program unit that begins with a page of this type.
    double joules = 0;
    for (std::uint32_t i = 0; i < unit; ++i)
      joules += page_bytes * config.program_energy[(type + i) % types % config.program_energy.size()];
    const Picoseconds time = config.program_passes == 2 ? config.first_pass()  // of a block's first unit
                             : unit > 1                 ? config.program_time.back()
                                                        : config.program_time[type % config.program_time.size()];
    add(FlashOperation::Program, joules, shortest_program(config, time));
  }
  const double block = static_cast<double>(config.page_size) * config.pages * planes_programmed(config);
  const Picoseconds slc_erase =
      config.any_slc() && config.slc_erase_time != 0 ? config.slc_erase_time : config.erase_time;
  add(FlashOperation::Erase, block * config.erase_energy,
      shortest(static_cast<double>(std::min(config.erase_time, slc_erase)), config.variation.erase));
  if (!config.any_slc()) return most;
  add(FlashOperation::Read, read_bytes * or_lower_page(config.slc_read_energy, config.read_energy),
      shortest(static_cast<double>(config.slc_read_time), config.variation.read));
  add(FlashOperation::Program, page_bytes * unit * or_lower_page(config.slc_program_energy, config.program_energy),
      shortest_program(config, unit * config.slc_program_time));
  return most;
}

}  // namespace

PowerFigures NandEnergy::power_figures(const NandConfig& config) {
  const double idle = config.idle_watts();
  if (!by_bits(config)) {
    const double share = config.plane_current_share;
    const double programmed = 1 + share * (planes_programmed(config) - 1);
    PowerFigures figures = {{{"idle", idle, kBackground},
                             {"read", config.array_voltage * config.read_current, "nand.read"},
                             {"program", config.array_voltage * config.program_current * programmed, "nand.program"},
                             {"erase", config.array_voltage * config.erase_current * programmed, "nand.erase"}}};
    if (share == 0) return figures;
    for (std::uint32_t planes = 2; planes <= planes_read(config); ++planes)
      figures.states.push_back({"read_" + std::to_string(planes) + "_planes",
                                figures.states[1].watts * (1 + share * (planes - 1)), "nand.read"});
    return figures;
  }
  PowerFigures figures = {{{"idle", idle, kBackground},
                           {"read", idle, kBackground},
                           {"program", idle, kBackground},
                           {"erase", idle, kBackground}}};
  for (std::size_t i = 0; i < config.read_energy.size(); ++i)
    figures.operations.push_back({numbered("read", i, config.read_energy.size()), config.read_energy[i], "nand.read"});
  for (std::size_t i = 0; i < config.program_energy.size(); ++i)
    figures.operations.push_back(
        {numbered("program", i, config.program_energy.size()), config.program_energy[i], "nand.program"});
  figures.operations.push_back({"erase", config.erase_energy, "nand.erase"});
  if (config.any_slc()) {
    figures.operations.push_back({"slc_read", or_lower_page(config.slc_read_energy, config.read_energy), "nand.read"});
    figures.operations.push_back(
        {"slc_program", or_lower_page(config.slc_program_energy, config.program_energy), "nand.program"});
  }
  figures.spread_watts = most_watts(config);
  return figures;
}

PowerFigures NandEnergy::plane_figures(const NandConfig& config) {
  PowerFigures figures = power_figures(config);
  const double idle = figures.states.front().watts;
  for (PowerState& state : figures.states) state.watts = std::max(0.0, state.watts - idle);
  return figures;
}

NandEnergy::NandEnergy(const NandConfig& config)
    : geometry_(config, config.page_size / config.partial_programs),
      figures_(power_figures(config)),
      bits_(by_bits(config)),
      state_step_(config.plane_current_share != 0 && planes_read(config) > 1 ? 1 : 0),
      page_bytes_(config.page_size),
      block_bytes_(std::uint64_t{config.page_size} * config.pages * planes_programmed(config)),
      reads_(static_cast<std::uint32_t>(config.read_energy.size())),
      programs_(static_cast<std::uint32_t>(config.program_energy.size())),
      erase_(reads_ + programs_) {
  for (const PowerState& state : figures_.states)
    extra_watts_.push_back(std::max(0.0, state.watts - figures_.states[0].watts));
  const auto types = static_cast<std::uint32_t>(page_types(config));
  const PageOrder order(config.pages, types, config.page_order == "shadow");
  for (std::uint32_t page = 0; page < config.pages; ++page)
    types_.push_back(static_cast<std::uint8_t>(order.of(page).type));
}

std::vector<NandEnergy::Most> NandEnergy::most(const NandConfig& config) {
  return by_bits(config) ? most_by_bits(config) : most_by_current(config);
}

double NandEnergy::most_watts(const NandConfig& config) {
  double watts = 0;
  for (const Most& each : most(config)) watts = std::max(watts, each.watts);
  return watts;
}

}  // namespace flashloom
