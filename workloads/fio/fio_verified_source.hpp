// A fio job that reads back and checks what it has written.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "workloads/fio/fio_verify.hpp"
#include "workloads/paced_source.hpp"

namespace flashloom {

/// Gives out the requests of another source and, after all of them have completed, one read for each write whose data
/// were not overwritten, by ascending offset. (fio differs: it reads back after each loop, and reads sequential writes
/// back in the order in which they were written.)
class FioVerifiedSource final : public PacedSource {
 public:
  FioVerifiedSource(std::unique_ptr<PacedSource> source, FioContents& contents)
      : source_(std::move(source)), contents_(contents) {}

  bool next(Request& request) override;
  void advance(std::uint64_t now_ps) override { source_->advance(now_ps); }
  Pace pace() const override { return reading_ ? pace_ : source_->pace(); }
  SourcePosition position() const override { return source_->position(); }

  /// Number of the other source's reads.
  std::uint64_t other_reads() const { return reads_; }
  bool reads_back() const { return reading_; }

 private:
  std::unique_ptr<PacedSource> source_;
  FioContents& contents_;
  bool wrote_ = false;
  bool reading_ = false;
  std::uint8_t stream_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t from_ = 0;  // offset from which to read back next
  Pace pace_;
};

}  // namespace flashloom
