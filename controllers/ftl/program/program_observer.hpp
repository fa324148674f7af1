// Who hears of programs and of closed blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/records/block_info.hpp"

namespace flashloom {

/// Hears of programs whose data are on flash and safe there.
class ProgramObserver {
 public:
  /// `words`: one per unit of the program unit; `sequence`: of the block's first page.
  virtual void programmed(BlockNumber block, std::uint32_t first_page, std::uint64_t sequence, const OobWord* words,
                          std::uint32_t units) = 0;

 protected:
  ~ProgramObserver() = default;
};

/// Hears of closed blocks.
class CloseObserver {
 public:
  virtual void closed(BlockNumber block) = 0;

 protected:
  ~CloseObserver() = default;
};

class ProgramObservers {
 public:
  void add(ProgramObserver& observer) { all_.push_back(&observer); }
  bool none() const { return all_.empty(); }
  void programmed(BlockNumber block, std::uint32_t first_page, std::uint64_t sequence, const OobWord* words,
                  std::uint32_t units) const {
    for (ProgramObserver* const each : all_) each->programmed(block, first_page, sequence, words, units);
  }

 private:
  std::vector<ProgramObserver*> all_;
};

}  // namespace flashloom
