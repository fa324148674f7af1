#include "models/nand/nand_geometry.hpp"

#include "models/nand/nand_config.hpp"

namespace flashloom {
namespace {

/// Pages of a physical block in pseudo-SLC mode, in whole program units.
std::uint32_t pages_in_slc_mode(const NandConfig& config) {
  if (config.slc_blocks == 0 && config.slc_dynamic == 0) return 0;
  const std::uint32_t pages = config.pages / config.bits_a_cell();
  return pages / config.pages_per_program * config.pages_per_program;
}

std::uint32_t frame_of(const NandConfig& config, std::uint32_t unit) {
  const std::uint32_t whole = config.errors.on() ? config.ecc.codeword : 1;
  return std::min((config.ecc.frame + whole - 1) / whole * whole, unit);
}

}  // namespace

NandGeometry::NandGeometry(const NandConfig& config, std::uint32_t mapping_unit_bytes, std::uint32_t density)
    : channels(config.channels),
      ways(config.ways),
      dies_per_way(config.dies),
      dies(config.channels * config.ways * config.dies),
      planes(config.planes),
      planes_together(config.multi_plane_program ? config.planes : 1),
      blocks(config.blocks * config.planes / planes_together),
      pages(config.pages * planes_together * config.partial_programs),
      program_pages(config.pages_per_program * planes_together),
      multi_plane_read(config.multi_plane_read && config.planes > 1),
      plane_groups(config.independent_planes),
      partial_programs(config.partial_programs),
      copyback(config.copyback),
      in_order_program(config.in_order_program),
      page_bytes(config.page_size / config.partial_programs),
      whole_units_per_page(page_bytes / mapping_unit_bytes),
      units_per_page(whole_units_per_page * density),
      unit_bytes(mapping_unit_bytes),
      slc_blocks(config.slc_blocks * config.planes / planes_together),
      slc_dynamic(config.slc_dynamic * config.planes / planes_together),
      slc_pages(pages_in_slc_mode(config) * planes_together),
      read_frame(frame_of(config, mapping_unit_bytes)),
      two_passes(config.program_passes == 2),
      erase_limit_(config.partial_erase_limit),
      pages_per_program_(config.pages_per_program),
      first_pass_bytes_(planes_together * page_bytes *
                        (config.first_pass_pages != 0 ? config.first_pass_pages : config.pages_per_program)),
      second_pass_bytes_(planes_together * page_bytes *
                         (config.first_pass_pages == 0 ? config.pages_per_program
                                                       : config.pages_per_program - config.first_pass_pages)),
      plane_first_(config.unit_layout == "plane_first") {
  const auto types = static_cast<std::uint32_t>(std::max(config.read_time.size(), config.program_time.size()));
  if (config.paired_pages && config.pages_per_program < types)
    pairs = std::make_shared<const PageOrder>(config.pages, types, config.page_order == "shadow");
}

}  // namespace flashloom
