// After any number of cycles of a sequential stream, StreamCycle says the buffer holds what a unit-by-unit simulation
// says.
#include "controllers/buffer/stream_cycle.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>

namespace flashloom::stream_cycle_test {
namespace {

struct Shape {
  std::uint32_t slots, room, high, low, together, units_per_program;
};

// The plainest simulation of the buffer: units wait in a FIFO queue, then for their program unit to fill.
class Slots {
 public:
  explicit Slots(const Shape& shape) : free(shape.slots), shape_(shape) { std::iota(free.begin(), free.end(), 0U); }

  void write() {
    if (queue.size() == shape_.room) leave();
    queue.push_back(free.back());
    free.pop_back();
    if (queue.size() <= shape_.high || shape_.high >= shape_.room) return;
    while (queue.size() > shape_.low) leave();
  }
  std::deque<Slot> queue;
  std::vector<Slot> free;
  std::uint64_t left = 0;
  bool fills() const { return !filling_.empty(); }

 private:
  void leave() {
    for (std::uint32_t i = 0; i < shape_.together && !queue.empty(); ++i, ++left) {
      filling_.push_back(queue.front());
      queue.pop_front();
      if (filling_.size() != shape_.units_per_program) continue;
      free.insert(free.end(), filling_.begin(), filling_.end());
      filling_.clear();
    }
  }
  Shape shape_;
  std::vector<Slot> filling_;
};

constexpr Shape kShapes[] = {
    {40, 16, 16, 16, 1, 1},   {40, 16, 16, 16, 1, 4},    {100, 50, 50, 50, 1, 24},
    {60, 7, 7, 7, 1, 24},     {100, 50, 50, 50, 24, 24}, {100, 48, 48, 48, 24, 24},
    {120, 64, 44, 38, 1, 12}, {128, 64, 38, 0, 1, 12},   {128, 64, 50, 20, 6, 6},
};

TEST(StreamCycle, IsWhatTheSlotsDo) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(testing::Message() << "room " << shape.room << ", high " << shape.high << ", low " << shape.low << ", "
                                    << shape.together << " together, program units of " << shape.units_per_program);
    const StreamCycle cycle(shape.room, shape.high, shape.low, shape.together, shape.units_per_program);
    ASSERT_TRUE(cycle.exists());
    Slots slots(shape);
    for (std::uint32_t i = 0; i < cycle.resident(); ++i) slots.write();
    ASSERT_EQ(slots.left, 0U);
    const std::vector<Slot> resident(slots.queue.begin(), slots.queue.end());
    const std::vector<Slot> free = slots.free;
    for (std::uint64_t cycles = 1; cycles <= 40; ++cycles) {
      for (std::uint64_t unit = 0; unit < cycle.units(); ++unit) slots.write();
      EXPECT_EQ(slots.left, cycles * cycle.units());
      EXPECT_FALSE(slots.fills());
      std::vector<Slot> resident_then = resident;
      std::vector<Slot> free_then = free;
      cycle.pass(cycles, resident_then, free_then);
      ASSERT_EQ(resident_then, std::vector<Slot>(slots.queue.begin(), slots.queue.end())) << cycles;
      ASSERT_EQ(free_then, slots.free) << cycles;
    }
  }
}

TEST(StreamCycle, IsNoneWhereTheLastOnesLeaveAlone) {
  EXPECT_FALSE(StreamCycle(16, 16, 16, 24, 24).exists());  // a program unit of 24 does not fit into a room of 16
  EXPECT_FALSE(StreamCycle(64, 9, 0, 24, 24).exists());
}

}  // namespace
}  // namespace flashloom::stream_cycle_test
