// A mixture of requests: shares of reads, writes and trims, a distribution of sizes, sequential runs and random places
// with or without skew. What the generators `mix` and `bursts` have in common.
#pragma once

#include <optional>
#include <vector>

#include "workloads/distributions.hpp"
#include "workloads/generators/generator.hpp"
#include "workloads/permutation.hpp"

namespace flashloom {

class RequestMix {
 public:
  /// Declared with the budget's parameters; read by the constructor.
  static std::vector<GeneratorParameter> parameters();
  /// Throws GeneratorError.
  RequestMix(const GeneratorValues& values, const GeneratorContext& context);

  /// The next request, without an arrival time; false when the budget is spent.
  bool next(Request& request);
  std::uint64_t expected_requests() const;

 private:
  std::uint64_t place(std::uint64_t length);

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
  std::uint64_t places_ = 0;  // where a request may begin, in steps of align_
  std::optional<ZipfRank> zipf_;
  std::uint64_t hot_places_ = 0;  // 0: no classes
  double hot_access_;
  std::optional<RandomPermutation> scatter_;
  std::uint64_t cursor_ = 0;  // end of the last request
  std::uint64_t writes_ = 0;  // since the last flush
};

}  // namespace flashloom
