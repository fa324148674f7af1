// The state machine of zones against the tables of the NVMe Zoned Namespace Command Set Specification 1.1: each
// transition by hand, and random commands against a second, independent model.
#include "controllers/ftl/zones/zone_table.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "workloads/random.hpp"

namespace flashloom::zone_table_test {
namespace {

using enum ZoneState;
using Status = IoStatus;

// Zones of 16 logical blocks, of which 12 can be written; 2 open and 3 active.
ZoneTable::Shape shape(std::uint32_t random_area = 0, std::uint32_t granule = 1) {
  return {.zones = 8,
          .zone_size = 16,
          .capacity = 12,
          .max_open = 2,
          .max_active = 3,
          .append_limit = 8,
          .random_area = random_area,
          .random_granule = granule};
}

// A table with zone 0 in `state`, with 4 blocks written unless it is empty.
ZoneTable in_state(ZoneState state) {
  ZoneTable table(shape());
  if (state != Empty) table.write(0, 4);
  if (state == ExplicitlyOpened) table.open(0, false);
  if (state == Closed) table.close(0);
  if (state == Full) table.finish(0);
  if (state == ReadOnly || state == Offline) table.make_read_only(0);
  if (state == Offline) table.make_offline(0);
  EXPECT_EQ(table[0].state, state);
  return table;
}

struct Transition {
  ZoneState from;
  const char* command;
  Status status;
  ZoneState to;
};

Status carry_out(ZoneTable& table, const std::string& command) {
  std::uint64_t placed = 0;
  const std::uint32_t written = table[0].written;
  if (command == "write") return table.write(written, 2);
  if (command == "fill") return table.write(written, 12 - written);
  if (command == "append") return table.append(0, 2, placed);
  if (command == "read") return table.read(0, 2);
  if (command == "open") return table.open(0, false);
  if (command == "close") return table.close(0);
  if (command == "finish") return table.finish(0);
  if (command == "reset") return table.reset(0);
  if (command == "open all") return table.open(ZoneTable::kAll, false);
  if (command == "close all") return table.close(ZoneTable::kAll);
  if (command == "finish all") return table.finish(ZoneTable::kAll);
  if (command == "reset all") return table.reset(ZoneTable::kAll);
  return command == "offline all" ? table.offline(ZoneTable::kAll) : table.offline(0);
}

// Figure 5 (state machine) and the tables of chapters 3.3 and 3.4 of the specification.
constexpr auto kInvalid = Status::InvalidZoneStateTransition;
const Transition kTransitions[] = {
    {Empty, "write", Status::Ok, ImplicitlyOpened},
    {Empty, "append", Status::Ok, ImplicitlyOpened},
    {Empty, "fill", Status::Ok, Full},
    {Empty, "read", Status::Ok, Empty},
    {Empty, "open", Status::Ok, ExplicitlyOpened},
    {Empty, "close", kInvalid, Empty},
    {Empty, "finish", Status::Ok, Full},
    {Empty, "reset", Status::Ok, Empty},
    {Empty, "offline", kInvalid, Empty},
    {Empty, "open all", Status::Ok, Empty},
    {Empty, "close all", Status::Ok, Empty},
    {Empty, "finish all", Status::Ok, Empty},
    {Empty, "reset all", Status::Ok, Empty},
    {Empty, "offline all", Status::Ok, Empty},
    {ImplicitlyOpened, "write", Status::Ok, ImplicitlyOpened},
    {ImplicitlyOpened, "append", Status::Ok, ImplicitlyOpened},
    {ImplicitlyOpened, "fill", Status::Ok, Full},
    {ImplicitlyOpened, "read", Status::Ok, ImplicitlyOpened},
    {ImplicitlyOpened, "open", Status::Ok, ExplicitlyOpened},
    {ImplicitlyOpened, "close", Status::Ok, Closed},
    {ImplicitlyOpened, "finish", Status::Ok, Full},
    {ImplicitlyOpened, "reset", Status::Ok, Empty},
    {ImplicitlyOpened, "offline", kInvalid, ImplicitlyOpened},
    {ImplicitlyOpened, "open all", Status::Ok, ImplicitlyOpened},
    {ImplicitlyOpened, "close all", Status::Ok, Closed},
    {ImplicitlyOpened, "finish all", Status::Ok, Full},
    {ImplicitlyOpened, "reset all", Status::Ok, Empty},
    {ExplicitlyOpened, "write", Status::Ok, ExplicitlyOpened},
    {ExplicitlyOpened, "append", Status::Ok, ExplicitlyOpened},
    {ExplicitlyOpened, "fill", Status::Ok, Full},
    {ExplicitlyOpened, "open", Status::Ok, ExplicitlyOpened},
    {ExplicitlyOpened, "close", Status::Ok, Closed},
    {ExplicitlyOpened, "finish", Status::Ok, Full},
    {ExplicitlyOpened, "reset", Status::Ok, Empty},
    {ExplicitlyOpened, "offline", kInvalid, ExplicitlyOpened},
    {ExplicitlyOpened, "close all", Status::Ok, Closed},
    {ExplicitlyOpened, "finish all", Status::Ok, Full},
    {ExplicitlyOpened, "reset all", Status::Ok, Empty},
    {Closed, "write", Status::Ok, ImplicitlyOpened},
    {Closed, "append", Status::Ok, ImplicitlyOpened},
    {Closed, "fill", Status::Ok, Full},
    {Closed, "open", Status::Ok, ExplicitlyOpened},
    {Closed, "close", Status::Ok, Closed},
    {Closed, "finish", Status::Ok, Full},
    {Closed, "reset", Status::Ok, Empty},
    {Closed, "offline", kInvalid, Closed},
    {Closed, "open all", Status::Ok, ExplicitlyOpened},
    {Closed, "close all", Status::Ok, Closed},
    {Closed, "finish all", Status::Ok, Full},
    {Closed, "reset all", Status::Ok, Empty},
    {Full, "write", Status::ZoneIsFull, Full},
    {Full, "append", Status::ZoneIsFull, Full},
    {Full, "read", Status::Ok, Full},
    {Full, "open", kInvalid, Full},
    {Full, "close", kInvalid, Full},
    {Full, "finish", Status::Ok, Full},
    {Full, "reset", Status::Ok, Empty},
    {Full, "offline", kInvalid, Full},
    {Full, "finish all", Status::Ok, Full},
    {Full, "reset all", Status::Ok, Empty},
    {ReadOnly, "write", Status::ZoneIsReadOnly, ReadOnly},
    {ReadOnly, "append", Status::ZoneIsReadOnly, ReadOnly},
    {ReadOnly, "read", Status::Ok, ReadOnly},
    {ReadOnly, "open", kInvalid, ReadOnly},
    {ReadOnly, "close", kInvalid, ReadOnly},
    {ReadOnly, "finish", kInvalid, ReadOnly},
    {ReadOnly, "reset", kInvalid, ReadOnly},
    {ReadOnly, "offline", Status::Ok, Offline},
    {ReadOnly, "reset all", Status::Ok, ReadOnly},
    {ReadOnly, "offline all", Status::Ok, Offline},
    {Offline, "write", Status::ZoneIsOffline, Offline},
    {Offline, "append", Status::ZoneIsOffline, Offline},
    {Offline, "read", Status::ZoneIsOffline, Offline},
    {Offline, "open", kInvalid, Offline},
    {Offline, "close", kInvalid, Offline},
    {Offline, "finish", kInvalid, Offline},
    {Offline, "reset", kInvalid, Offline},
    {Offline, "offline", Status::Ok, Offline},
    {Offline, "reset all", Status::Ok, Offline},
};

TEST(ZoneTable, MakesEachTransitionOfTheSpecification) {
  for (const Transition& transition : kTransitions) {
    ZoneTable table = in_state(transition.from);
    const std::string what = std::string(to_string(transition.from)) + ": " + transition.command;
    EXPECT_EQ(carry_out(table, transition.command), transition.status) << what;
    EXPECT_EQ(table[0].state, transition.to) << what;
    const bool open = transition.to == ImplicitlyOpened || transition.to == ExplicitlyOpened;
    EXPECT_EQ(table.open_zones(), open ? 1U : 0U) << what;
    EXPECT_EQ(table.active_zones(), open || transition.to == Closed ? 1U : 0U) << what;
  }
}

TEST(ZoneTable, WritesAtTheWritePointerOnly) {
  ZoneTable table(shape());
  EXPECT_EQ(table.write(1, 1), Status::ZoneInvalidWrite);
  EXPECT_EQ(table.write(0, 5), Status::Ok);
  EXPECT_EQ(table.write(0, 5), Status::ZoneInvalidWrite);
  EXPECT_EQ(table.write(5, 8), Status::ZoneBoundaryError);  // 13 blocks of 12
  EXPECT_EQ(table[0].written, 5U);
  EXPECT_EQ(table.write(5, 7), Status::Ok);
  EXPECT_EQ(table[0].state, Full);
  EXPECT_EQ(table.write(16 * 8, 1), Status::OutOfRange);
  EXPECT_EQ(table.write(16 * 8 - 1, 2), Status::OutOfRange);
}

TEST(ZoneTable, AppendsReturnWhereTheyWent) {
  ZoneTable table(shape());
  std::uint64_t placed = 99;
  EXPECT_EQ(table.append(16, 3, placed), Status::Ok);
  EXPECT_EQ(placed, 16U);
  EXPECT_EQ(table.append(16, 8, placed), Status::Ok);
  EXPECT_EQ(placed, 19U);
  EXPECT_EQ(table.append(16, 2, placed), Status::ZoneBoundaryError);  // 13 blocks of 12
  EXPECT_EQ(table.append(17, 1, placed), Status::InvalidField);       // not the start of a zone
  EXPECT_EQ(table.append(32, 9, placed), Status::InvalidField);       // more than the limit of 8
  EXPECT_EQ(placed, 19U);
  EXPECT_EQ(table.append(16, 1, placed), Status::Ok);
  EXPECT_EQ(table[1].state, Full);
}

TEST(ZoneTable, ClosesTheZoneOpenedImplicitlyLongestAgo) {
  ZoneTable table(shape());
  EXPECT_EQ(table.write(0, 1), Status::Ok);
  EXPECT_EQ(table.write(16, 1), Status::Ok);
  EXPECT_EQ(table.write(32, 1), Status::Ok);  // two may be open
  EXPECT_EQ(table[0].state, Closed);
  EXPECT_EQ(table[1].state, ImplicitlyOpened);
  EXPECT_EQ(table[2].state, ImplicitlyOpened);
  EXPECT_EQ(table.write(48, 1), Status::TooManyActiveZones);  // three are active
  EXPECT_EQ(table[3].state, Empty);
  EXPECT_EQ(table.write(1, 1), Status::Ok);  // closed ones are active already
  EXPECT_EQ(table[1].state, Closed);
  EXPECT_EQ(table.statistics().implicit_closes, 2U);
}

TEST(ZoneTable, DoesNotCloseZonesThatWereOpenedExplicitly) {
  ZoneTable table(shape());
  EXPECT_EQ(table.open(0, false), Status::Ok);
  EXPECT_EQ(table.open(16, false), Status::Ok);
  EXPECT_EQ(table.write(32, 1), Status::TooManyOpenZones);
  EXPECT_EQ(table.open(32, false), Status::TooManyOpenZones);
  EXPECT_EQ(table.close(16), Status::Ok);
  EXPECT_EQ(table.open(32, false), Status::Ok);
  EXPECT_EQ(table.open(48, false), Status::TooManyActiveZones);
  EXPECT_EQ(table.open(ZoneTable::kAll, false), Status::TooManyOpenZones);  // 2 open, 1 closed
  EXPECT_EQ(table[1].state, Closed);
}

TEST(ZoneTable, RandomWriteAreasMoveWithExplicitAndImplicitCommits) {
  ZoneTable table(shape(4, 2));
  EXPECT_EQ(table.open(0, true), Status::Ok);
  EXPECT_EQ(table.write(3, 1), Status::Ok);  // anywhere in the area
  EXPECT_EQ(table.write(0, 2), Status::Ok);
  EXPECT_EQ(table.write(0, 2), Status::Ok);  // again
  EXPECT_EQ(table[0].written, 0U);
  EXPECT_EQ(table.commit(0), Status::InvalidField);  // 1 block is no multiple of 2
  EXPECT_EQ(table.commit(1), Status::Ok);
  EXPECT_EQ(table[0].written, 2U);
  EXPECT_EQ(table.write(1, 1), Status::ZoneInvalidWrite);  // behind the write pointer
  EXPECT_EQ(table.write(6, 1), Status::Ok);                // in the area that follows: commits one granule
  EXPECT_EQ(table[0].written, 4U);
  EXPECT_EQ(table.write(12, 1), Status::ZoneInvalidWrite);  // beyond both areas, 4 .. 11
  EXPECT_EQ(table.write(8, 4), Status::Ok);
  EXPECT_EQ(table[0].written, 8U);
  std::uint64_t placed = 0;
  EXPECT_EQ(table.append(0, 1, placed), Status::InvalidZoneOperation);
  EXPECT_EQ(table.commit(11), Status::Ok);
  EXPECT_EQ(table[0].state, Full);
  EXPECT_FALSE(table[0].random_area);
  EXPECT_EQ(table.open(16, false), Status::Ok);
  EXPECT_EQ(table.commit(16), Status::InvalidZoneOperation);  // no area
  EXPECT_EQ(table.open(16, true), Status::InvalidZoneOperation);
  EXPECT_EQ(table.statistics().implicit_commits, 2U);
}

TEST(ZoneTable, DescribesZonesAsAReportDoes) {
  ZoneTable table(shape());
  EXPECT_EQ(table.write(16, 3), Status::Ok);
  ZoneDescriptor zone = table.describe(1, 4096);
  EXPECT_EQ(zone.start, 16U * 4096);
  EXPECT_EQ(zone.capacity, 12U * 4096);
  EXPECT_EQ(zone.write_pointer, 19U * 4096);
  EXPECT_EQ(table.finish(16), Status::Ok);
  EXPECT_EQ(table.describe(1, 4096).write_pointer, 32U * 4096);
}

TEST(ZoneTable, ComesBackFromAPowerCutWithItsZonesClosed) {
  ZoneTable table(shape());
  table.restore(0, 0, false);
  table.restore(1, 5, false);
  table.restore(2, 12, false);
  table.restore(3, 5, true);
  EXPECT_EQ(table[0].state, Empty);
  EXPECT_EQ(table[1].state, Closed);
  EXPECT_EQ(table[2].state, Full);
  EXPECT_EQ(table[3].state, Full);
  EXPECT_EQ(table.active_zones(), 1U);
  EXPECT_EQ(table.write(16 + 5, 1), Status::Ok);
}

// --- A second model: states as letters, resources recounted each time.
struct Model {
  explicit Model(const ZoneTable::Shape& of) : s(of), state(of.zones, 'E'), wp(of.zones), zrwa(of.zones) {}
  std::uint64_t open() const { return count("IX"); }
  std::uint64_t active() const { return count("IXC"); }
  std::uint64_t count(const std::string& letters) const {
    std::uint64_t n = 0;
    for (const char c : state) n += letters.find(c) != std::string::npos;
    return n;
  }
  void set(std::uint32_t z, char c) {
    std::erase(fifo, z);
    state[z] = c;
    if (c == 'I') fifo.push_back(z);
    if (c != 'I' && c != 'X' && c != 'C') zrwa[z] = false;
  }
  Status admit(std::uint32_t z, char as) {
    const char c = state[z];
    if (c == 'I' || c == 'X') {
      if (as == 'X' && c == 'I') set(z, 'X');
      return Status::Ok;
    }
    if (c == 'E' && active() == s.max_active) return Status::TooManyActiveZones;
    if (open() == s.max_open) {
      if (fifo.empty()) return Status::TooManyOpenZones;
      set(fifo.front(), 'C');
    }
    set(z, as);
    return Status::Ok;
  }
  Status bad(std::uint32_t z) const {
    return state[z] == 'F'   ? Status::ZoneIsFull
           : state[z] == 'R' ? Status::ZoneIsReadOnly
           : state[z] == 'O' ? Status::ZoneIsOffline
                             : Status::Ok;
  }
  void move(std::uint32_t z, std::uint64_t to) {
    wp[z] = to;
    if (to == s.capacity) set(z, 'F');
  }
  Status write(std::uint64_t first, std::uint64_t n) {
    if (first + n > std::uint64_t{s.zones} * s.zone_size) return Status::OutOfRange;
    const auto z = static_cast<std::uint32_t>(first / s.zone_size);
    const std::uint64_t at = first % s.zone_size;
    if (bad(z) != Status::Ok) return bad(z);
    if (!zrwa[z] && at != wp[z]) return Status::ZoneInvalidWrite;
    if (zrwa[z] && (at < wp[z] || at + n > wp[z] + 2 * s.random_area)) return Status::ZoneInvalidWrite;
    if (at + n > s.capacity) return Status::ZoneBoundaryError;
    if (const Status status = admit(z, 'I'); status != Status::Ok) return status;
    if (!zrwa[z]) {
      move(z, at + n);
    } else {
      std::uint64_t to = wp[z];
      while (to + s.random_area < at + n) to += s.random_granule;
      if (to != wp[z]) move(z, std::min<std::uint64_t>(to, s.capacity));
    }
    return Status::Ok;
  }
  Status append(std::uint64_t start, std::uint64_t n, std::uint64_t& placed) {
    if (start >= std::uint64_t{s.zones} * s.zone_size) return Status::OutOfRange;
    if (start % s.zone_size != 0 || n > s.append_limit) return Status::InvalidField;
    const auto z = static_cast<std::uint32_t>(start / s.zone_size);
    if (zrwa[z]) return Status::InvalidZoneOperation;
    const std::uint64_t at = start + wp[z];
    const Status status = bad(z) != Status::Ok     ? bad(z)
                          : wp[z] + n > s.capacity ? Status::ZoneBoundaryError
                                                   : write(at, n);
    if (status == Status::Ok) placed = at;
    return status;
  }
  Status one(const std::string& what, std::uint32_t z) {
    const char c = state[z];
    const bool live = c == 'I' || c == 'X' || c == 'C';
    if (what == "open") return live || c == 'E' ? admit(z, 'X') : kInvalid;
    if (what == "zrwa") {
      if (!live && c != 'E') return kInvalid;
      if (c != 'E' && !zrwa[z]) return Status::InvalidZoneOperation;
      const Status status = admit(z, 'X');
      if (status == Status::Ok) zrwa[z] = true;
      return status;
    }
    if (what == "close") {
      if (!live) return kInvalid;
      if (c != 'C') set(z, 'C');
      return Status::Ok;
    }
    if (what == "finish") {
      if (c == 'R' || c == 'O') return kInvalid;
      set(z, 'F');
      return Status::Ok;
    }
    if (what == "reset") {
      if (c == 'R' || c == 'O') return kInvalid;
      set(z, 'E');
      wp[z] = 0;
      return Status::Ok;
    }
    if (c != 'R' && c != 'O') return kInvalid;
    set(z, 'O');
    wp[z] = 0;
    return Status::Ok;
  }
  Status manage(const std::string& what, std::uint64_t start) {
    if (start != ZoneTable::kAll) {
      if (start >= std::uint64_t{s.zones} * s.zone_size) return Status::OutOfRange;
      if (start % s.zone_size != 0) return Status::InvalidField;
      return one(what, static_cast<std::uint32_t>(start / s.zone_size));
    }
    const std::string from = what == "open"     ? "C"
                             : what == "close"  ? "IX"
                             : what == "finish" ? "IXC"
                             : what == "reset"  ? "IXCF"
                                                : "R";
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t z = 0; z < s.zones; ++z)
      if (from.find(state[z]) != std::string::npos) chosen.push_back(z);
    if (what == "open" && count("X") + chosen.size() > s.max_open) return Status::TooManyOpenZones;
    for (const std::uint32_t z : chosen) one(what, z);
    return Status::Ok;
  }
  Status commit(std::uint64_t last) {
    if (s.random_area == 0) return Status::InvalidZoneOperation;
    if (last >= std::uint64_t{s.zones} * s.zone_size) return Status::OutOfRange;
    const auto z = static_cast<std::uint32_t>(last / s.zone_size);
    const std::uint64_t to = last % s.zone_size + 1;
    if (!zrwa[z]) return Status::InvalidZoneOperation;
    const bool fits = to > wp[z] && to <= wp[z] + s.random_area && to <= s.capacity;
    if (!fits || ((to - wp[z]) % s.random_granule != 0 && to != s.capacity)) return Status::InvalidField;
    if (const Status status = admit(z, 'I'); status != Status::Ok) return status;
    move(z, to);
    return Status::Ok;
  }
  ZoneTable::Shape s;
  std::vector<char> state;
  std::vector<std::uint64_t> wp;
  std::vector<bool> zrwa;
  std::deque<std::uint32_t> fifo;
};

char letter(ZoneState state) {
  switch (state) {
    case Empty:
      return 'E';
    case ImplicitlyOpened:
      return 'I';
    case ExplicitlyOpened:
      return 'X';
    case Closed:
      return 'C';
    case Full:
      return 'F';
    case ReadOnly:
      return 'R';
    case Offline:
      return 'O';
  }
  return '?';
}

TEST(ZoneTable, EndsEachRandomCommandAsASecondModelDoes) {
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const ZoneTable::Shape s = shape(seed % 2 == 0 ? 0 : 4, seed % 3 == 0 ? 1 : 2);
    ZoneTable table(s);
    Model model(s);
    for (int step = 0; step < 2000; ++step) {
      const auto z = static_cast<std::uint32_t>(random.below(s.zones));
      const std::uint64_t start =
          random.chance(0.03) ? ZoneTable::kAll : z * s.zone_size + (random.chance(0.03) ? random.below(20) : 0);
      const std::uint64_t near = z * s.zone_size + (random.chance(0.7) ? model.wp[z] : random.below(16));
      Status expected = Status::Ok;
      Status found = Status::Ok;
      std::uint64_t where = 0;
      std::uint64_t placed = 0;
      const std::uint64_t count = 1 + random.below(random.chance(0.1) ? 12 : 4);
      const std::uint64_t kind = random.below(100);
      const auto manage = [&](const char* what, auto&& call) {
        expected = model.manage(what, start);
        found = call();
      };
      if (kind < 35) {
        expected = model.write(near, count);
        found = table.write(near, count);
      } else if (kind < 55) {
        const std::uint64_t at = start == ZoneTable::kAll ? 0 : start;
        expected = model.append(at, count, where);
        found = table.append(at, count, placed);
      } else if (kind < 65) {
        manage("open", [&] { return table.open(start, false); });
      } else if (kind < 72 && s.random_area != 0 && start != ZoneTable::kAll) {
        manage("zrwa", [&] { return table.open(start, true); });
      } else if (kind < 80) {
        manage("close", [&] { return table.close(start); });
      } else if (kind < 85) {
        manage("finish", [&] { return table.finish(start); });
      } else if (kind < 93) {
        manage("reset", [&] { return table.reset(start); });
      } else if (kind < 94 && step > 1500) {
        manage("offline", [&] { return table.offline(start); });
      } else if (kind == 95 && step > 1500 && model.state[z] != 'O') {
        table.make_read_only(z);
        model.set(z, 'R');
      } else {
        const std::uint64_t last = near + random.below(4);
        expected = model.commit(last);
        found = table.commit(last);
      }
      refused += expected != Status::Ok ? 1 : 0;
      ASSERT_EQ(found, expected) << "seed " << seed << ", step " << step << ", kind " << kind;
      ASSERT_EQ(placed, where);
      for (std::uint32_t each = 0; each < s.zones; ++each) {
        ASSERT_EQ(letter(table[each].state), model.state[each]) << "seed " << seed << ", step " << step;
        ASSERT_EQ(table[each].written, model.wp[each]) << "seed " << seed << ", step " << step;
        ASSERT_EQ(table[each].random_area, model.zrwa[each]);
      }
      ASSERT_EQ(table.open_zones(), model.open());
      ASSERT_EQ(table.active_zones(), model.active());
    }
  }
  EXPECT_GT(refused, 1000U);
}

}  // namespace
}  // namespace flashloom::zone_table_test
