// Operations on objects: lifetimes of mappings, and pieces of the address space, worked by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/request_sources.hpp"
#include "workloads/generators/generator.hpp"
#include "workloads/objects/block_objects.hpp"
#include "workloads/objects/mapping_lifetime.hpp"
#include "workloads/objects/process_lives.hpp"

namespace flashloom::objects_test {
namespace {

/// "c1 u1 r2 d1": create, update, read, delete of objects 1 and 2; "h" reads a hot object.
class Written final : public ObjectSource {
 public:
  explicit Written(const std::string& text) : text_(text) {}
  bool next(ObjectRequest& request) override {
    if (at_ >= text_.size()) return false;
    request = {};
    request.operation = text_[at_] == 'c'                        ? ObjectOperation::Create
                        : text_[at_] == 'u'                      ? ObjectOperation::Update
                        : text_[at_] == 'r' || text_[at_] == 'h' ? ObjectOperation::Read
                                                                 : ObjectOperation::Delete;
    request.hot = text_[at_] == 'h';
    request.object = static_cast<std::uint32_t>(text_[at_ + 1] - '0');
    at_ += 3;
    return true;
  }
  std::uint64_t objects() const override { return 10; }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

std::string text_of(const ObjectRequest& request) {
  std::string text = std::to_string(request.object);
  text.insert(text.begin(), "cmnrud"[static_cast<int>(request.operation)]);
  return text;
}

std::string all_of(ObjectSource& source) {
  std::string text;
  for (ObjectRequest request; source.next(request);) {
    if (!text.empty()) text += ' ';
    text += text_of(request);
  }
  return text;
}

// The operations with their mappings; "n" is an unmap.
std::string lived(const std::string& text, MappingRule rule) {
  MappingLifetime lifetime(std::make_unique<Written>(text), rule);
  return all_of(lifetime);
}

using Kind = MappingRule::Kind;

TEST(MappingLifetime, AfterEachAccess) {
  EXPECT_EQ(lived("c1 u1 r1 c2 r2", {Kind::Accesses, 1}), "c1 m1 u1 n1 m1 r1 n1 c2 m2 r2 n2");
}

TEST(MappingLifetime, AfterSoManyAccesses) {
  EXPECT_EQ(lived("u1 u2 u1 u2 u1", {Kind::Accesses, 2}), "m1 u1 m2 u2 u1 n1 u2 n2 m1 u1");
}

TEST(MappingLifetime, HotOnesStay) {
  EXPECT_EQ(lived("h1 u2 h1 h3 u2 d1", {Kind::Hot, 1}), "m1 r1 m2 u2 n2 r1 m3 r3 m2 u2 n2 n1 d1");
}

TEST(MappingLifetime, SoManyAtOnce) {
  EXPECT_EQ(lived("u1 u2 u1 u3 u2 d2 d3", {Kind::Lru, 2}), "m1 u1 m2 u2 u1 n2 m3 u3 n1 m2 u2 n2 d2 n3 d3");
}

TEST(MappingLifetime, UntilDeleted) { EXPECT_EQ(lived("u1 u2 u1 d1 u2", {Kind::Never, 1}), "m1 u1 m2 u2 u1 n1 d1 u2"); }

/// "1u3": process 1 updates object 3; "1u3." is its last request.
class OfProcesses final : public ObjectSource {
 public:
  explicit OfProcesses(const std::string& text) : text_(text) {}
  bool next(ObjectRequest& request) override {
    if (at_ >= text_.size()) return false;
    Written(text_.substr(at_ + 1, 2)).next(request);
    request.process = static_cast<std::uint32_t>(text_[at_] - '0');
    at_ += 3;
    request.ends = at_ < text_.size() && text_[at_] == '.';
    at_ += request.ends ? 2 : 1;
    return true;
  }
  std::uint64_t objects() const override { return 10; }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

std::string lived_by_processes(const std::string& text) {
  MappingLifetime lifetime(std::make_unique<OfProcesses>(text), {Kind::Process, 1});
  return all_of(lifetime);
}

// Both processes map objects 3 and 4; process 1 ends first, process 2 with the source.
TEST(MappingLifetime, AProcessThatEndsUnmapsAllThatItHad) {
  EXPECT_EQ(lived_by_processes("1u3 2u3 1u4 1r3. 2u4 2r3"), "m3 u3 m3 u3 m4 u4 r3 n3 n4 m4 u4 r3 n3 n4");
  EXPECT_EQ(lived_by_processes("1u3. 1u3. 2u5."), "m3 u3 n3 m3 u3 n3 m5 u5 n5");
  EXPECT_EQ(lived_by_processes("1c3 1u3 1d3. 1c3 2r3"), "c3 m3 u3 n3 d3 c3 m3 r3 n3");
}

TEST(MappingLifetime, ADeletedObjectIsUnmappedForAllProcesses) {
  EXPECT_EQ(lived_by_processes("1u3 2u3 2u4 3d3 1u4"), "m3 u3 m3 u3 m4 u4 n3 n3 d3 m4 u4 n4 n4");
}

TEST(MappingLifetime, WithoutNumbersAJobIsAProcess) {
  EXPECT_EQ(lived("u1 u2 u1", {Kind::Process, 1}), "m1 u1 m2 u2 u1 n1 n2");
}

TEST(MappingLifetime, ACutEndsTheMappingsOfAllProcesses) {
  MappingLifetime lifetime(std::make_unique<OfProcesses>("1u3 2u4 1u5. 2u4"), {Kind::Process, 1});
  ObjectRequest request;
  const auto next = [&] { return lifetime.next(request) ? text_of(request) : "end"; };
  for (const char* expected : {"m3", "u3", "m4", "u4", "m5", "u5"}) EXPECT_EQ(next(), expected);
  EXPECT_TRUE(lifetime.restart());  // the last access of process 1 comes again; that process now maps object 5 only
  for (const char* expected : {"m5", "u5", "n5"}) EXPECT_EQ(next(), expected);
  EXPECT_FALSE(lifetime.restart());
  for (const char* expected : {"m4", "u4", "n4", "end", "end"}) EXPECT_EQ(next(), expected);
}

// Lives of four accesses, in two places: the process of the first place has done two accesses before.
TEST(ProcessLives, TakeTurnsAndFollowEachOther) {
  ProcessLives lives(2, 4, false, 1);
  std::string text;
  for (int i = 0; i < 14; ++i) {
    const ProcessLives::Turn turn = lives.next();
    EXPECT_EQ(turn.place, static_cast<std::uint32_t>(i % 2));
    text += (turn.begins ? "+" : "") + std::to_string(turn.process) + (turn.ends ? "- " : " ");
  }
  EXPECT_EQ(text, "+1 +2 1- 2 +3 2 3 2- 3 +4 3- 4 +5 4 ");
}

TEST(ProcessLives, WithoutALifeNoneEnds) {
  ProcessLives lives(3, 0, false, 1);
  for (std::uint32_t i = 0; i < 30; ++i) {
    const ProcessLives::Turn turn = lives.next();
    EXPECT_EQ(turn.process, 1 + i % 3);
    EXPECT_EQ(turn.begins, i < 3);
    EXPECT_FALSE(turn.ends);
  }
}

TEST(ProcessLives, GeometricOnesHaveTheirMean) {
  ProcessLives lives(5, 20, true, 7);
  int ends = 0;
  std::map<std::uint32_t, int> accesses;
  for (int i = 0; i < 100'000; ++i) {
    const ProcessLives::Turn turn = lives.next();
    ++accesses[turn.process];
    ends += turn.ends ? 1 : 0;
  }
  EXPECT_NEAR(ends, 5000, 250);
  const auto once =
      std::count_if(accesses.begin(), accesses.end(), [](const auto& entry) { return entry.second == 1; });
  EXPECT_NEAR(static_cast<double>(once), 5000 * 0.05, 60);
}

TEST(MappingLifetime, ARestartMapsAnewAndRepeatsWhatWasUnderWay) {
  MappingLifetime lifetime(std::make_unique<Written>("u1 u2 c3 u1"), {Kind::Never, 1});
  ObjectRequest request;
  const auto next = [&] { return lifetime.next(request) ? text_of(request) : "end"; };
  EXPECT_EQ(next(), "m1");
  EXPECT_FALSE(lifetime.restart());  // a map is not an operation of the source
  EXPECT_EQ(next(), "m1");
  EXPECT_EQ(next(), "u1");
  EXPECT_TRUE(lifetime.restart());
  EXPECT_FALSE(lifetime.restart());
  EXPECT_EQ(next(), "m1");
  EXPECT_EQ(next(), "u1");
  EXPECT_EQ(next(), "m2");
  EXPECT_EQ(next(), "u2");
  EXPECT_EQ(next(), "c3");
  EXPECT_TRUE(lifetime.restart());
  EXPECT_EQ(next(), "c3");
  EXPECT_EQ(next(), "m1");
}

Request block(RequestKind kind, std::uint64_t offset, std::uint64_t length, std::uint64_t arrival = 0) {
  return {.offset = offset, .length = length, .arrival_ps = arrival, .kind = kind};
}

TEST(ObjectsOfBlocks, ArePiecesOfTheAddressSpace) {
  const auto source = [](double speedup) {
    return std::make_unique<ObjectsOfBlocks>(
        std::make_unique<ListSource>(
            std::vector<Request>{block(RequestKind::Write, 3000, 2000, 40), block(RequestKind::Flush, 0, 0),
                                 block(RequestKind::Read, 4096, 512), block(RequestKind::Trim, 4096, 4096),
                                 block(RequestKind::Trim, 4096, 4096), block(RequestKind::Trim, 0, 4095),
                                 block(RequestKind::Write, 4096, 1, 80)}),
        4096, 4 * 4096 - 512, speedup);
  };
  const auto objects = source(2);
  EXPECT_EQ(objects->objects(), 4U);
  ObjectRequest request;
  const auto expect = [&](ObjectOperation operation, std::uint32_t object, std::uint64_t offset, std::uint64_t length,
                          std::uint64_t arrival) {
    ASSERT_TRUE(objects->next(request));
    EXPECT_EQ(request.operation, operation);
    EXPECT_EQ(request.object, object);
    EXPECT_EQ(request.offset, offset);
    EXPECT_EQ(request.length, length);
    EXPECT_EQ(request.arrival_ps, arrival);
  };
  expect(ObjectOperation::Create, 0, 0, 4096, 20);
  expect(ObjectOperation::Update, 0, 3000, 1096, 20);
  expect(ObjectOperation::Create, 1, 0, 4096, 20);
  expect(ObjectOperation::Update, 1, 0, 904, 20);
  expect(ObjectOperation::Read, 1, 0, 512, 0);
  expect(ObjectOperation::Delete, 1, 0, 0, 0);
  expect(ObjectOperation::Create, 1, 0, 4096, 40);
  expect(ObjectOperation::Update, 1, 0, 1, 40);
  EXPECT_FALSE(objects->next(request));
  EXPECT_EQ(all_of(*source(0)), "c0 u0 c1 u1 r1 d1 c1 u1");
}

// The generator's two outputs: the accesses to objects, run together, are the block requests.
TEST(Objects, AsOperationsAndAsBlocks) {
  const Generator& generator = *find_generator("objects");
  const auto made = make_generator(generator,
                                   {{"objects", std::int64_t{12}},
                                    {"object", WeightedSizes{{64 << 10, 0.5}, {128 << 10, 0.5}}},
                                    {"size", std::int64_t{16 << 10}},
                                    {"accesses", std::int64_t{300}},
                                    {"read", 0.3},
                                    {"replace", 0.1},
                                    {"distribution", std::string("zipf")}},
                                   {.space = {.capacity = 2 << 20, .sector_size = 512}, .seed = 7});
  std::vector<std::uint64_t> sizes;
  std::vector<std::uint64_t> bases = {0};
  std::map<ObjectOperation, int> counts;
  Request request;
  ObjectRequest access;
  while (made.objects->next(access)) {
    ++counts[access.operation];
    ASSERT_LT(access.object, 12U);
    if (access.operation == ObjectOperation::Create && sizes.size() < 12) {
      EXPECT_EQ(access.object, sizes.size());
      EXPECT_TRUE(access.setup);
      sizes.push_back(access.length);
      bases.push_back(bases.back() + access.length);
    }
    if (access.operation == ObjectOperation::Create) {
      EXPECT_EQ(access.length, sizes[access.object]);
      continue;
    }
    if (access.operation == ObjectOperation::Delete) {
      ASSERT_TRUE(made.source->next(request));
      EXPECT_EQ(request.kind, RequestKind::Trim);
      EXPECT_EQ(request.offset, bases[access.object]);
      continue;
    }
    EXPECT_EQ(access.length, sizes[access.object]);
    for (std::uint64_t at = 0; at < access.length; at += 16 << 10) {
      ASSERT_TRUE(made.source->next(request));
      EXPECT_EQ(request.kind, access.operation == ObjectOperation::Read ? RequestKind::Read : RequestKind::Write);
      EXPECT_EQ(request.offset, bases[access.object] + at);
      EXPECT_EQ(request.length, 16U << 10);
    }
  }
  EXPECT_FALSE(made.source->next(request));
  EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 64 << 10) + std::count(sizes.begin(), sizes.end(), 128 << 10), 12);
  EXPECT_GT(std::count(sizes.begin(), sizes.end(), 64 << 10), 0);
  EXPECT_LT(std::count(sizes.begin(), sizes.end(), 64 << 10), 12);
  EXPECT_EQ(counts[ObjectOperation::Create], 12 + counts[ObjectOperation::Delete]);
  EXPECT_EQ(counts[ObjectOperation::Read] + counts[ObjectOperation::Update], 12 + 300);
  EXPECT_NEAR(counts[ObjectOperation::Read], 300 * 0.9 * 0.3, 30);
  EXPECT_NEAR(counts[ObjectOperation::Delete], 30, 20);
}

// A process of its own creates the objects; the later processes make the same accesses as without processes.
TEST(Objects, ProcessesDoTheSameAccesses) {
  const auto made = [](std::int64_t processes, double reuse) {
    return make_generator(*find_generator("objects"),
                          {{"objects", std::int64_t{20}},
                           {"object", WeightedSizes{{64 << 10, 1.0}}},
                           {"size", std::int64_t{64 << 10}},
                           {"accesses", std::int64_t{200}},
                           {"processes", processes},
                           {"life", std::int64_t{10}},
                           {"reuse", reuse}},
                          {.space = {.capacity = 2 << 20, .sector_size = 512}, .seed = 7});
  };
  const auto plain = made(1, 0);
  const auto four = made(4, 0);
  const auto again = made(4, 1);
  ObjectRequest request;
  ObjectRequest other;
  ObjectRequest repeated;
  int ends = 0;
  int hot = 0;
  std::map<std::pair<std::uint32_t, bool>, std::set<std::uint32_t>> used;  // by process
  std::set<std::uint32_t> hot_objects;
  while (plain.objects->next(request)) {
    ASSERT_TRUE(four.objects->next(other));
    ASSERT_TRUE(again.objects->next(repeated));
    EXPECT_EQ(request.object, other.object);
    EXPECT_EQ(request.operation, other.operation);
    EXPECT_EQ(request.setup, other.process == 0);
    if (request.setup) {
      EXPECT_EQ(other.ends, request.object == 19 && request.operation == ObjectOperation::Update);
      continue;
    }
    ends += other.ends ? 1 : 0;
    hot += repeated.hot ? 1 : 0;
    used[{repeated.process, repeated.hot}].insert(repeated.object);
  }
  EXPECT_FALSE(four.objects->next(other));
  EXPECT_EQ(ends, 4 * 5);  // a place has 50 accesses; its first process makes 3, 5, 8 or 10 of them, each later one 10
  EXPECT_EQ(hot, 160);     // 80 %, also when accesses are repeated
  for (const auto& [process, objects] : used) EXPECT_EQ(objects.size(), 1U);
}

// Services make the hot accesses and live for twelve of them; jobs make the cold ones and live for two.
TEST(Objects, HotAccessesOfProcessesApart) {
  const auto made = make_generator(*find_generator("objects"),
                                   {{"objects", std::int64_t{20}},
                                    {"object", WeightedSizes{{64 << 10, 1.0}}},
                                    {"size", std::int64_t{64 << 10}},
                                    {"accesses", std::int64_t{150}},
                                    {"life", std::int64_t{2}},
                                    {"hot_life", std::int64_t{12}}},
                                   {.space = {.capacity = 2 << 20, .sector_size = 512}, .seed = 7});
  std::map<std::uint32_t, int> hot;
  std::map<std::uint32_t, int> cold;
  ObjectRequest request;
  while (made.objects->next(request)) {
    if (request.setup) continue;
    int& accesses = ++(request.hot ? hot : cold)[request.process];
    EXPECT_EQ(request.ends, accesses == (request.hot ? 12 : 2));
  }
  EXPECT_EQ(hot.size(), 10U);
  EXPECT_EQ(cold.size(), 15U);
  for (const auto& [process, accesses] : hot) EXPECT_EQ(cold.count(process), 0U);
}

// Four of the objects are hot. Two services create them in turn and live on; the creator of the others ends with the
// last.
TEST(Objects, HotOnesCreatedByTheirProcesses) {
  const auto made = make_generator(*find_generator("objects"),
                                   {{"objects", std::int64_t{20}},
                                    {"object", WeightedSizes{{64 << 10, 1.0}}},
                                    {"size", std::int64_t{64 << 10}},
                                    {"accesses", std::int64_t{100}},
                                    {"processes", std::int64_t{2}},
                                    {"hot_life", std::int64_t{50}},
                                    {"creators", true}},
                                   {.space = {.capacity = 2 << 20, .sector_size = 512}, .seed = 7});
  std::map<std::uint32_t, int> created;
  std::map<std::uint32_t, int> hot;  // accesses
  std::uint32_t last_cold = 0;
  std::uint32_t ended_with = 20;
  ObjectRequest request;
  while (made.objects->next(request)) {
    if (!request.setup) {
      if (request.hot) ++hot[request.process];
      continue;
    }
    EXPECT_EQ(request.hot, request.process != 0);
    if (request.operation == ObjectOperation::Create) ++created[request.process];
    if (request.process == 0) last_cold = request.object;
    if (request.ends) ended_with = request.object;
  }
  EXPECT_EQ(created, (std::map<std::uint32_t, int>{{0, 16}, {3, 2}, {5, 2}}));
  EXPECT_EQ(ended_with, last_cold);
  // 40 accesses each: process 3 has 25 of its life left, process 5 all; 7 follows 3.
  EXPECT_EQ(hot, (std::map<std::uint32_t, int>{{3, 25}, {5, 40}, {7, 15}}));
}

TEST(Objects, HotOnesCreatedLast) {
  const auto made = make_generator(*find_generator("objects"),
                                   {{"objects", std::int64_t{20}},
                                    {"object", WeightedSizes{{64 << 10, 1.0}}},
                                    {"size", std::int64_t{64 << 10}},
                                    {"accesses", std::int64_t{100}},
                                    {"hot_last", true}},
                                   {.space = {.capacity = 2 << 20, .sector_size = 512}, .seed = 7});
  ObjectRequest request;
  std::uint32_t created = 0;
  while (made.objects->next(request)) {
    if (request.operation == ObjectOperation::Create) {
      EXPECT_EQ(request.object, created++);
    }
    EXPECT_EQ(request.hot, request.object >= 16);
  }
  EXPECT_EQ(created, 20U);
}

TEST(Objects, PartsLieInTheObject) {
  const auto made = make_generator(*find_generator("objects"),
                                   {{"objects", std::int64_t{4}},
                                    {"object", WeightedSizes{{64 << 10, 1.0}}},
                                    {"size", std::int64_t{4 << 10}},
                                    {"part", std::int64_t{8 << 10}},
                                    {"create", false},
                                    {"hot", 0.25},
                                    {"accesses", std::int64_t{100}}},
                                   {.space = {.capacity = 1 << 20, .sector_size = 512}, .seed = 3});
  std::set<std::uint64_t> offsets;
  ObjectRequest access;
  int creates = 0;
  while (made.objects->next(access)) {
    if (access.operation == ObjectOperation::Create) {
      ++creates;
      continue;
    }
    EXPECT_EQ(access.length, 8U << 10);
    EXPECT_EQ(access.offset % (8 << 10), 0U);
    offsets.insert(access.offset);
  }
  EXPECT_EQ(creates, 4);
  EXPECT_EQ(offsets.size(), 8U);
  EXPECT_EQ(*offsets.rbegin(), 56U << 10);
}

}  // namespace
}  // namespace flashloom::objects_test
