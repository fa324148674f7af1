// desktop: days of a desktop user, in place of the traces of the PWC study (ten days of three users, 25 to 35 % of the
// volume writes), which are not public. A day has sessions with idle time between them. In a session the user accesses
// one file after another, each in a run of sequential requests. Most files belong to a working set, part of which is
// replaced every day. Each day has its own random numbers, so that it does not depend on the days before (`first_day`).
// Only the share of writes and the number of days come from the study. Open loop.
#include <algorithm>

#include "workloads/distributions.hpp"
#include "workloads/generators/generator.hpp"
#include "workloads/permutation.hpp"
#include "workloads/size_text.hpp"

namespace flashloom::generator::desktop {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000'000;

std::vector<GeneratorParameter> parameters() {
  using enum GeneratorUnit;
  const auto time = [](const char* name, std::int64_t value, const char* help) {
    return GeneratorParameter{
        .name = name, .default_value = value, .unit = Time, .minimum = 1, .maximum = 9e18, .help = help};
  };
  const auto share = [](const char* name, double value, const char* help) {
    return GeneratorParameter{
        .name = name, .default_value = value, .unit = Ratio, .minimum = 0, .maximum = 1, .help = help};
  };
  const auto bytes = [](const char* name, std::int64_t value, const char* help) {
    return GeneratorParameter{
        .name = name, .default_value = value, .unit = Bytes, .minimum = 512, .maximum = 0x1p50, .help = help};
  };
  return {{.name = "days", .default_value = std::int64_t{10}, .minimum = 1, .maximum = 200, .help = "how many"},
          {.name = "first_day",
           .default_value = std::int64_t{0},
           .minimum = 0,
           .maximum = 100'000,
           .help = "which of the user's days, counted from 0, is the first; times count from its begin"},
          time("day", 86'400 * kSecond, "length of a day; shorter ones leave less idle time"),
          {.name = "sessions", .default_value = std::int64_t{4}, .minimum = 1, .maximum = 1000, .help = "a day"},
          time("session", 1800 * kSecond, "mean length of a session (exponential)"),
          time("think", 2 * kSecond, "mean time between the end of a run and the next one (exponential)"),
          time("gap", kSecond / 1000, "time between the requests of a run"),
          share("write", 0.3, "share of the runs that write, and so of the volume"),
          {.name = "size",
           .default_value = WeightedSizes{{4096, 0.5}, {16384, 0.25}, {65536, 0.25}},
           .unit = Sizes,
           .minimum = 512,
           .maximum = 1 << 26,
           .help = "of a request; the same within a run"},
          bytes("file", 1 << 20, "unit of the working set; a run stays within one"),
          bytes("run", 256 << 10, "mean length of a run (geometric)"),
          bytes("working_set", 256 << 20, "files in use, as bytes"),
          share("drift", 0.1, "share of the working set that is replaced every day"),
          {.name = "theta",
           .default_value = 0.9,
           .minimum = 0,
           .maximum = 20,
           .help = "skew (zipf) within the working set"},
          share("cold", 0.1, "share of the runs outside the working set, at any file")};
}

class DesktopSource final : public RequestSource {
 public:
  DesktopSource(const GeneratorValues& values, const GeneratorContext& context)
      : seed_(derived_seed(context.seed, 0)),
        random_(0),
        days_(values.count("days")),
        first_day_(values.count("first_day")),
        day_ps_(values.count("day")),
        sessions_(values.count("sessions")),
        session_ps_(static_cast<double>(values.count("session"))),
        think_ps_(static_cast<double>(values.count("think"))),
        gap_ps_(values.count("gap")),
        write_(values.real("write")),
        sizes_(values.get<WeightedSizes>("size")),
        size_(weights_of(sizes_)),
        file_(values.count("file")),
        run_(static_cast<double>(values.count("run"))),
        files_(context.space.capacity / file_),
        in_use_(std::min(values.count("working_set") / file_, files_)),
        drift_(values.real("drift")),
        cold_(values.real("cold")),
        rank_(checked_in_use(values, context.space), values.real("theta")),
        popularity_(in_use_, derived_seed(context.seed, 1)),
        places_(files_, derived_seed(context.seed, 2)) {
    if (days_ > ~std::uint64_t{0} / 2 / day_ps_) throw GeneratorError("day", "so many days exceed simulated time");
    begin_day();
  }

  bool next(Request& request) override {
    while (left_ == 0)
      if (!begin_run()) return false;
    request = Request{};
    request.kind = writes_ ? RequestKind::Write : RequestKind::Read;
    request.offset = offset_;
    request.length = length_;
    request.arrival_ps = now_;
    offset_ += length_;
    if (--left_ != 0) now_ += gap_ps_;
    return true;
  }

 private:
  static WeightedIndex weights_of(const WeightedSizes& sizes) {
    std::vector<double> weights;
    // The mean bytes of a run do not depend on its request size; scaled so, the weights apply to requests, not to runs.
    for (const auto& [size, weight] : sizes) weights.push_back(weight * static_cast<double>(size));
    return WeightedIndex(weights);
  }

  static std::uint64_t checked_in_use(const GeneratorValues& values, const DeviceSpace& space) {
    const std::uint64_t file = values.count("file");
    check_size("file", file, space);
    for (const auto& [size, weight] : values.get<WeightedSizes>("size")) {
      check_size("size", size, space);
      if (file % size != 0) throw GeneratorError("size", "a file is no multiple of " + size_text(size));
    }
    if (values.count("working_set") < file) throw GeneratorError("working_set", "is smaller than a file");
    return std::min(values.count("working_set"), space.capacity) / file;
  }

  void begin_day() {
    random_ = Random(derived_seed(seed_, first_day_ + day_));
    session_ = 0;
    begin_session();
  }

  // A day is divided into equal parts, one per session. A session begins in the first half of its part, and ends at the
  // end of the part at the latest.
  void begin_session() {
    const std::uint64_t part = day_ps_ / sessions_;
    const std::uint64_t begin = day_ * day_ps_ + session_ * part;
    now_ = begin + random_.below(part / 2 + 1);
    const double length = std::min(draw_exponential(random_, session_ps_), static_cast<double>(begin + part - now_));
    session_end_ = now_ + static_cast<std::uint64_t>(length);
  }

  bool begin_run() {
    if (day_ == days_) return false;
    for (;;) {
      now_ += static_cast<std::uint64_t>(draw_exponential(random_, think_ps_) + 0.5);
      if (now_ < session_end_) break;
      if (++session_ != sessions_)
        begin_session();
      else if (++day_ != days_)
        begin_day();
      else
        return false;
    }
    length_ = sizes_[size_(random_)].first;
    writes_ = random_.chance(write_);
    const std::uint64_t slots = file_ / length_;
    const double mean = std::max(run_ / static_cast<double>(length_), 1.0);
    left_ = 1;
    while (left_ < slots && random_.chance(1 - 1 / mean)) ++left_;
    offset_ = file() * file_ + random_.below(slots - left_ + 1) * length_;
    return true;
  }

  // The working set is a window of in_use_ places in an endless list of files; it moves by a share drift_ of its size
  // per day. A file keeps its slot, and so its popularity, while it is in the window.
  std::uint64_t file() {
    if (random_.chance(cold_)) return random_.below(files_);
    const auto moved = static_cast<std::uint64_t>(drift_ * static_cast<double>(in_use_ * (first_day_ + day_)) + 0.5);
    const std::uint64_t slot = popularity_(rank_(random_) - 1);
    const std::uint64_t before = slot < moved % in_use_ ? 1 : 0;  // 1: the slot has been replaced once more than others
    return places_((slot + (moved / in_use_ + before) * in_use_) % files_);
  }

  std::uint64_t seed_;
  Random random_;  // of the day
  std::uint64_t days_;
  std::uint64_t first_day_;
  std::uint64_t day_ps_;
  std::uint64_t sessions_;
  double session_ps_;
  double think_ps_;
  std::uint64_t gap_ps_;
  double write_;
  WeightedSizes sizes_;
  WeightedIndex size_;
  std::uint64_t file_;
  double run_;
  std::uint64_t files_;
  std::uint64_t in_use_;
  double drift_;
  double cold_;
  ZipfRank rank_;
  RandomPermutation popularity_;
  RandomPermutation places_;

  std::uint64_t day_ = 0;  // counted from first_day_
  std::uint64_t session_ = 0;
  std::uint64_t session_end_ = 0;
  std::uint64_t now_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t left_ = 0;  // requests left in the run
  bool writes_ = false;
};

GeneratedWorkload make(const GeneratorValues& values, const GeneratorContext& context) {
  return {.source = std::make_unique<DesktopSource>(values, context), .timed = true};
}

const GeneratorRegistration registration{
    {.name = "desktop",
     .summary = "days of a desktop user: sessions, idle times, a drifting working set",
     .source = "in place of the PWC study's traces; only shares and days are theirs",
     .parameters = parameters(),
     .make = &make}};

}  // namespace
}  // namespace flashloom::generator::desktop
