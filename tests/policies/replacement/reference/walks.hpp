// Traces worked by hand, step by step, for each policy from its paper.
#pragma once

#include <string>
#include <vector>

#include "policies/parameters.hpp"

namespace flashloom::reference {

struct WalkStep {
  std::string reference;  ///< a page by its letter; "w" before it: written
  std::string outcome;    ///< as text_of(): m, h, g, d; behind "-" the evicted pages, in capitals if written back
  std::string state;      ///< as Cache::state() afterwards
};

struct Walk {
  std::string name;
  PolicyChoice policy;
  std::size_t capacity;  ///< pages
  std::vector<WalkStep> steps;
  std::size_t pages_per_block = 2;
  std::string stored{};  ///< pages that the FTL says it holds
};

std::vector<Walk> textbook_walks();
std::vector<Walk> ghost_walks();
std::vector<Walk> flash_walks();
std::vector<Walk> dld_arc_walks();
std::vector<Walk> dld_walks();
std::vector<Walk> all_walks();

}  // namespace flashloom::reference
