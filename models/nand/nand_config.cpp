#include "models/nand/nand_config.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "models/common/config_problem.hpp"
#include "models/nand/nand_energy.hpp"
#include "models/nand/nand_variation.hpp"
#include "models/nand/onfi_timing_modes.hpp"

namespace flashloom {
namespace {

std::string divisors(std::uint32_t number) {
  std::string text;
  for (std::uint32_t i = 1; i <= number; ++i)
    if (number % i == 0) text += (text.empty() ? "" : ", ") + std::to_string(i);
  return text;
}

void check_commands(const NandConfig& nand) {
  const OnfiInterface* const interface = find_onfi_interface(nand.interface);
  require(interface != nullptr || nand.timing_mode == 0, "nand.timing_mode",
          "is of an ONFI interface, but nand.interface is \"custom\"");
  require(interface == nullptr || nand.timing_mode < interface->cycle_ps.size(), "nand.timing_mode", nand.interface,
          " has no mode ", nand.timing_mode, "; valid: 0 .. ",
          interface == nullptr ? 0 : interface->cycle_ps.size() - 1);
  require(nand.warmup_cycles != 3, "nand.warmup_cycles", "is 3; valid: 0, 1, 2 or 4 (ONFI 4.1, feature address 02h)");
  require(nand.planes % nand.independent_planes == 0, "nand.independent_planes", nand.independent_planes,
          " groups do not divide ", nand.planes, " planes (nand.planes); valid: ", divisors(nand.planes));
  require(nand.independent_planes == 1 || !nand.cache_read, "nand.independent_planes", nand.independent_planes,
          " groups read each by itself, so that one reads while another sends its page; nand.cache_read would keep a "
          "second page in each group's registers, which is not modelled; leave one of them out");
}

// A Gray code changes one bit from each level to the next. Any k of its bits distinguish 2^k levels, so they change
// at least 2^k - 1 times.
void check_senses(const NandConfig& nand) {
  if (nand.senses.empty()) return;
  constexpr std::size_t kMostBits = 5;
  const std::size_t bits = nand.senses.size();
  require(bits <= kMostBits, "nand.senses", bits, " page types; valid: at most ", kMostBits, " bits a cell");
  std::vector<std::uint32_t> senses = nand.senses;
  std::sort(senses.begin(), senses.end());
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bits; ++i) {
    sum += senses[i];
    const std::uint32_t borders = (1U << (i + 1)) - 1;
    if (i + 1 < bits)
      require(sum >= borders, "nand.senses", "the ", i + 1, " page types of fewest senses have ", sum,
              " in all, and tell ", borders + 1, " levels apart; valid: at least ", borders);
    else
      require(sum == borders, "nand.senses", sum, " in all for ", bits, " page types; valid: ", borders,
              ", one for each border between ", borders + 1, " levels");
  }
  if (nand.read_time != nand.times_by_senses()) {
    std::vector<MessagePart> message = {"is not what nand.senses makes of tR"};
    for (const Picoseconds time : nand.times_by_senses()) {
      message.emplace_back(", ");
      message.emplace_back(MessageTime{time});
    }
    message.emplace_back("; valid: that, or nand.senses = []");
    throw ConfigProblem("nand.read_time", std::move(message));
  }
  require(bits == nand.bits_a_cell(), "nand.senses", bits, " page types beside ", nand.bits_a_cell(),
          " of nand.program_time or nand.pages_per_program; valid: as many");
}

void check_passes(const NandConfig& nand) {
  const bool two = nand.program_passes == 2;
  require(two || nand.first_pass_time == 0, "nand.first_pass_time",
          "is of the first of two passes; valid with nand.program_passes = 1: 0 s");
  require(two || nand.first_pass_pages == 0, "nand.first_pass_pages",
          "is of the first of two passes; valid with nand.program_passes = 1: 0");
  if (!two) return;
  require(nand.pages_per_program > 1, "nand.program_passes",
          "2 programs all pages of a word line together: needs nand.pages_per_program above 1");
  require(nand.first_pass_pages < nand.pages_per_program, "nand.first_pass_pages",
          "leaves the second pass nothing of the ", nand.pages_per_program,
          " pages of nand.pages_per_program; valid: fewer, or 0 where both passes take all");
  require(nand.in_order_program, "nand.program_passes",
          "2 goes by word lines that are filled in order: needs nand.in_order_program = true");
  require(!nand.paired_pages, "nand.paired_pages",
          "is of pages that are programmed one by one; with nand.program_passes = 2 a power cut destroys what waits "
          "for its second pass in any case; valid: false");
}

void check_erase_limit(const NandConfig& nand) {
  if (nand.partial_erase_limit == 0) return;
  require(nand.in_order_program, "nand.partial_erase_limit",
          "counts the pages of a block from the first on: needs nand.in_order_program = true");
  require(!nand.programs_fail(), "nand.partial_erase_limit",
          "programs padding into blocks that are given up, where a program that fails has not been decided on; valid "
          "with programs that fail in the midst of a block, or a die that does: 0");
}

void check_pages(const NandConfig& nand) {
  const auto page_types = [&](const char* path, std::size_t count) {
    require(count <= nand.pages, path, count, " page types in blocks of ", nand.pages,
            " pages; valid: at most as many as nand.pages");
  };
  check_senses(nand);
  page_types("nand.read_time", nand.read_time.size());
  page_types("nand.program_time", nand.program_time.size());
  const std::size_t types = std::max(nand.read_time.size(), nand.program_time.size());
  require(nand.read_time.size() == types || nand.read_time.size() == 1, "nand.read_time", nand.read_time.size(),
          " values beside ", types, " of nand.program_time; valid: one a page type, or one for all");
  require(nand.program_time.size() == types || nand.program_time.size() == 1, "nand.program_time",
          nand.program_time.size(), " values beside ", types,
          " of nand.read_time; valid: one a page type, or one for all");
  if (nand.page_order == "shadow") {
    require(nand.pages_per_program == 1, "nand.page_order",
            "\"shadow\" programs page by page, but nand.pages_per_program is above 1; valid: word_line");
    require(nand.pages % types == 0, "nand.page_order", "\"shadow\" needs whole word lines: ", types,
            " page types do not divide nand.pages, ", nand.pages);
  }
  require(!nand.paired_pages || nand.in_order_program, "nand.paired_pages",
          "goes by word lines that are filled in order: needs nand.in_order_program = true");
  check_passes(nand);
  check_erase_limit(nand);
  require(!nand.multi_plane_read || nand.planes > 1, "nand.multi_plane_read", "needs nand.planes above 1");
  const std::uint32_t parts = nand.partial_programs;
  require(parts == 1 || (types == 1 && nand.pages_per_program == 1 && !nand.multi_plane_program &&
                         !nand.multi_plane_read && !nand.copyback),
          "nand.partial_programs",
          "is for SLC: one page type, and neither nand.pages_per_program, nand.multi_plane_program, "
          "nand.multi_plane_read nor nand.copyback");
  require(!nand.copyback || nand.pages_per_program == 1, "nand.copyback",
          "a page register holds one page of a plane, but nand.pages_per_program is above 1");
  require(!nand.copyback || !nand.multi_plane_program || nand.multi_plane_read || nand.planes == 1, "nand.copyback",
          "a program unit, of ", nand.planes,
          " planes with nand.multi_plane_program, is read into their page registers by one command: needs "
          "nand.multi_plane_read = true");
}

void check_variation(const NandConfig& nand) {
  const VariationConfig& variation = nand.variation;
  require(!variation.errors.any() || nand.errors.on(),
          variation.errors.die != 0     ? "nand.variation.errors_die"
          : variation.errors.block != 0 ? "nand.variation.errors_block"
                                        : "nand.variation.errors_layer",
          "needs a nand.errors.model; without bit errors nothing of them varies; valid: 0");
  require(variation.layers <= word_lines_of(nand), "nand.variation.layers", variation.layers, " layers of the ",
          word_lines_of(nand), " word lines that ", nand.pages,
          " pages make; valid: at most as many, or 0 for a layer a word line");
}

void check_network(const NandConfig& nand) {
  const NetworkConfig& network = nand.network;
  require(network.link_width == 0 || std::has_single_bit(network.link_width), "nand.network.link_width", "is ",
          network.link_width, " bits; valid: 0, 1, 2, 4, 8 or 16");
  require(network.link_rate == 0 || network.link_rate >= 10'000'000, "nand.network.link_rate", "is ", network.link_rate,
          " T/s; valid: 0 T/s, or 10 MT/s and more");
  if (!network.on()) return;
  const auto refuse = [](bool bad, const char* key, const char* why) {
    require(!bad, key, why,
            ", which needs a bus for each channel; valid: without it, or nand.network.topology = \"bus\"");
  };
  refuse(nand.cache_read, "nand.cache_read", "puts a second command on a die beside the data of the first");
  refuse(nand.cache_program, "nand.cache_program", "loads a die while its array is busy");
  refuse(nand.program_suspend, "nand.program_suspend", "sends suspend and resume commands to the tick");
  refuse(nand.erase_suspend, "nand.erase_suspend", "sends suspend and resume commands to the tick");
  refuse(nand.way_switch_time != 0, "nand.way_switch_time", "is of chip enables on one bus");
  require(std::uint64_t{nand.channels} * nand.ways <= 4096, "nand.network.topology", nand.channels, " channels x ",
          nand.ways, " ways are ", std::uint64_t{nand.channels} * nand.ways,
          " chips of a network; valid: at most 4096");
}

void check_energy(const NandConfig& nand) {
  const bool bits = nand.energy_model == "bits";
  const std::size_t types = std::max(nand.read_time.size(), nand.program_time.size());
  const auto one_a_type = [types](const char* path, std::size_t count) {
    require(count == 1 || count == types, path, count, " values for ", types,
            " page types; valid: one a page type (as many as nand.read_time or nand.program_time has), or one for all");
  };
  one_a_type("nand.read_energy", nand.read_energy.size());
  one_a_type("nand.program_energy", nand.program_energy.size());
  require(!bits || nand.plane_current_share == 0, "nand.plane_current_share",
          "is of nand.energy_model \"current\"; by bits each plane draws the energy of its own; valid: 0");
  if (!bits) return;
  for (const NandEnergy::Most& most : NandEnergy::most(nand))
    require(most.watts <= kMostDieWatts,
            most.operation == FlashOperation::Read      ? "nand.read_energy"
            : most.operation == FlashOperation::Program ? "nand.program_energy"
                                                        : "nand.erase_energy",
            "makes a die draw ", MessagePower{most.watts}, " in an operation of ", MessageTime{most.time},
            "; valid: at most ", MessagePower{kMostDieWatts});
}

void check_errors(const NandConfig& nand) {
  const EccConfig& ecc = nand.ecc;
  const BitErrorConfig& errors = nand.errors;
  if (!errors.on()) return;
  require(!nand.copyback, "nand.copyback",
          "moves data past the error correction, so that bit errors would add up unseen; valid with "
          "nand.errors.model: false");
  const std::uint64_t parity = std::uint64_t{nand.page_size / ecc.codeword} * ecc.parity;
  require(parity <= nand.spare_size, "nand.ecc.parity", nand.page_size / ecc.codeword, " codewords of ",
          MessageBytes{ecc.parity}, " parity do not fit the spare area of a page, nand.spare_size ",
          MessageBytes{nand.spare_size});
  require(ecc.soft_reads == 0 || ecc.soft_strength >= ecc.strength, "nand.ecc.soft_strength", ecc.soft_strength,
          " is less than nand.ecc.strength, ", ecc.strength);
  const std::size_t types = std::max(nand.read_time.size(), nand.program_time.size());
  require(errors.page_factors.size() == 1 || errors.page_factors.size() == types, "nand.errors.page_factors",
          errors.page_factors.size(), " values beside ", types,
          " page types of nand.read_time and nand.program_time; valid: one a page type, or one for all");
  require(errors.open_word_lines == 0 || errors.open_block_factor != 1, "nand.errors.open_word_lines",
          "is of nand.errors.open_block_factor, which is 1; valid: 0");
}

const char* cache_key(const NandConfig& nand) { return nand.slc_blocks != 0 ? "nand.slc_blocks" : "nand.slc_dynamic"; }

void check_slc_cells(const NandConfig& nand) {
  const std::size_t types = std::max(nand.read_time.size(), nand.program_time.size());
  require(types > 1 || nand.pages_per_program > 1, cache_key(nand),
          "is for cells of several bits: needs as many values of nand.read_time or nand.program_time, or of "
          "nand.pages_per_program; valid: 0");
  require(!nand.paired_pages, "nand.paired_pages",
          "goes by word lines of several pages, and in SLC mode they have one; valid with ", cache_key(nand),
          ": false");
  require(!nand.copyback, "nand.copyback", "copies without the controller, which folding from SLC needs; valid with ",
          cache_key(nand), ": false");
}

// Power governor and arbitration take the times of normal blocks as the longest, so those in SLC mode must be
// shorter.
void check_slc_times(const NandConfig& nand) {
  const auto at_most = [](const char* path, Picoseconds time, const char* other, Picoseconds most) {
    require(time <= most, path, "makes ", MessageTime{time}, ", longer than ", other, ", ", MessageTime{most},
            ": SLC mode is the faster one");
  };
  at_most("nand.slc_read_time", nand.slc_read_time, "the longest nand.read_time",
          *std::max_element(nand.read_time.begin(), nand.read_time.end()));
  at_most("nand.slc_program_time", nand.pages_per_program * nand.slc_program_time, "the longest nand.program_time",
          *std::max_element(nand.program_time.begin(), nand.program_time.end()));
  at_most("nand.slc_erase_time", nand.slc_erase_time, "nand.erase_time", nand.erase_time);
}

void check_slc(const NandConfig& nand) {
  require(nand.slc_endurance == 0 || nand.slc_blocks != 0 || (nand.slc_dynamic != 0 && nand.endurance != 0),
          "nand.slc_endurance",
          "is of blocks in SLC mode: needs nand.slc_blocks above 0, or nand.slc_dynamic with nand.endurance");
  if (!nand.any_slc()) return;
  require(nand.slc_blocks < nand.blocks, "nand.slc_blocks", nand.slc_blocks, " of the ", nand.blocks,
          " blocks of a plane leave none for the capacity; valid: fewer");
  require(nand.slc_dynamic <= nand.blocks - nand.slc_blocks, "nand.slc_dynamic", nand.slc_dynamic, " of the ",
          nand.blocks - nand.slc_blocks, " blocks of a plane that are not always in SLC mode; valid: at most ",
          nand.blocks - nand.slc_blocks);
  check_slc_cells(nand);
  check_slc_times(nand);
}

}  // namespace

void check_config(const NandConfig& nand) {
  check_pages(nand);
  check_commands(nand);
  check_variation(nand);
  check_network(nand);
  check_energy(nand);
  check_slc(nand);
  check_errors(nand);
}

}  // namespace flashloom
