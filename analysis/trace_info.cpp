#include "analysis/trace_info.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "analysis/page_set.hpp"
#include "analysis/ratio.hpp"
#include "workloads/log_histogram.hpp"

namespace flashloom {
namespace {

double nanoseconds(std::uint64_t ps) { return static_cast<double>(ps) / 1e3; }

/// The running state of a pass.
class InfoPass {
 public:
  void add(const Request& request) {
    if (info_.requests != 0) gaps_.add(request.arrival_ps - last_ps_);
    last_ps_ = request.arrival_ps;
    ++info_.requests;
    if (request.kind == RequestKind::Flush) {
      ++info_.flushes;
      return;
    }
    info_.end_bytes = std::max(info_.end_bytes, request.offset + request.length);
    if (discards(request.kind)) {
      ++info_.trims;
      info_.trim_bytes += request.length;
      return;
    }
    transfer(request);
  }

  TraceInfo finish(std::uint64_t clamped_times) {
    const std::uint64_t transfers = info_.reads + info_.writes;
    info_.footprint_bytes = touched_.size() * TraceInfo::kPage;
    info_.written_footprint_bytes = written_.size() * TraceInfo::kPage;
    info_.sizes.mean_bytes = ratio(info_.read_bytes + info_.write_bytes, transfers);
    info_.sequential_share = ratio(sequential_, transfers);
    info_.overwrite_share = ratio(page_writes_ - written_.size(), page_writes_);
    info_.duration_s = static_cast<double>(last_ps_) / 1e12;
    if (gaps_.count() != 0) {  // arrivals begin at 0 and never fall: the gaps add up to the last one
      info_.inter_arrival = {nanoseconds(last_ps_) / static_cast<double>(gaps_.count()),
                             nanoseconds(gaps_.percentile(0.5)), nanoseconds(gaps_.percentile(0.99)),
                             nanoseconds(gaps_.maximum())};
    }
    info_.out_of_order_times = clamped_times;
    return info_;
  }

 private:
  void transfer(const Request& request) {
    const bool write = request.kind == RequestKind::Write;
    ++(write ? info_.writes : info_.reads);
    (write ? info_.write_bytes : info_.read_bytes) += request.length;
    auto& sizes = info_.sizes;
    sizes.min_bytes = info_.reads + info_.writes == 1 ? request.length : std::min(sizes.min_bytes, request.length);
    sizes.max_bytes = std::max(sizes.max_bytes, request.length);
    if (request.length != 0) ++sizes.buckets[static_cast<std::size_t>(std::bit_width(request.length)) - 1];
    std::uint64_t& end = write ? write_end_ : read_end_;
    bool& any = write ? any_write_ : any_read_;
    if (any && request.offset == end) ++sequential_;
    any = true;
    end = request.offset + request.length;
    if (request.length == 0) return;
    const std::uint64_t first = request.offset / TraceInfo::kPage;
    const std::uint64_t pages = (end - 1) / TraceInfo::kPage - first + 1;
    touched_.add(first, pages);
    if (write) {
      page_writes_ += pages;
      written_.add(first, pages);
    }
  }

  TraceInfo info_;
  PageSet touched_;
  PageSet written_;
  LogHistogram<6> gaps_;  // ps
  std::uint64_t last_ps_ = 0;
  std::uint64_t page_writes_ = 0;
  std::uint64_t sequential_ = 0;
  std::uint64_t read_end_ = 0;
  std::uint64_t write_end_ = 0;
  bool any_read_ = false;
  bool any_write_ = false;
};

std::string human_bytes(double bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.2f %s", bytes, kUnits[unit]);
  return text;
}

std::string human_bytes(std::uint64_t bytes) { return human_bytes(static_cast<double>(bytes)); }

std::string human_time(double ns) {
  static constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  for (; ns >= 1000 && unit + 1 < std::size(kUnits); ++unit) ns /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %s", ns, kUnits[unit]);
  return text;
}

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f %%", share * 100);
  return text;
}

}  // namespace

TraceInfo analyse_trace(RequestSource& source) {
  InfoPass pass;
  Request request;
  while (source.next(request)) pass.add(request);
  TraceInfo info = pass.finish(source.clamped_times());
  info.timed = source.timed();
  return info;
}

nlohmann::ordered_json to_json(const TraceInfo& info, const std::string& name) {
  using Json = nlohmann::ordered_json;
  Json buckets = Json::array();
  for (std::size_t i = 0; i < info.sizes.buckets.size(); ++i)
    if (info.sizes.buckets[i] != 0)
      buckets.push_back(Json{{"from_bytes", std::uint64_t{1} << i}, {"requests", info.sizes.buckets[i]}});
  Json json;
  json["schema"] = "flashloom.trace_info/1";
  json["trace"] = name;
  json["requests"] = info.requests;
  json["reads"] = info.reads;
  json["writes"] = info.writes;
  json["trims"] = info.trims;
  json["flushes"] = info.flushes;
  json["read_bytes"] = info.read_bytes;
  json["write_bytes"] = info.write_bytes;
  json["trim_bytes"] = info.trim_bytes;
  json["footprint_bytes"] = info.footprint_bytes;
  json["written_footprint_bytes"] = info.written_footprint_bytes;
  json["end_bytes"] = info.end_bytes;
  json["sizes"]["min_bytes"] = info.sizes.min_bytes;
  json["sizes"]["mean_bytes"] = info.sizes.mean_bytes;
  json["sizes"]["max_bytes"] = info.sizes.max_bytes;
  json["sizes"]["histogram"] = std::move(buckets);
  json["sequential_share"] = info.sequential_share;
  json["overwrite_share"] = info.overwrite_share;
  json["timed"] = info.timed;
  json["inter_arrival_ns"]["mean"] = info.inter_arrival.mean_ns;
  json["inter_arrival_ns"]["p50"] = info.inter_arrival.p50_ns;
  json["inter_arrival_ns"]["p99"] = info.inter_arrival.p99_ns;
  json["inter_arrival_ns"]["max"] = info.inter_arrival.max_ns;
  json["duration_s"] = info.duration_s;
  json["out_of_order_times"] = info.out_of_order_times;
  json["unknown_flags"] = info.notes.unknown_flags;
  return json;
}

std::string to_text(const TraceInfo& info, const std::string& name) {
  std::string text = name + "\n";
  const auto row = [&text](const char* label, const std::string& value) {
    char line[160];
    std::snprintf(line, sizeof line, "  %-18s %s\n", label, value.c_str());
    text += line;
  };
  const auto count = [&info](std::uint64_t n) {
    return std::to_string(n) + " (" + percent(ratio(n, info.requests)) + ")";
  };
  row("requests", std::to_string(info.requests));
  row("reads", count(info.reads) + ", " + human_bytes(info.read_bytes));
  row("writes", count(info.writes) + ", " + human_bytes(info.write_bytes));
  if (info.trims != 0) row("trims", count(info.trims) + ", " + human_bytes(info.trim_bytes));
  if (info.flushes != 0) row("flushes", count(info.flushes));
  row("footprint", human_bytes(info.footprint_bytes) + ", written " + human_bytes(info.written_footprint_bytes));
  row("highest address", human_bytes(info.end_bytes));
  row("sequential", percent(info.sequential_share));
  row("overwrites", percent(info.overwrite_share) + " of the pages written");
  if (info.timed) {
    row("inter-arrival", "mean " + human_time(info.inter_arrival.mean_ns) + ", p50 " +
                             human_time(info.inter_arrival.p50_ns) + ", p99 " + human_time(info.inter_arrival.p99_ns) +
                             ", max " + human_time(info.inter_arrival.max_ns));
    row("duration", human_time(info.duration_s * 1e9));
    row("out-of-order times", std::to_string(info.out_of_order_times));
  } else {
    row("times", "none");
  }
  if (info.notes.unknown_flags != 0)
    row("unknown flags", std::to_string(info.notes.unknown_flags) + "; " + note_text(info.notes));
  row("request size", "min " + human_bytes(info.sizes.min_bytes) + ", mean " + human_bytes(info.sizes.mean_bytes) +
                          ", max " + human_bytes(info.sizes.max_bytes));
  for (std::size_t i = 0; i < info.sizes.buckets.size(); ++i)
    if (info.sizes.buckets[i] != 0)
      row("", "from " + human_bytes(std::uint64_t{1} << i) + ": " + std::to_string(info.sizes.buckets[i]) + " (" +
                  percent(ratio(info.sizes.buckets[i], info.reads + info.writes)) + ")");
  return text;
}

}  // namespace flashloom
