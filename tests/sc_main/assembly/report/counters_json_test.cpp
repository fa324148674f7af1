// Structs of counters as JSON objects.
#include "sc_main/assembly/report/counters_json.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "models/common/named_fields.hpp"

namespace flashloom::counters_json_test {
namespace {

struct Inner {
  std::uint64_t hits = 1;
  std::uint32_t misses = 2;
  FLASHLOOM_REPORT(hits, misses)
};

struct Outer {
  std::uint64_t reads = 18446744073709551615U;
  std::uint64_t internal = 9;
  std::uint64_t writes = 4;
  Inner cache;
  std::vector<Inner> streams{{}, {5, 6}};

  template <class F>
  void report(F&& f) const {
    f(FLASHLOOM_NAMED(writes, reads));
    f("later", nullptr);
    f("share", 0.5);
    f(FLASHLOOM_NAMED(cache, streams));
    f("group", [this](auto&& g) { g("own, other", internal, true); });
  }
};

TEST(CountersJson, HasTheNamesAndTheOrderThatTheStructReports) {
  EXPECT_EQ(counters_json(Outer{}).dump(),
            R"({"writes":4,"reads":18446744073709551615,"later":null,"share":0.5,"cache":{"hits":1,"misses":2},)"
            R"("streams":[{"hits":1,"misses":2},{"hits":5,"misses":6}],"group":{"own":9,"other":true}})");
}

TEST(CountersJson, AddsBehindWhatIsThere) {
  nlohmann::ordered_json json = {{"first", 0}, {"misses", nullptr}};
  add_counters(json, Inner{});
  EXPECT_EQ(json.dump(), R"({"first":0,"misses":2,"hits":1})");
}

TEST(CountersJson, AnEmptyListIsAList) {
  Outer outer;
  outer.streams.clear();
  EXPECT_EQ(counters_json(outer)["streams"].dump(), "[]");
}

}  // namespace
}  // namespace flashloom::counters_json_test
