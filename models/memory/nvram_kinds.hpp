// The kinds of NVRAM: presets for nvram.kind in a device file.
#pragma once

#include <span>
#include <string_view>

#include "models/memory/memory_config.hpp"

namespace flashloom {

/// Figures of a kind, all of which a device file may override.
struct NvramKind {
  std::string_view name;     ///< "stt_mram"
  std::string_view summary;  ///< one line
  std::string_view source;   ///< where the figures come from, and what is assumed
  NvramConfig defaults;
};

/// All kinds, without "none".
std::span<const NvramKind> nvram_kinds();

/// The kind of that name; null if there is none.
const NvramKind* find_nvram_kind(std::string_view name);

}  // namespace flashloom
