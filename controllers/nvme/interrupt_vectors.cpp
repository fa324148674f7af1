#include "controllers/nvme/interrupt_vectors.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace flashloom::nvme {
namespace {

constexpr std::uint32_t kControl = 3;  // word of a table entry
constexpr std::uint32_t kMasked = 1;

}  // namespace

struct InterruptVectors::Vector {
  explicit Vector(InterruptVectors& vectors) : on_link(vectors, *this), patience(vectors, *this) {}

  // The message arrives; or the aggregation time of `batch` is over.
  struct Arrival final : Timer {
    Arrival(InterruptVectors& vectors, Vector& vector) : of(vectors), owner(vector) {}
    void on_timer() override {
      --of.on_link_;
      of.deliver(owner);
    }
    InterruptVectors& of;
    Vector& owner;
  };
  struct Patience final : Timer {
    Patience(InterruptVectors& vectors, Vector& vector) : of(vectors), owner(vector) {}
    void on_timer() override {
      running = false;
      if (owner.waiting == 0) return;
      if (kernel_now() >= until) return of.mature(owner);
      running = true;
      of.timers_.schedule(*this, until);  // it was begun for an earlier batch
    }
    InterruptVectors& of;
    Vector& owner;
    Picoseconds until = 0;
    bool running = false;
  };

  std::array<std::uint32_t, 4> entry{0, 0, 0, kMasked};  // address, address, data, control
  bool pending = false;
  bool alone = false;         // not aggregated
  std::uint32_t waiting = 0;  // completions not told of
  Arrival on_link;
  Patience patience;
};

InterruptVectors::InterruptVectors(std::uint32_t count, Picoseconds message_time, const PciConfiguration& pci, Dma& dma,
                                   Runtime& runtime, TimerQueue& timers)
    : message_time_(message_time), pci_(pci), dma_(dma), runtime_(runtime), timers_(timers) {
  for (std::uint32_t i = 0; i < count; ++i) vectors_.push_back(std::make_unique<Vector>(*this));
}

InterruptVectors::~InterruptVectors() = default;

std::uint32_t InterruptVectors::read_table(std::uint32_t offset) const {
  return vectors_[offset / kTableEntry]->entry[offset % kTableEntry / 4];
}

void InterruptVectors::write_table(std::uint32_t offset, std::uint32_t value) {
  const std::uint32_t word = offset % kTableEntry / 4;
  vectors_[offset / kTableEntry]->entry[word] = word == 0 ? value & ~3U : word == kControl ? value & kMasked : value;
  send_pending();
}

void InterruptVectors::mask(std::uint32_t vector, bool masked) {
  vectors_[vector]->entry[kControl] = masked ? kMasked : 0;
  send_pending();
}

bool InterruptVectors::idle() const {
  return on_link_ == 0 && std::all_of(vectors_.begin(), vectors_.end(), [](const auto& v) { return v->waiting == 0; });
}

std::uint32_t InterruptVectors::read_pending(std::uint32_t offset) const {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t vector = offset * 8 + i;
    if (vector < count() && vectors_[vector]->pending) bits |= 1U << i;
  }
  return bits;
}

void InterruptVectors::aggregate(std::uint32_t threshold, Picoseconds time) {
  threshold_ = time == 0 ? 1 : threshold;
  time_ = time;
  for (const auto& vector : vectors_)
    if (vector->waiting != 0) mature(*vector);
}

void InterruptVectors::set_aggregated(std::uint32_t vector, bool aggregated) {
  vectors_[vector]->alone = !aggregated;
  if (!aggregated && vectors_[vector]->waiting != 0) mature(*vectors_[vector]);
}

bool InterruptVectors::aggregated(std::uint32_t vector) const { return !vectors_[vector]->alone; }

void InterruptVectors::raise(std::uint32_t number, bool aggregates) {
  Vector& vector = *vectors_[number];
  ++vector.waiting;
  if (!aggregates || vector.alone || threshold_ <= 1 || vector.waiting >= threshold_) return mature(vector);
  if (vector.waiting != 1) return;
  vector.patience.until = kernel_now() + time_;
  if (vector.patience.running) return;
  vector.patience.running = true;
  timers_.schedule(vector.patience, vector.patience.until);
}

// Raises the interrupt for the waiting completions.
void InterruptVectors::mature(Vector& vector) {
  vector.waiting = 0;
  if (message_time_ == 0) return deliver(vector);
  ++on_link_;
  timers_.schedule(vector.on_link, kernel_now() + message_time_);
}

void InterruptVectors::deliver(Vector& vector) {
  if (!pci_.vectors_enabled()) return;
  vector.pending = true;
  send_pending();
}

void InterruptVectors::send_pending() {
  if (!pci_.vectors_enabled() || pci_.vectors_masked()) return;
  for (std::uint32_t number = 0; number < count(); ++number) {
    Vector& vector = *vectors_[number];
    if (!vector.pending || (vector.entry[kControl] & kMasked) != 0) continue;
    vector.pending = false;
    ++sent_;
    if (raise_) {
      raise_(number);
      continue;
    }
    const std::uint64_t address = vector.entry[0] | static_cast<std::uint64_t>(vector.entry[1]) << 32U;
    runtime_.spawn([this, address, data = vector.entry[2]] { return send(address, data); });
  }
}

// A message that no target accepts is lost, as on a bus.
Task<void> InterruptVectors::send(std::uint64_t address, std::uint32_t data) {
  co_await dma_.write(address, &data, sizeof data);
}

void InterruptVectors::forget() {
  on_link_ = 0;
  for (const auto& each : vectors_) {
    Vector& vector = *each;
    vector.waiting = 0;
    vector.patience.running = false;  // its owner cancels all timers
  }
}

void InterruptVectors::reset() {
  forget();
  for (const auto& each : vectors_) {
    Vector& vector = *each;
    vector.entry = {0, 0, 0, raise_ ? vector.entry[kControl] : kMasked};  // who takes them by number masks them
    vector.pending = false;
  }
}

}  // namespace flashloom::nvme
