#include "workloads/generators/drawn_steady.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace flashloom {

// A share x / i of the erase units is at level i, down from those where they are closed: the whole part of `units`, and
// with the share `rest` of them one above it.
GreedySteady::GreedySteady(double units, double valid) {
  if (!(valid > 0) || !(valid < units)) throw std::invalid_argument("GreedySteady: no such erase units");
  const auto whole = static_cast<std::uint32_t>(units);
  const double rest = units - whole;
  // Down from full erase units, until as many levels hold one erase unit in all.
  double sum = rest / (whole + 1);  // of 1 / i, over the levels above `level`
  std::uint32_t level = whole;
  while (level > 0 && valid / (units - level + 1) * (sum + 1.0 / level) < 1) sum += 1.0 / level--;
  double x = valid / units;
  double lower = 1;  // share of the victims that are one below `level`, the others at it
  double share = 0;  // of the erase units, up to the level that the loop is at
  if (level > 0) {
    // x (sum + lower / level) = 1 with x = valid / (units - level + lower).
    lower = std::clamp((units - level - valid * sum) / (valid / level - 1), 0.0, 1.0);
    x = valid / (units - level + lower);
  } else {
    share = 1 - x * sum;
  }
  levels_.push_back({share, 0, 0});
  double total = 0;
  for (std::uint32_t i = std::max(level, 1U); i <= whole + 1; ++i) {
    const double here = x * (i == level ? lower : i <= whole ? 1 : rest) / i;
    share += here;
    total += here * i;
    levels_.push_back({share, total, i});
  }
}

double GreedySteady::valid_below(double share) const {
  const auto level = std::ranges::lower_bound(levels_, share, {}, &Level::share);
  if (level == levels_.end()) return levels_.back().valid_below;
  return level->valid_below - (level->share - share) * level->valid;
}

DrawnSteadySource::DrawnSteadySource(const Options& options)
    : options_(options),
      steady_(options.closed(), static_cast<double>(options.units) / (1.0 * options.banks * options.blocks)),
      order_(options.units, options.seed),
      random_(options.seed),
      row_(options.banks),
      left_(options.units) {}

// The valid units of each erase unit are what theory has on its share of all, rounded so that the sums stay right.
void DrawnSteadySource::begin_row() {
  const std::uint64_t blocks = std::uint64_t{options_.banks} * options_.blocks;
  for (Block& block : row_) {
    const double share = static_cast<double>(++begun_) / static_cast<double>(blocks);
    const double until = steady_.valid_below(share) * static_cast<double>(blocks);
    const auto told = begun_ == blocks ? options_.units : static_cast<std::uint64_t>(std::llround(until));
    block = {options_.units_per_block, static_cast<std::uint32_t>(told - told_)};
    told_ = told;
  }
}

bool DrawnSteadySource::next(Request& request) {
  if (left_ == 0) return false;  // nothing is left that the rest could overwrite
  Block& block = row_[bank_];
  if (block.slots == 0) begin_row();
  const bool stays = random_.below(block.slots) < block.valid;
  if (stays) --block.valid;
  --block.slots;
  request = Request{};
  request.offset = order_(stays ? --left_ : random_.below(left_)) * options_.unit_bytes;
  request.length = options_.unit_bytes;
  request.kind = RequestKind::Write;
  if (++in_program_ == options_.units_per_program) {
    in_program_ = 0;
    if (++bank_ == options_.banks) bank_ = 0;
  }
  return true;
}

}  // namespace flashloom
