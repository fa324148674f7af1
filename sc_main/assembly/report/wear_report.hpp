// Wear of the flash: the part `wear` of a result.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "models/nand/nand_media.hpp"

namespace flashloom {

nlohmann::ordered_json wear_json(const NandMedia& media, std::uint32_t bad_blocks);

}  // namespace flashloom
