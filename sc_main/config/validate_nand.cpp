#include "sc_main/config/validate_nand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "models/channel/bus_energy.hpp"
#include "models/nand/nand_energy.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/nand/nand_variation.hpp"
#include "models/nand/onfi_timing_modes.hpp"
#include "sc_main/config/device_geometry.hpp"
#include "sc_main/config/quantity.hpp"
#include "sc_main/config/requirements.hpp"

namespace flashloom {
namespace {

constexpr double kMostDieWatts = 200;  // of a die or a channel's wires: the limit of the voltage and current keys

std::string divisors(std::uint32_t number) {
  std::string text;
  for (std::uint32_t i = 1; i <= number; ++i)
    if (number % i == 0) text += (text.empty() ? "" : ", ") + std::to_string(i);
  return text;
}

class NandValidator {
 public:
  explicit NandValidator(const DeviceConfig& config) : config_(config) {}

  void run() const {
    check_nand_parameters();
    check_nand_commands();
    check_variation();
    check_network();
    check_nand_energy();
    check_slc_cache();
  }

 private:
  void check_nand_commands() const {
    const NandConfig& nand = config_.nand;
    const OnfiInterface* const interface = find_onfi_interface(nand.interface);
    require(interface != nullptr || nand.timing_mode == 0, "nand.timing_mode",
            "is of an ONFI interface, but nand.interface is \"custom\"");
    require(interface == nullptr || nand.timing_mode < interface->cycle_ps.size(), "nand.timing_mode",
            fmt::format("{} has no mode {}; valid: 0 .. {}", nand.interface, nand.timing_mode,
                        interface == nullptr ? 0 : interface->cycle_ps.size() - 1));
    require(nand.warmup_cycles != 3, "nand.warmup_cycles", "is 3; valid: 0, 1, 2 or 4 (ONFI 4.1, feature address 02h)");
    require(nand.planes % nand.independent_planes == 0, "nand.independent_planes",
            fmt::format("{} groups do not divide {} planes (nand.planes); valid: {}", nand.independent_planes,
                        nand.planes, divisors(nand.planes)));
    require(
        nand.independent_planes == 1 || !nand.cache_read, "nand.independent_planes",
        fmt::format("{} groups read each by itself, so that one reads while another sends its page; nand.cache_read "
                    "would keep a second page in each group's registers, which is not modelled; leave one of them "
                    "out",
                    nand.independent_planes));
  }

  void check_nand_parameters() const {
    const NandConfig& nand = config_.nand;
    const auto page_types = [&](const char* path, std::size_t count) {
      require(
          count <= nand.pages, path,
          fmt::format("{} page types in blocks of {} pages; valid: at most as many as nand.pages", count, nand.pages));
    };
    check_senses();
    page_types("nand.read_time", nand.read_time.size());
    page_types("nand.program_time", nand.program_time.size());
    const std::size_t types = std::max(nand.read_time.size(), nand.program_time.size());
    require(nand.read_time.size() == types || nand.read_time.size() == 1, "nand.read_time",
            fmt::format("{} values beside {} of nand.program_time; valid: one a page type, or one for all",
                        nand.read_time.size(), types));
    require(nand.program_time.size() == types || nand.program_time.size() == 1, "nand.program_time",
            fmt::format("{} values beside {} of nand.read_time; valid: one a page type, or one for all",
                        nand.program_time.size(), types));
    if (nand.page_order == "shadow") {
      require(nand.pages_per_program == 1, "nand.page_order",
              "\"shadow\" programs page by page, but nand.pages_per_program is above 1; valid: word_line");
      require(nand.pages % types == 0, "nand.page_order",
              fmt::format("\"shadow\" needs whole word lines: {} page types do not divide nand.pages, {}", types,
                          nand.pages));
    }
    require(!nand.paired_pages || nand.in_order_program, "nand.paired_pages",
            "goes by word lines that are filled in order: needs nand.in_order_program = true");
    check_passes();
    check_erase_limit();
    require(!nand.multi_plane_read || nand.planes > 1, "nand.multi_plane_read", "needs nand.planes above 1");
    const std::uint32_t parts = nand.partial_programs;
    require(nand.page_size % (std::uint64_t{parts} * config_.ftl.mapping_unit) == 0, "nand.partial_programs",
            fmt::format("{} parts of a page of {} are no multiple of ftl.mapping_unit, {}", parts,
                        bytes(nand.page_size), bytes(config_.ftl.mapping_unit)));
    require(parts == 1 || (types == 1 && nand.pages_per_program == 1 && !nand.multi_plane_program &&
                           !nand.multi_plane_read && !nand.copyback),
            "nand.partial_programs",
            "is for SLC: one page type, and neither nand.pages_per_program, nand.multi_plane_program, "
            "nand.multi_plane_read nor nand.copyback");
    require(!nand.copyback || nand.pages_per_program == 1, "nand.copyback",
            "a page register holds one page of a plane, but nand.pages_per_program is above 1");
    require(!nand.copyback || !nand.multi_plane_program || nand.multi_plane_read || nand.planes == 1, "nand.copyback",
            fmt::format("a program unit, of {} planes with nand.multi_plane_program, is read into their page registers "
                        "by one command: needs nand.multi_plane_read = true",
                        nand.planes));
  }

  // A Gray code changes one bit from each level to the next. Any k of its bits distinguish 2^k levels, so they change
  // at least 2^k - 1 times.
  void check_senses() const {
    const NandConfig& nand = config_.nand;
    if (nand.senses.empty()) return;
    constexpr std::size_t kMostBits = 5;
    const std::size_t bits = nand.senses.size();
    require(bits <= kMostBits, "nand.senses",
            fmt::format("{} page types; valid: at most {} bits a cell", bits, kMostBits));
    std::vector<std::uint32_t> senses = nand.senses;
    std::sort(senses.begin(), senses.end());
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < bits; ++i) {
      sum += senses[i];
      const std::uint32_t borders = (1U << (i + 1)) - 1;
      if (i + 1 < bits)
        require(sum >= borders, "nand.senses",
                fmt::format("the {} page types of fewest senses have {} in all, and tell {} levels apart; valid: at "
                            "least {}",
                            i + 1, sum, borders + 1, borders));
      else
        require(sum == borders, "nand.senses",
                fmt::format("{} in all for {} page types; valid: {}, one for each border between {} levels", sum, bits,
                            borders, borders + 1));
    }
    std::string times;
    for (const Picoseconds time : nand.times_by_senses())
      times += (times.empty() ? "" : ", ") + format_exact(Quantity::Time, time);
    require(nand.read_time == nand.times_by_senses(), "nand.read_time",
            fmt::format("is not what nand.senses makes of tR, {}; valid: that, or nand.senses = []", times));
    require(bits == nand.bits_a_cell(), "nand.senses",
            fmt::format("{} page types beside {} of nand.program_time or nand.pages_per_program; valid: as many", bits,
                        nand.bits_a_cell()));
  }

  void check_variation() const {
    const NandConfig& nand = config_.nand;
    const VariationConfig& variation = nand.variation;
    require(!variation.errors.any() || nand.errors.on(),
            variation.errors.die != 0     ? "nand.variation.errors_die"
            : variation.errors.block != 0 ? "nand.variation.errors_block"
                                          : "nand.variation.errors_layer",
            "needs a nand.errors.model; without bit errors nothing of them varies; valid: 0");
    require(variation.layers <= word_lines_of(nand), "nand.variation.layers",
            fmt::format("{} layers of the {} word lines that {} pages make; valid: at most as many, or 0 for a layer a "
                        "word line",
                        variation.layers, word_lines_of(nand), nand.pages));
    require(config_.ftl.superblock_by == "position" || variation.block_times(), "ftl.superblock_by",
            "\"speed\" ranks blocks, which are all alike without nand.variation.program_block or erase_block; valid: "
            "position");
  }

  void check_passes() const {
    const NandConfig& nand = config_.nand;
    const bool two = nand.program_passes == 2;
    require(two || nand.first_pass_time == 0, "nand.first_pass_time",
            "is of the first of two passes; valid with nand.program_passes = 1: 0 s");
    require(two || nand.first_pass_pages == 0, "nand.first_pass_pages",
            "is of the first of two passes; valid with nand.program_passes = 1: 0");
    if (!two) return;
    require(nand.pages_per_program > 1, "nand.program_passes",
            "2 programs all pages of a word line together: needs nand.pages_per_program above 1");
    require(nand.first_pass_pages < nand.pages_per_program, "nand.first_pass_pages",
            fmt::format("leaves the second pass nothing of the {} pages of nand.pages_per_program; valid: fewer, or 0 "
                        "where both passes take all",
                        nand.pages_per_program));
    require(nand.in_order_program, "nand.program_passes",
            "2 goes by word lines that are filled in order: needs nand.in_order_program = true");
    require(!nand.paired_pages, "nand.paired_pages",
            "is of pages that are programmed one by one; with nand.program_passes = 2 a power cut destroys what waits "
            "for its second pass in any case; valid: false");
    require(maps_pages(config_.ftl), "nand.program_passes",
            "2 keeps data of open blocks in memory, and an FTL that maps blocks merges out of these; valid with "
            "ftl.kind = " +
                config_.ftl.kind.name + ": 1");
  }

  void check_erase_limit() const {
    const NandConfig& nand = config_.nand;
    if (nand.partial_erase_limit == 0) return;
    require(nand.in_order_program, "nand.partial_erase_limit",
            "counts the pages of a block from the first on: needs nand.in_order_program = true");
    require(!nand.programs_fail(), "nand.partial_erase_limit",
            "programs padding into blocks that are given up, where a program that fails has not been decided on; valid "
            "with programs that fail in the midst of a block, or a die that does: 0");
  }

  void check_network() const {
    const NandConfig& nand = config_.nand;
    const NetworkConfig& network = nand.network;
    require(network.link_width == 0 || std::has_single_bit(network.link_width), "nand.network.link_width",
            fmt::format("is {} bits; valid: 0, 1, 2, 4, 8 or 16", network.link_width));
    require(network.link_rate == 0 || network.link_rate >= 10'000'000, "nand.network.link_rate",
            fmt::format("is {} T/s; valid: 0 T/s, or 10 MT/s and more", network.link_rate));
    if (!network.on()) return;
    const auto refuse = [](bool bad, const char* key, const char* why) {
      require(!bad, key,
              fmt::format("{}, which needs a bus for each channel; valid: without it, or nand.network.topology = "
                          "\"bus\"",
                          why));
    };
    refuse(nand.cache_read, "nand.cache_read", "puts a second command on a die beside the data of the first");
    refuse(nand.cache_program, "nand.cache_program", "loads a die while its array is busy");
    refuse(nand.program_suspend, "nand.program_suspend", "sends suspend and resume commands to the tick");
    refuse(nand.erase_suspend, "nand.erase_suspend", "sends suspend and resume commands to the tick");
    refuse(nand.way_switch_time != 0, "nand.way_switch_time", "is of chip enables on one bus");
    refuse(config_.power.is_limited() || config_.power.cap_dies != 0,
           config_.power.cap_dies != 0 ? "power.cap_dies" : "power.cap",
           "(also max_power of a power state) asks when a channel's wires are free");
    require(std::uint64_t{nand.channels} * nand.ways <= 4096, "nand.network.topology",
            fmt::format("{} channels x {} ways are {} chips of a network; valid: at most 4096", nand.channels,
                        nand.ways, std::uint64_t{nand.channels} * nand.ways));
  }

  void check_nand_energy() const {
    const NandConfig& nand = config_.nand;
    const bool bits = nand.energy_model == "bits";
    const std::size_t types = std::max(nand.read_time.size(), nand.program_time.size());
    const auto one_a_type = [types](const char* path, std::size_t count) {
      require(count == 1 || count == types, path,
              fmt::format("{} values for {} page types; valid: one a page type (as many as nand.read_time or "
                          "nand.program_time has), or one for all",
                          count, types));
    };
    one_a_type("nand.read_energy", nand.read_energy.size());
    one_a_type("nand.program_energy", nand.program_energy.size());
    require(!bits || nand.plane_current_share == 0, "nand.plane_current_share",
            "is of nand.energy_model \"current\"; by bits each plane draws the energy of its own; valid: 0");
    if (nand.bus_energy_model == "capacitance")
      require(bus_watts(nand) <= kMostDieWatts, "nand.bus_capacitance",
              fmt::format("with {} dies a channel makes its wires draw {} at nand.transfer_rate; valid: at most {}",
                          nand.ways * nand.dies, format_real(Quantity::Power, bus_watts(nand)),
                          format_real(Quantity::Power, kMostDieWatts)));
    if (!bits) return;
    for (const NandEnergy::Most& most : NandEnergy::most(nand))
      require(most.watts <= kMostDieWatts,
              most.operation == FlashOperation::Read      ? "nand.read_energy"
              : most.operation == FlashOperation::Program ? "nand.program_energy"
                                                          : "nand.erase_energy",
              fmt::format("makes a die draw {} in an operation of {}; valid: at most {}",
                          format_real(Quantity::Power, most.watts), format_exact(Quantity::Time, most.time),
                          format_real(Quantity::Power, kMostDieWatts)));
  }

  const char* cache_key() const { return config_.nand.slc_blocks != 0 ? "nand.slc_blocks" : "nand.slc_dynamic"; }

  void check_slc_cache() const {
    const NandConfig& nand = config_.nand;
    require(nand.slc_endurance == 0 || nand.slc_blocks != 0 || (nand.slc_dynamic != 0 && nand.endurance != 0),
            "nand.slc_endurance",
            "is of blocks in SLC mode: needs nand.slc_blocks above 0, or nand.slc_dynamic with nand.endurance");
    if (!nand.any_slc()) return;
    require(nand.slc_blocks < nand.blocks, "nand.slc_blocks",
            fmt::format("{} of the {} blocks of a plane leave none for the capacity; valid: fewer", nand.slc_blocks,
                        nand.blocks));
    require(nand.slc_dynamic <= nand.blocks - nand.slc_blocks, "nand.slc_dynamic",
            fmt::format("{} of the {} blocks of a plane that are not always in SLC mode; valid: at most {}",
                        nand.slc_dynamic, nand.blocks - nand.slc_blocks, nand.blocks - nand.slc_blocks));
    check_cells();
    check_times();
    check_ftl();
  }

  void check_cells() const {
    const NandConfig& nand = config_.nand;
    const std::size_t types = std::max(nand.read_time.size(), nand.program_time.size());
    require(types > 1 || nand.pages_per_program > 1, cache_key(),
            "is for cells of several bits: needs as many values of nand.read_time or nand.program_time, or of "
            "nand.pages_per_program; valid: 0");
    const NandGeometry geometry = geometry_of(config_);
    require(geometry.slc_pages != 0, cache_key(),
            fmt::format("a block of {} pages holds no whole program unit in SLC mode; valid: 0, or more nand.pages",
                        nand.pages));
    require(!nand.paired_pages, "nand.paired_pages",
            fmt::format("goes by word lines of several pages, and in SLC mode they have one; valid with {}: false",
                        cache_key()));
    require(
        !nand.copyback, "nand.copyback",
        fmt::format("copies without the controller, which folding from SLC needs; valid with {}: false", cache_key()));
  }

  // Power governor and arbitration take the times of normal blocks as the longest, so those in SLC mode must be
  // shorter.
  void check_times() const {
    const NandConfig& nand = config_.nand;
    const auto at_most = [](const char* path, Picoseconds time, const char* other, Picoseconds most) {
      require(time <= most, path,
              fmt::format("makes {}, longer than {}, {}: SLC mode is the faster one",
                          format_exact(Quantity::Time, time), other, format_exact(Quantity::Time, most)));
    };
    at_most("nand.slc_read_time", nand.slc_read_time, "the longest nand.read_time",
            *std::max_element(nand.read_time.begin(), nand.read_time.end()));
    at_most("nand.slc_program_time", nand.pages_per_program * nand.slc_program_time, "the longest nand.program_time",
            *std::max_element(nand.program_time.begin(), nand.program_time.end()));
    at_most("nand.slc_erase_time", nand.slc_erase_time, "nand.erase_time", nand.erase_time);
  }

  void check_ftl() const {
    const FtlConfig& ftl = config_.ftl;
    require(maps_pages(ftl), cache_key(),
            fmt::format("makes a write cache, which is for FTLs that map pages, and ftl.kind is \"{}\"; valid: 0",
                        ftl.kind.name));
    require(!collects_superblocks(ftl), "ftl.gc_unit",
            fmt::format("\"superblock\" does not fold a write cache; valid with {}: block", cache_key()));
  }

  const DeviceConfig& config_;
};

}  // namespace

void check_nand(const DeviceConfig& config) { NandValidator(config).run(); }

}  // namespace flashloom
