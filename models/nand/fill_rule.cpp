#include "models/nand/fill_rule.hpp"

namespace flashloom {

FillRule::FillRule(const NandGeometry& geometry, const FillWords& words)
    : words_(words),
      pages_(geometry.program_pages),
      units_per_page_(geometry.units_per_page),
      units_per_program_(geometry.units_per_program()),
      memory_(std::size_t{geometry.dies} * geometry.blocks * (geometry.pages / geometry.program_pages) *
              sizeof(std::uint32_t)),
      numbers_(reinterpret_cast<std::uint32_t*>(memory_.data())),
      held_(std::size_t{geometry.dies} * geometry.blocks) {}

}  // namespace flashloom
