// CLOCK, textbook (Corbato, "A Paging Experiment with the Multics System", 1968): pages on a circle, a hand, a
// reference bit each. The hand clears set bits as it passes and evicts the first page whose bit is clear; the new page
// comes into that frame and the hand moves past it. With a counter in place of the bit it is GCLOCK. Open: whether the
// reference that loads a page sets its bit (the hardware of the textbooks would; many implementations do not):
// `initial` decides.
#pragma once

#include <algorithm>

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class Clock final : public PlainCache {
 public:
  Clock(std::size_t capacity, int most, int initial) : PlainCache(capacity), most_(most), initial_(initial) {}
  std::size_t resident() const override { return frames_.size(); }
  /// Frames in their order, "'" behind a set bit, ">" before the hand's frame.
  std::string state() const override {
    std::string all;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      if (i == hand_) all += '>';
      all += name_of(frames_[i].page, dirty(frames_[i].page));
      all.append(static_cast<std::size_t>(frames_[i].counter), '\'');
    }
    return all;
  }

 private:
  struct Frame {
    Page page;
    int counter;
  };

  bool contains(Page page) const override { return where_.count(page) != 0; }
  void hit(Page page, bool) override {
    frames_[where_.at(page)].counter = std::min(most_, frames_[where_.at(page)].counter + 1);
  }
  Page take_victim() override {
    while (frames_[hand_].counter != 0) {
      --frames_[hand_].counter;
      hand_ = (hand_ + 1) % frames_.size();
    }
    const Page page = frames_[hand_].page;
    where_.erase(page);
    vacant_ = true;
    return page;
  }
  void enter(Page page, bool) override {
    if (vacant_) {
      frames_[hand_] = {page, initial_};
      where_[page] = hand_;
      hand_ = (hand_ + 1) % frames_.size();
      vacant_ = false;
    } else {
      where_[page] = frames_.size();
      frames_.push_back({page, initial_});
    }
  }

  int most_;
  int initial_;
  std::vector<Frame> frames_;
  std::unordered_map<Page, std::size_t> where_;
  std::size_t hand_ = 0;
  bool vacant_ = false;  // the frame at the hand is empty
};

}  // namespace flashloom::reference
