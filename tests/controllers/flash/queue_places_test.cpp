#include "controllers/flash/queue_places.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "controllers/runtime/task.hpp"

namespace flashloom::queue_places_test {
namespace {

Task<void> take(QueuePlaces& places, std::uint32_t die, int number, std::vector<int>& order) {
  co_await places.take(die);
  places.use(die);
  order.push_back(number);
}

TEST(QueuePlaces, AreGivenInTheOrderOfArrival) {
  Runtime runtime;
  QueuePlaces places;
  places.set_limit(2, 2);
  std::vector<int> order;
  for (int i = 0; i < 5; ++i) runtime.spawn([&, i] { return take(places, 0, i, order); });
  runtime.spawn([&] { return take(places, 1, 9, order); });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 9}));
  places.give_back(0);
  runtime.spawn([&] { return take(places, 0, 5, order); });  // it does not overtake the one that waits
  EXPECT_EQ(order, (std::vector<int>{0, 1, 9, 2}));
  for (int i = 0; i < 3; ++i) places.give_back(0);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 9, 2, 3, 4, 5}));
  EXPECT_THROW(places.use(1), std::logic_error);
}

TEST(QueuePlaces, WithoutALimitNobodyWaits) {
  Runtime runtime;
  QueuePlaces places;
  EXPECT_FALSE(places.limited());
  bool done = false;
  runtime.spawn([&]() -> Task<void> {
    return [](QueuePlaces& p, bool& d) -> Task<void> {
      co_await p.take(77);
      d = true;
    }(places, done);
  });
  EXPECT_TRUE(done);
}

TEST(QueuePlaces, APowerCutFreesAll) {
  QueuePlaces places;
  places.set_limit(1, 1);
  std::vector<int> order;
  {
    Runtime runtime;
    for (int i = 0; i < 3; ++i) runtime.spawn([&, i] { return take(places, 0, i, order); });
  }
  places.reset();
  Runtime runtime;
  runtime.spawn([&] { return take(places, 0, 7, order); });
  runtime.spawn([&] { return take(places, 0, 8, order); });
  EXPECT_EQ(order, (std::vector<int>{0, 7}));
  runtime.destroy_frames();
}

}  // namespace
}  // namespace flashloom::queue_places_test
