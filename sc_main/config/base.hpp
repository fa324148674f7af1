// Device files that are laid over another one: `base = "samsung-970-evo-1tb"`.
#pragma once

#include <string>

#include "sc_main/config/document.hpp"

namespace flashloom {

/// What a device file says, with all that it is laid over.
struct BasedDocument {
  ConfigNode document;  ///< without `base`
  std::string bytes;    ///< of all the files, the first one's first: what the hash is of
};

/// Parses a device file and lays it over the file that its key `base` names: one that lies beside it (.toml may be left out), or a preset; that may
/// have a base, too. Keys of the upper file replace those below, tables are laid over key by key, arrays and parts (tables
/// with a `name`) as a whole. What the lower file says in `source` and `uncertainty` of a key that is replaced goes with
/// it. Throws ConfigError: a base that is missing, or is laid over itself.
BasedDocument parse_based(const std::string& text, const std::string& name);

}  // namespace flashloom
