// Device files that override another one: `base = "samsung-970-evo-1tb"`.
#pragma once

#include <string>

#include "sc_main/assembly/config/document.hpp"
#include "sc_main/assembly/config/give_way.hpp"

namespace flashloom {

/// A device file merged with its bases.
struct BasedDocument {
  ConfigNode document;  ///< without `base`
  std::string bytes;    ///< of all files, beginning with the first one; input of the hash
  DroppedValues dropped{};
};

/// Parses a device file and merges it with the file that its key `base` names: a file beside it (.toml may be left out)
/// or a preset, which may have a base, too. Keys of the upper file replace those of the base; tables are merged key by
/// key, arrays and parts (tables with a `name`) are replaced as a whole. The base's `source` and `uncertainty` of a
/// replaced key are dropped, and so is what gives way to a choice above it (give_way.hpp). Throws ConfigError if a base
/// is missing or (indirectly) its own base.
BasedDocument parse_based(const std::string& text, const std::string& name);

}  // namespace flashloom
