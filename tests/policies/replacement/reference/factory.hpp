// The slow reference of a policy by the name and parameters of the registry.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "policies/parameters.hpp"
#include "tests/policies/replacement/reference/belady.hpp"
#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

struct CacheShape {
  std::size_t capacity = 0;         ///< pages
  std::size_t pages_per_block = 4;  ///< for policies that write by blocks
  bool shared_budget = false;       ///< all pages with data share the capacity
  const References* future = nullptr;
  std::function<bool(Page)> stored = [](Page) { return true; };  ///< what the FTL answers to FLRU
};

/// Null if there is no reference of this name. Parameters that are not given have the references' defaults.
std::unique_ptr<Cache> make_reference(const PolicyChoice& choice, const CacheShape& setup);

}  // namespace flashloom::reference
