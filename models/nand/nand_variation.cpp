#include "models/nand/nand_variation.hpp"

#include <numbers>
#include <numeric>

#include "models/common/split_mix.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/page_order.hpp"

namespace flashloom {
namespace {

enum VariationStream : std::uint64_t { kProgramTimes, kEraseTimes, kReadTimes, kBitErrorRates };
enum VariationLevel : std::uint64_t { kOfDies, kOfBlocks, kOfLayers };

double open_uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

// Box and Muller, Annals of Mathematical Statistics 29(2), 1958.
double cut_normal(std::uint64_t seed, std::uint64_t n) {
  const double u = open_uniform(split_mix(seed, 2 * n));
  const double v = open_uniform(split_mix(seed, 2 * n + 1));
  const double z = std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  return std::clamp(z, -VariationFactor::kMostDeviations, VariationFactor::kMostDeviations);
}

std::vector<double> draw(double deviation, std::uint64_t seed, std::size_t count) {
  std::vector<double> factors;
  if (deviation == 0) return factors;
  factors.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    factors.push_back(std::exp(deviation * cut_normal(seed, i) - deviation * deviation / 2));
  return factors;
}

}  // namespace

std::uint32_t word_lines_of(const NandConfig& config) {
  return (config.pages + config.bits_a_cell() - 1) / config.bits_a_cell();
}

std::uint32_t layers_of(const NandConfig& config) {
  return config.variation.layers != 0 ? config.variation.layers : word_lines_of(config);
}

VariationFactor::VariationFactor(const Deviations& deviations, std::uint64_t stream, const NandConfig& config,
                                 const NandGeometry& geometry)
    : on_(deviations.any()), planes_(geometry.planes_together), blocks_per_die_(geometry.blocks) {
  if (!on_) return;
  const std::uint64_t seed = split_mix(split_mix(config.variation.seed, 0x766172696174696f), stream);
  dies_ = draw(deviations.die, split_mix(seed, kOfDies), geometry.dies);
  blocks_ = draw(deviations.block, split_mix(seed, kOfBlocks), std::size_t{geometry.dies} * geometry.blocks * planes_);
  if (planes_ > 1 && !blocks_.empty())
    for (std::uint32_t page = 0; page < geometry.pages; ++page)
      plane_of_.push_back(static_cast<std::uint16_t>(geometry.plane_of(Block{0}, Page{page}).value()));
  const std::uint32_t layers = layers_of(config);
  const std::uint32_t word_lines = word_lines_of(config);
  const std::vector<double> drawn = draw(deviations.layer, split_mix(seed, kOfLayers), layers);
  if (drawn.empty()) return;
  const PageOrder order(config.pages, config.bits_a_cell(), config.page_order == "shadow");
  const auto of_word_line = [&](std::uint32_t word_line) {
    return drawn[std::uint64_t{word_line} * layers / word_lines];
  };
  for (std::uint32_t page = 0; page < geometry.pages; ++page)
    layers_.push_back(of_word_line(order.of(geometry.page_in_block(Page{page})).word_line));
  for (std::uint32_t page = 0; page < geometry.slc_pages; ++page)
    slc_layers_.push_back(of_word_line(geometry.page_in_block(Page{page})));
}

double VariationFactor::at(const FlashAddress& address, bool slc) const {
  const std::uint32_t page = address.page.value();
  double factor = of_die(address.die) * layer(address.page, slc);
  if (blocks_.empty()) return factor;
  const std::uint32_t plane = planes_ > 1 && page < plane_of_.size() ? plane_of_[page] : 0;
  const std::size_t block =
      (std::size_t{address.die.value()} * blocks_per_die_ + address.block.value()) * planes_ + plane;
  return block < blocks_.size() ? factor * blocks_[block] : factor;
}

double VariationFactor::slowest_block(Die die, Block block) const {
  const double of = of_die(die);
  const std::size_t first = (std::size_t{die.value()} * blocks_per_die_ + block.value()) * planes_;
  if (first + planes_ > blocks_.size()) return of;
  const auto begin = blocks_.begin() + static_cast<std::ptrdiff_t>(first);
  return of * *std::max_element(begin, begin + planes_);
}

TimeVariation::TimeVariation(const NandConfig& config, const NandGeometry& geometry)
    : program(config.variation.program, kProgramTimes, config, geometry),
      erase(config.variation.erase, kEraseTimes, config, geometry),
      read(config.variation.read, kReadTimes, config, geometry) {}

VariationFactor error_variation(const NandConfig& config, const NandGeometry& geometry) {
  return {config.variation.errors, kBitErrorRates, config, geometry};
}

// Layer factors are the same in all blocks, so they do not change a block's rank: uses their mean.
std::vector<Picoseconds> tested_block_times(const NandConfig& config, const NandGeometry& geometry) {
  std::vector<Picoseconds> times;
  if (!config.variation.block_times()) return times;
  const TimeVariation variation(config, geometry);
  const std::vector<Picoseconds>& program = config.program_time;
  const double one = config.pages_per_program > 1
                         ? static_cast<double>(config.first_pass() + program.back())
                         : std::accumulate(program.begin(), program.end(), 0.0) / static_cast<double>(program.size());
  double fill = 0;
  for (std::uint32_t page = 0; page < geometry.pages; page += geometry.program_pages)
    fill += one * variation.program.layer(Page{page}, false);
  for (std::uint32_t die = 0; die < geometry.dies; ++die)
    for (std::uint32_t block = 0; block < geometry.blocks; ++block)
      times.push_back(static_cast<Picoseconds>(fill * variation.program.slowest_block(Die{die}, Block{block}) +
                                               static_cast<double>(config.erase_time) *
                                                   variation.erase.slowest_block(Die{die}, Block{block})));
  return times;
}

}  // namespace flashloom
