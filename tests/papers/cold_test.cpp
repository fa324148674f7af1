// COLD's detectors beside a transcription of section III of J. K. Park, "COLD", J. KSCI 21(2), 2016, on random buffers.
// Its worked example, figures 2 and 5, is tests/system/cold_example_test.cpp.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/papers/streams.hpp"
#include "tests/policies/correlation/detector_bench.hpp"

namespace flashloom::cold_test {
namespace {

using papers::agree_on;
using papers::Stream;
using Pages = DetectorBench::Pages;

// Every question looks at all buffered pages. Ours: a set is cut into pieces of `limit` pages; a page written again
// leaves its window, unless that still fills; "delta or more", not "more than delta" (the paper has both).
class Paper {
 public:
  Paper(std::size_t delta, std::size_t limit, std::size_t window) : delta_(delta), limit_(limit), window_(window) {}

  void write(std::uint64_t page, std::uint64_t request) {
    buffered_.insert(page);
    const std::pair arrival{page, request};
    if (std::find(by_request_.begin(), by_request_.end(), arrival) == by_request_.end()) {
      std::erase_if(by_request_, [page](const auto& other) { return other.first == page; });
      by_request_.push_back(arrival);
    }
    if (std::find(filling_.begin(), filling_.end(), page) != filling_.end()) return;
    for (Pages& window : windows_) std::erase(window, page);
    filling_.push_back(page);
    if (++arrived_ < window_) return;
    windows_.push_back(std::exchange(filling_, {}));
    arrived_ = 0;
  }
  void remove(std::uint64_t page) {
    buffered_.erase(page);
    std::erase(filling_, page);
    std::erase_if(by_request_, [page](const auto& other) { return other.first == page; });
    for (Pages& window : windows_) std::erase(window, page);
  }

  // "Sorted by logical address, a set with consecutive logical addresses and of delta or more is a COLD set."
  Pages spatial(std::uint64_t page) const {
    Pages run;
    for (const std::uint64_t next : buffered_) {
      if (!run.empty() && run.back() + 1 != next) {
        if (run.back() >= page) break;
        run.clear();
      }
      run.push_back(next);
    }
    return piece(run, page);
  }
  // "The size of the time window is delta; data are divided by delta": the window of this page.
  Pages temporal(std::uint64_t page) const {
    for (const Pages& window : windows_)
      if (std::find(window.begin(), window.end(), page) != window.end()) return window;
    return {};
  }
  // Ours: what is in no run goes by its window.
  Pages both(std::uint64_t page) const {
    if (const Pages run = spatial(page); !run.empty()) return run;
    Pages rest = temporal(page);
    std::erase_if(rest, [this](std::uint64_t other) { return !spatial(other).empty(); });
    return rest;
  }
  // "Data of one request are likely to be updated together"; no detector of the paper: what the request wrote last.
  Pages request(std::uint64_t page) const {
    const auto last = std::find_if(by_request_.begin(), by_request_.end(),
                                   [page](const auto& arrival) { return arrival.first == page; });
    Pages pages;
    for (const auto& [other, of] : by_request_)
      if (of == last->second) pages.push_back(other);
    return piece(pages, page);
  }

 private:
  Pages piece(const Pages& set, std::uint64_t page) const {
    if (set.size() < delta_) return {};
    Pages piece;
    for (const std::uint64_t member : set) {
      if (piece.size() == limit_) {
        if (std::find(piece.begin(), piece.end(), page) != piece.end()) break;
        piece.clear();
      }
      piece.push_back(member);
    }
    return piece;
  }

  std::size_t delta_, limit_, window_;
  std::set<std::uint64_t> buffered_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> by_request_;  // page, request that wrote it last
  std::vector<Pages> windows_;
  Pages filling_;
  std::size_t arrived_ = 0;  // in the window that fills, those that have left included
};

class ColdPaper : public testing::TestWithParam<const char*> {};

TEST_P(ColdPaper, SetsOfEveryPage) {
  const std::string name = GetParam();
  std::uint64_t sets = 0;
  agree_on(300, [&](Stream& stream) {
    const auto delta = static_cast<std::int64_t>(2 + stream.below(5));
    const auto limit = static_cast<std::int64_t>(1 + stream.below(8));
    const auto window = static_cast<std::int64_t>(2 + stream.below(5));
    stream.tell("delta " + std::to_string(delta) + ", limit " + std::to_string(limit) + ", window " +
                std::to_string(window) + ":");
    std::map<std::string, ParameterValue> values{{"threshold", name == "temporal" ? window : delta}};
    if (name != "temporal") values["limit"] = limit;
    if (name == "both") values["window"] = window;
    DetectorBench buffer(name, values);
    Paper paper(static_cast<std::size_t>(delta), static_cast<std::size_t>(limit), static_cast<std::size_t>(window));
    std::uint64_t page = 0;
    std::uint64_t request = 0;
    for (int step = 0; step < 80 && stream.goes_on(); ++step) {
      if (stream.one_in(3)) page = stream.below(40);
      if (buffer.has(page) && stream.one_in(2)) {
        stream.tell("remove ", page);
        buffer.remove(page);
        paper.remove(page);
      } else if (!buffer.full()) {
        if (stream.one_in(4)) ++request;
        const std::uint64_t of = stream.one_in(6) && request != 0 ? request - 1 : request;  // requests may mix
        stream.tell("write " + std::to_string(page) + " by " + std::to_string(of));
        buffer.write(page, of);
        paper.write(page, of);
      }
      ++page;
      if (stream.one_in(20)) buffer.reload();
      for (const std::uint64_t asked : buffer.pages()) {
        const Pages set = name == "spatial"    ? paper.spatial(asked)
                          : name == "temporal" ? paper.temporal(asked)
                          : name == "both"     ? paper.both(asked)
                                               : paper.request(asked);
        sets += set.size() > 1 ? 1 : 0;
        stream.compare(buffer.set_of(asked), set);
      }
    }
  });
  EXPECT_TRUE(HasFailure() || sets > 10'000) << sets;
}

INSTANTIATE_TEST_SUITE_P(All, ColdPaper, testing::Values("spatial", "temporal", "both", "request"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace flashloom::cold_test
