// DLD over 2Q, LIRS and S3-FIFO; policies/replacement/dld.hpp has the rules, and two_q.hpp, lirs.hpp and s3_fifo.hpp
// here what the base policies leave open.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

/// The real pages and clean ghosts of a base policy.
class DoubleCache {
 public:
  virtual ~DoubleCache() = default;
  virtual bool has(Page page) const = 0;
  virtual std::size_t real() const = 0;
  virtual void hit(Page page) = 0;
  virtual bool remembers(Page page) const = 0;
  virtual std::size_t ghosts() const = 0;
  virtual void forget_oldest() = 0;
  /// A page that is not real will enter, after room is made.
  virtual void comes(Page /*page*/) {}
  virtual Page take_victim() = 0;
  /// The victim was clean: it becomes a ghost if the policy remembers it.
  virtual void remember(Page victim) = 0;
  /// A page of D was written.
  virtual void forget(Page /*page*/) {}
  virtual void enter(Page page, bool known) = 0;
  virtual void fit(std::size_t capacity) = 0;
  virtual std::vector<std::pair<std::string, const List*>> lists() const = 0;

  std::size_t most_ghosts = 0;

 protected:
  static std::size_t share(std::size_t capacity, double part) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(part * static_cast<double>(capacity)));
  }
};

class DoubleTwoQ final : public DoubleCache {
 public:
  DoubleTwoQ(std::size_t capacity, double in, double out) : in_(in), kin_(share(capacity, in)) {
    most_ghosts = share(capacity, out);
  }
  bool has(Page x) const override { return a1in_.contains(x) || am_.contains(x); }
  std::size_t real() const override { return a1in_.size() + am_.size(); }
  void hit(Page x) override {
    if (am_.contains(x)) am_.move_to_head(x);
  }
  bool remembers(Page x) const override { return a1out_.contains(x); }
  std::size_t ghosts() const override { return a1out_.size(); }
  void forget_oldest() override { a1out_.pop_tail(); }
  Page take_victim() override {
    from_in_ = a1in_.size() > kin_ || am_.empty();
    return from_in_ ? a1in_.pop_tail() : am_.pop_tail();
  }
  void remember(Page x) override {
    if (!from_in_) return;
    a1out_.push_head(x);
    if (a1out_.size() > most_ghosts) a1out_.pop_tail();
  }
  void enter(Page x, bool known) override {
    if (a1out_.contains(x)) a1out_.erase(x);
    (known ? am_ : a1in_).push_head(x);
  }
  void fit(std::size_t capacity) override { kin_ = share(capacity, in_); }
  std::vector<std::pair<std::string, const List*>> lists() const override {
    return {{"A1in", &a1in_}, {"Am", &am_}, {"A1out", &a1out_}};
  }

 private:
  double in_;
  std::size_t kin_;
  bool from_in_ = false;
  List a1in_, am_, a1out_;
};

class DoubleS3Fifo final : public DoubleCache {
 public:
  DoubleS3Fifo(std::size_t capacity, double small) : share_(small) {
    fit(capacity);
    most_ghosts = main_;
  }
  bool has(Page x) const override { return s_.contains(x) || m_.contains(x); }
  std::size_t real() const override { return s_.size() + m_.size(); }
  void hit(Page x) override { counter_[x] = std::min(counter_[x] + 1, 3); }
  bool remembers(Page x) const override { return g_.contains(x); }
  std::size_t ghosts() const override { return g_.size(); }
  void forget_oldest() override { g_.pop_tail(); }
  Page take_victim() override {
    from_small_ = true;
    while (m_.size() <= main_ && (s_.size() >= small_ || m_.empty())) {
      const Page t = s_.pop_tail();
      if (counter_.at(t) < 2) return t;
      counter_[t] = 0;
      m_.push_head(t);
    }
    from_small_ = false;
    for (;;) {
      const Page t = m_.pop_tail();
      if (counter_.at(t) == 0) return t;
      --counter_[t];
      m_.push_head(t);
    }
  }
  void remember(Page x) override {
    if (!from_small_) return;
    g_.push_head(x);
    if (g_.size() > most_ghosts) g_.pop_tail();
  }
  void enter(Page x, bool known) override {
    counter_[x] = 0;
    if (g_.contains(x)) g_.erase(x);
    (known ? m_ : s_).push_head(x);
  }
  void fit(std::size_t capacity) override {
    small_ = share(capacity, share_);
    main_ = capacity - std::min(capacity, small_);
  }
  std::vector<std::pair<std::string, const List*>> lists() const override {
    return {{"S", &s_}, {"M", &m_}, {"G", &g_}};
  }

 private:
  double share_;
  std::size_t small_ = 0;
  std::size_t main_ = 0;
  bool from_small_ = false;
  List s_, m_, g_;
  std::unordered_map<Page, int> counter_;
};

class DoubleLirs final : public DoubleCache {
 public:
  DoubleLirs(std::size_t capacity, double hir, std::size_t ghosts) : hir_(hir) {
    fit(capacity);
    most_ghosts = ghosts;
  }
  bool has(Page x) const override { return lir_.contains(x) || queue_.contains(x); }
  std::size_t real() const override { return lir_.size() + queue_.size(); }
  void hit(Page x) override {
    if (lir_.contains(x)) {
      stack_.move_to_head(x);
      prune();
      return;
    }
    queue_.erase(x);
    if (stack_.contains(x) && most_lir_ != 0)
      become_lir(x);
    else
      become_hir(x);
  }
  bool remembers(Page x) const override { return ghosts_.contains(x); }
  std::size_t ghosts() const override { return ghosts_.size(); }
  void forget_oldest() override { stack_.erase(ghosts_.pop_tail()); }
  void comes(Page x) override {
    if (ghosts_.contains(x)) ghosts_.erase(x);
  }
  Page take_victim() override { return queue_.pop_tail(); }
  void remember(Page x) override {
    if (!stack_.contains(x)) return;
    ghosts_.push_head(x);
    if (ghosts_.size() > most_ghosts) forget_oldest();
  }
  void forget(Page x) override {
    if (stack_.contains(x)) stack_.erase(x);
  }
  void enter(Page x, bool) override {
    if (lir_.size() < most_lir_ || (stack_.contains(x) && most_lir_ != 0))
      become_lir(x);
    else
      become_hir(x);
  }
  void fit(std::size_t capacity) override {
    most_lir_ = capacity - std::min(capacity, share(capacity, hir_));
    while (lir_.size() > most_lir_) demote();
  }
  std::vector<std::pair<std::string, const List*>> lists() const override {
    return {{"S", &stack_}, {"LIR", &lir_}, {"Q", &queue_}, {"gone", &ghosts_}};
  }

 private:
  void on_top(Page x) {
    if (stack_.contains(x)) stack_.erase(x);
    stack_.push_head(x);
  }
  void become_lir(Page x) {
    on_top(x);
    lir_.push_head(x);
    if (lir_.size() > most_lir_) demote();
    prune();
  }
  void become_hir(Page x) {
    on_top(x);
    queue_.push_head(x);
    prune();
  }
  void demote() {
    const Page bottom = stack_.pop_tail();
    lir_.erase(bottom);
    queue_.push_head(bottom);
    prune();
  }
  void prune() {
    while (!stack_.empty() && !lir_.contains(stack_.tail())) {
      const Page page = stack_.pop_tail();
      if (ghosts_.contains(page)) ghosts_.erase(page);
    }
  }

  double hir_;
  std::size_t most_lir_ = 0;
  List stack_, lir_, queue_, ghosts_;
};

class Dld final : public Cache {
 public:
  Dld(std::size_t capacity, std::unique_ptr<DoubleCache> base, std::size_t pages_per_block, bool shared,
      double dirty_share)
      : Cache(capacity),
        base_(std::move(base)),
        pages_per_block_(pages_per_block),
        shared_(shared),
        most_dirty_(static_cast<std::size_t>(std::floor(dirty_share * static_cast<double>(capacity)))) {}
  std::size_t resident() const override { return base_->real() + d_.size(); }
  std::string state() const override {
    std::string all;
    for (const auto& [name, list] : base_->lists()) all += name + "=" + text(*list) + " ";
    return all + "D=" + text(d_) + " delays=" + std::to_string(delays_);
  }

 private:
  Hit decide(Page x, bool) override {
    if (base_->has(x)) {
      base_->hit(x);
      return Hit::Real;
    }
    const bool kept = d_.contains(x);
    const bool remembered = base_->remembers(x);
    base_->comes(x);
    if (kept) d_.erase(x);
    if (shared_ && !kept) {
      while (resident() >= capacity_) {
        if (!d_.empty() && (due_ || d_.size() > most_dirty_ || base_->real() == 0)) {
          write();
        } else {
          base_->fit(capacity_ - d_.size());
          replace();
        }
      }
    } else if (!shared_ && base_->real() >= capacity_) {
      replace();
    }
    base_->enter(x, kept || remembered);
    return kept ? Hit::DirtyGhost : remembered ? Hit::Ghost : Hit::Miss;
  }
  void replace() {
    const Page victim = base_->take_victim();
    if (dirty(victim)) {
      d_.push_head(victim);
    } else {
      leaves(victim);
      base_->remember(victim);
    }
    if (d_.empty() || (d_.size() + base_->ghosts() <= base_->most_ghosts && d_.size() <= capacity_)) return;
    if (base_->ghosts() != 0 && delays_ < capacity_ && d_.size() <= capacity_) {
      ++delays_;
      base_->forget_oldest();
      return;
    }
    delays_ = 0;
    if (shared_)
      due_ = true;
    else
      write();
  }
  void write() {
    due_ = false;
    for (std::size_t n = 0; n < pages_per_block_ && !d_.empty(); ++n) {
      base_->forget(d_.tail());
      leaves(d_.pop_tail());
    }
  }

  std::unique_ptr<DoubleCache> base_;
  std::size_t pages_per_block_;
  bool shared_;
  std::size_t most_dirty_;
  List d_;
  std::size_t delays_ = 0;
  bool due_ = false;
};

}  // namespace flashloom::reference
