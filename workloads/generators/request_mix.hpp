// A mixture of requests: shares of reads, writes and trims, a distribution of sizes, sequential runs and random places
// with or without skew. The generators `mix` and `bursts` use it.
#pragma once

#include <optional>
#include <vector>

#include "workloads/distributions.hpp"
#include "workloads/generators/generator.hpp"
#include "workloads/permutation.hpp"

namespace flashloom {

class RequestMix {
 public:
  /// Declares the parameters, including those of the budget; the constructor reads them.
  static std::vector<GeneratorParameter> parameters();
  /// Throws GeneratorError.
  RequestMix(const GeneratorValues& values, const GeneratorContext& context);

  /// The next request, without an arrival time; false when the budget is spent.
  bool next(Request& request);
  /// See RequestSource. Draws the places of the reads as next() does, but does not compute their offsets.
  std::uint64_t pass_reads(std::uint64_t most, std::uint64_t& bytes);
  std::uint64_t expected_requests() const;

 private:
  std::uint64_t draw_length() { return size_ ? sizes_[(*size_)(random_)] : sizes_.front(); }
  std::uint64_t draw_place();
  std::uint64_t offset_of(std::uint64_t place) const { return (scatter_ ? (*scatter_)(place) : place) * align_; }
  std::uint64_t behind_last(std::uint64_t length) const { return cursor_ > capacity_ - length ? 0 : cursor_; }

  RequestBudget budget_;
  Random random_;
  double read_;
  double trim_;
  double zeroes_;
  double random_share_;
  double fua_;
  std::uint64_t flush_every_;
  std::vector<std::uint64_t> sizes_;
  std::optional<WeightedIndex> size_;
  std::uint64_t capacity_;
  std::uint64_t align_ = 0;
  std::uint64_t places_ = 0;  // number of places at which a request can begin, in steps of align_
  std::optional<ZipfRank> zipf_;
  std::uint64_t hot_places_ = 0;  // 0: no hot and cold places
  double hot_access_;
  std::optional<RandomPermutation> scatter_;
  std::uint64_t cursor_ = 0;    // end of the last request
  std::optional<double> kind_;  // random number for the next request's kind, if drawn already
  std::uint64_t writes_ = 0;    // since the last flush
};

}  // namespace flashloom
