// zones: a host that uses a zoned device. It writes several zones at a time, each from its start on, by appends or by
// writes at the write pointer. It reads zones that are full or that it has finished, and resets the oldest of them when
// it needs an empty zone.
// The host does not check completions: it takes each command as done when it is sent. So with several commands in
// flight it should use appends; writes at the write pointer then need a single queue, whose order the device keeps. The
// host also writes zones with a random write area in order, writes again over data not committed yet, and commits the
// rest at the end of the zone.
// Closed loop.
#include <algorithm>
#include <deque>
#include <vector>

#include "workloads/generators/generator.hpp"
#include "workloads/random.hpp"

namespace flashloom::generator::zones {
namespace {

std::vector<GeneratorParameter> parameters() {
  using enum GeneratorUnit;
  return with(
      {{.name = "size",
        .default_value = std::int64_t{65536},
        .unit = Bytes,
        .minimum = 1,
        .maximum = 1 << 30,
        .help = "of a request; what is left of a zone is shorter"},
       {.name = "open",
        .default_value = std::int64_t{4},
        .minimum = 1,
        .maximum = 100'000,
        .help = "zones that are written at a time"},
       {.name = "zones",
        .default_value = std::int64_t{0},
        .minimum = 0,
        .maximum = 1e9,
        .help = "that are used, the first ones; 0: all"},
       share_parameter("read", 0.0, "share of requests that read what was written"),
       share_parameter("append", 1.0, "share of the others that are appends; the rest are writes at the write pointer"),
       share_parameter("finish", 0.0, "share of zones that are finished before they are full"),
       share_parameter("finish_at", 0.5, "share of such a zone that is written then, one request at least"),
       share_parameter("explicit_open", 0.0, "share of zones that are opened by a command first"),
       share_parameter("random_area", 0.0, "share of zones that are opened with a random write area (ZRWA)"),
       share_parameter("overwrite", 0.5, "share of writes to these that go over what is not committed yet"),
       share_parameter("report", 0.0, "share of requests that ask for a report of 64 zones"),
       {.name = "flush_every",
        .default_value = std::int64_t{0},
        .minimum = 0,
        .maximum = 1e15,
        .help = "a flush after so many writes and appends; 0: none"},
       share_parameter("fua", 0.0, "share of writes and appends with force unit access")},
      RequestBudget::parameters());
}

class Zones final : public RequestSource {
 public:
  Zones(const GeneratorValues& values, const GeneratorContext& context)
      : budget_(values, context),
        random_(derived_seed(context.seed, 0)),
        zone_(context.space.zones.bytes),
        capacity_(context.space.zones.capacity),
        area_(context.space.zones.random_area),
        granule_(context.space.zones.random_granule),
        sector_(context.space.sector_size),
        size_(values.count("size")),
        read_(values.real("read")),
        append_(values.real("append")),
        finish_(values.real("finish")),
        finish_at_(std::max(static_cast<std::uint64_t>(values.real("finish_at") * static_cast<double>(capacity_)),
                            std::uint64_t{1})),
        open_(values.real("explicit_open")),
        random_area_(values.real("random_area")),
        overwrite_(values.real("overwrite")),
        report_(values.real("report")),
        fua_(values.real("fua")),
        flush_every_(values.count("flush_every")) {
    if (zone_ == 0) throw GeneratorError("size", "the device has no zones; ftl.kind = \"zoned\" has");
    check_size("size", size_, context.space);
    if (size_ > capacity_)
      throw GeneratorError("size",
                           std::to_string(size_) + " B is more than a zone holds, " + std::to_string(capacity_) + " B");
    if (random_area_ != 0 && area_ == 0)
      throw GeneratorError("random_area", "the device has none; ftl.kind.random_write_area gives it some");
    if (random_area_ != 0 && size_ > area_)
      throw GeneratorError(
          "size", std::to_string(size_) + " B is more than a random write area holds, " + std::to_string(area_) + " B");
    const std::uint64_t all = context.space.capacity / zone_;
    const std::uint64_t wanted = values.count("zones") == 0 ? all : values.count("zones");
    if (wanted > all)
      throw GeneratorError("zones", std::to_string(wanted) + " are more than the region has, " + std::to_string(all));
    const std::uint64_t at_a_time = values.count("open");
    if (context.space.zones.max_open != 0 && at_a_time > context.space.zones.max_open)
      throw GeneratorError("open", std::to_string(at_a_time) + " zones at a time are more than the device has open, " +
                                       std::to_string(context.space.zones.max_open));
    if (at_a_time >= wanted)
      throw GeneratorError("open", std::to_string(at_a_time) + " zones at a time leave none of " +
                                       std::to_string(wanted) + " to be reset");
    lanes_.resize(at_a_time);
    for (std::uint64_t zone = 0; zone < wanted; ++zone) empty_.push_back(zone);
  }

  bool knows_zones() const override { return true; }

  bool next(Request& request) override {
    request = Request{};
    if (flush_every_ != 0 && writes_ == flush_every_) {
      writes_ = 0;
      request.kind = RequestKind::Flush;
      return true;
    }
    if (budget_.spent()) return false;
    if (!give(request)) budget_.count(request);
    return true;
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  struct Lane {
    std::uint64_t zone = kNone;
    std::uint64_t written = 0;
    std::uint64_t finish_at = kNone;
    bool area = false;
    std::uint64_t committed = 0;  ///< bytes committed in a zone with a random write area
  };
  struct Written {
    std::uint64_t zone;
    std::uint64_t bytes;
  };

  // Gives out the next request. Returns whether it is a zone management command, which the budget does not count.
  bool give(Request& request) {
    if (report_ != 0 && random_.chance(report_)) {
      request.kind = RequestKind::ZoneReport;
      return true;
    }
    if (read_ != 0 && random_.chance(read_) && read(request)) return false;
    Lane& lane = lanes_[turn_ % lanes_.size()];
    if (lane.zone == kNone) return begin(lane, request);
    ++turn_;
    if (lane.written >= lane.finish_at) {
      request.kind = RequestKind::ZoneFinish;
      request.offset = lane.zone * zone_;
      end(lane);
      return true;
    }
    if (lane.area) return write_area(lane, request);
    const bool append = append_ != 0 && random_.chance(append_);
    request.kind = append ? RequestKind::ZoneAppend : RequestKind::Write;
    request.offset = lane.zone * zone_ + (append ? 0 : lane.written);
    request.length = std::min(size_, capacity_ - lane.written);
    request.fua = fua_ != 0 && random_.chance(fua_);
    ++writes_;
    lane.written += request.length;
    if (lane.written == capacity_) end(lane);
    return false;
  }

  // Begins an empty zone in the lane. If no zone is empty, resets the zone that was full or finished first.
  bool begin(Lane& lane, Request& request) {
    if (empty_.empty()) {
      request.kind = RequestKind::ZoneReset;
      request.offset = full_.front().zone * zone_;
      empty_.push_back(full_.front().zone);
      full_.pop_front();
      return true;
    }
    lane = {.zone = empty_.front()};
    empty_.pop_front();
    if (finish_ != 0 && random_.chance(finish_)) lane.finish_at = finish_at_;
    lane.area = random_area_ != 0 && random_.chance(random_area_);
    if (!lane.area && (open_ == 0 || !random_.chance(open_))) return give(request);
    request.kind = RequestKind::ZoneOpen;
    request.random_write_area = lane.area;
    request.offset = lane.zone * zone_;
    return true;
  }

  // Writes after the last written byte, or again over data not committed yet. The device commits data that falls out of
  // the random write area.
  bool write_area(Lane& lane, Request& request) {
    if (lane.written == capacity_) {
      lane.committed = std::min(lane.committed + area_, capacity_);
      request.kind = RequestKind::ZoneCommit;
      request.offset = lane.zone * zone_ + lane.committed - sector_;
      if (lane.committed == capacity_) end(lane);
      return true;
    }
    const std::uint64_t held = lane.written - lane.committed;
    const bool again = held != 0 && overwrite_ != 0 && random_.chance(overwrite_);
    const std::uint64_t from =
        again ? lane.committed + random_.below((held + size_ - 1) / size_) * size_ : lane.written;
    request.kind = RequestKind::Write;
    request.offset = lane.zone * zone_ + from;
    request.length = std::min(size_, (again ? lane.written : capacity_) - from);
    request.fua = fua_ != 0 && random_.chance(fua_);
    ++writes_;
    lane.written = std::max(lane.written, from + request.length);
    if (lane.written > lane.committed + area_) {
      const std::uint64_t granules = (lane.written - lane.committed - area_ + granule_ - 1) / granule_;
      lane.committed = std::min(lane.committed + granules * granule_, capacity_);
      if (lane.committed == capacity_) end(lane);
    }
    return false;
  }

  void end(Lane& lane) {
    full_.push_back({lane.zone, lane.written});
    lane.zone = kNone;
  }

  bool read(Request& request) {
    if (full_.empty()) return false;
    const Written& from = full_[random_.below(full_.size())];
    request.length = std::min(size_, from.bytes);
    request.offset = from.zone * zone_ + random_.below(from.bytes / request.length) * request.length;
    return true;
  }

  RequestBudget budget_;
  Random random_;
  std::uint64_t zone_;
  std::uint64_t capacity_;
  std::uint64_t area_;
  std::uint64_t granule_;
  std::uint64_t sector_;
  std::uint64_t size_;
  double read_;
  double append_;
  double finish_;
  std::uint64_t finish_at_;  // bytes
  double open_;
  double random_area_;
  double overwrite_;
  double report_;
  double fua_;
  std::uint64_t flush_every_;
  std::uint64_t writes_ = 0;
  std::uint64_t turn_ = 0;
  std::vector<Lane> lanes_;
  std::deque<std::uint64_t> empty_;
  std::deque<Written> full_;
};

GeneratedWorkload make(const GeneratorValues& values, const GeneratorContext& context) {
  return {.source = std::make_unique<Zones>(values, context)};
}

const GeneratorRegistration registration{
    {.name = "zones",
     .summary = "zones written in order, read, finished and reset, of a zoned device",
     .source = "NVM Express Zoned Namespace Command Set Specification 1.1",
     .parameters = parameters(),
     .make = &make}};

}  // namespace
}  // namespace flashloom::generator::zones
