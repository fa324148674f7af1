// The summary that a fio user reads at a glance.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "sc_main/assembly/config/give_way.hpp"
#include "sc_main/assembly/config/stack_kind.hpp"
#include "sc_main/assembly/report/hardware_report.hpp"
#include "sc_main/assembly/report/reliability_report.hpp"
#include "sc_main/assembly/report/report.hpp"
#include "sc_main/assembly/report/thermal_report.hpp"
#include "sc_main/program/options/terminal.hpp"
#include "workloads/fio/fio_options.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

std::string si(double value, const char* unit) {
  constexpr std::pair<double, const char*> kPrefixes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (const auto& [step, prefix] : kPrefixes)
    if (value >= step) return fmt::format("{:.4g} {}{}", value / step, prefix, unit);
  return fmt::format("{:.4g} {}", value, unit);
}

std::string time_text(double ns) {
  if (ns >= 1e9) return fmt::format("{:.3g} s", ns / 1e9);
  if (ns >= 1e6) return fmt::format("{:.4g} ms", ns / 1e6);
  if (ns >= 1e3) return fmt::format("{:.4g} us", ns / 1e3);
  return fmt::format("{:.0f} ns", ns);
}

void print_slc(std::ostream& out, const Json& slc) {
  const auto number = [&slc](const char* name) { return slc[name].get<std::uint64_t>(); };
  out << fmt::format("  slc    {} units written into the cache, {} past it; {} blocks folded, {} units\n",
                     number("units_written"), number("units_past"), number("folded_blocks"), number("folded_units"));
  if (slc.contains("dynamic_blocks"))
    out << fmt::format("         {} of at most {} blocks borrowed at the end; {} returned since room was short\n",
                       number("borrowed_blocks"), number("dynamic_blocks"), number("returned_blocks"));
}

// The parts of the mean latency, in per cent: the largest first, those below 1 % left out.
std::string shares(const Json& parts, double mean) {
  std::vector<std::pair<double, std::string>> list;
  for (const auto& [name, part] : parts.items())
    if (part.get<double>() >= 0.01 * mean) list.emplace_back(part.get<double>() / mean, name);
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (auto& [share, name] : list) {
    std::replace(name.begin(), name.end(), '_', ' ');
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, 100 * share);
  }
  return text;
}

void print_operation(std::ostream& out, const char* name, const Json& operation) {
  if (operation["ios"].get<std::uint64_t>() == 0) return;
  const Json& latency = operation["latency_ns"];
  const auto at = [&latency](const char* key) { return time_text(latency[key].get<double>()); };
  out << fmt::format("  {:<6} {:>10} IOs  {:>12}  {:>12}\n", name, operation["ios"].get<std::uint64_t>(),
                     si(operation["bandwidth_bytes_per_s"].get<double>(), "B/s"),
                     si(operation["iops"].get<double>(), "IOPS"));
  out << fmt::format("         lat mean {}, min {}, max {}\n", at("mean"), at("min"), at("max"));
  out << fmt::format("         p50 {}, p95 {}, p99 {}, p99.9 {}\n", at("p50"), at("p95"), at("p99"), at("p99_9"));
  const double mean = latency["mean"].get<double>();
  if (operation.contains("latency_breakdown_ns") && mean > 0)
    out << fmt::format("         time {}\n", shares(operation["latency_breakdown_ns"]["mean"], mean));
}

// A run on the instant clock has no times: only counts are printed.
void print_count(std::ostream& out, const char* name, const Json& window) {
  if (!window.contains(name) || window[name]["ios"].get<std::uint64_t>() == 0) return;
  out << fmt::format("  {:<6} {:>10} IOs  {:>12}\n", name, window[name]["ios"].get<std::uint64_t>(),
                     si(window[name]["bytes"].get<double>(), "B"));
}

constexpr std::uint64_t kWarnedOf = 100;  // more than one of so many units is worth a warning

// Warnings about figures that may mislead.
void print_notes(std::ostream& out, const Json& result, const SummaryNotes& notes) {
  if (const auto dropped = result["device"].find("dropped"); dropped != result["device"].end())
    for (const auto& [choice, keys] : dropped->items())
      out << "  note   " << dropped_text(choice, keys.get<std::vector<std::string>>()) << '\n';
  const std::uint64_t zeroed = result["ftl"]["units_zeroed"].get<std::uint64_t>();
  const std::uint64_t read = result["buffer"]["read_units"].get<std::uint64_t>();
  if (zeroed * kWarnedOf > read)
    out << styled(out, TextStyle::Warning,
                  fmt::format(
                      "warning: {:.0f} % of the units read ({} of {}) hold nothing: never written, or trimmed. "
                      "They were answered\n"
                      "warning: without flash, far faster and cheaper than data. --set precondition.fill=1 fills the "
                      "device before the run",
                      100 * ratio(count(zeroed), count(read)), zeroed, read))
        << '\n';
  else if (zeroed != 0)
    out << fmt::format(
        "  zeroes {} of {} units read hold nothing (never written, or trimmed): answered without flash\n", zeroed,
        read);
  if (notes.never_together)
    out << "  note   nand.multi_plane_read has had no effect: no pages of several planes were read together\n";
}

// " (11.2 to 16.9)" after a figure of energy that has a band.
std::string band_text(const Json& energy, const char* figure) {
  const auto uncertainty = energy.find("uncertainty");
  if (uncertainty == energy.end()) return {};
  const Json& band = (*uncertainty)[figure];
  if (band["p5"] == band["p95"]) return {};  // no range acts on it
  return fmt::format(" ({:.4g} to {:.4g})", band["p5"].get<double>(), band["p95"].get<double>());
}

// Explains the brackets behind figures of energy.
void print_uncertainty(std::ostream& out, const Json& uncertainty) {
  const Json& tornado = uncertainty["tornado"];
  const auto runs = uncertainty["runs"].get<std::uint64_t>();
  out << fmt::format("         ( to ) 5 and 95 % of {} samples of the ranges of {} keys{}{}\n",
                     uncertainty["samples"].get<std::uint64_t>(), uncertainty["keys"].size(),
                     runs == 1 ? "" : fmt::format(", in {} runs", runs),
                     tornado.empty() ? "" : "; widest: " + tornado[0]["key"].get<std::string>());
  if (const Json& held = uncertainty["held"]; !held.empty())
    out << fmt::format("         {} keys kept their values: theirs would take runs of their own\n", held.size());
  if (const Json& failed = uncertainty["failed"]; !failed.empty())
    out << styled(out, TextStyle::Warning,
                  fmt::format("warning: {} of {} runs with other values failed, and are left out: {}: {}",
                              failed.size(), uncertainty["reruns"].get<std::uint64_t>(),
                              failed[0]["run"].get<std::string>(), failed[0]["message"].get<std::string>()))
        << '\n';
}

void print_energy(std::ostream& out, const Json& energy) {
  const auto figure = [&energy](const char* name, const char* unit) {
    return fmt::format("{:.4g} {}", energy[name].get<double>(), unit) + band_text(energy, name);
  };
  out << fmt::format("  energy {} in all, {} background; {} average, {:.4g} W peak (over {}); {}\n",
                     figure("total_j", "J"), figure("background_j", "J"), figure("average_w", "W"),
                     energy["peak_w"].get<double>(), time_text(energy["peak_window_s"].get<double>() * 1e9),
                     figure("j_per_gb", "J/GB"));
  if (const auto cap = energy.find("cap"); cap != energy.end() && energy["average_w"] > (*cap)["w"])
    out << styled(out, TextStyle::Warning,
                  fmt::format(
                      "warning: power.cap limits the flash arrays alone, here to {:.4g} W, and the whole device draws "
                      "more; max_power of [[power.states]] is of the device",
                      (*cap)["w"].get<double>()))
        << '\n';
  if (energy.contains("uncertainty")) print_uncertainty(out, energy["uncertainty"]);
}

// "1.2 k to 1.3 k" of an interval; `text` formats each end.
std::string interval_text(const Json& interval, const std::function<std::string(double)>& text) {
  if (interval.is_null()) return "unknown";
  return text(interval["low"].get<double>()) + " to " + text(interval["high"].get<double>());
}

constexpr const char* kNotSettled =
    "not settled: windows still changed when they ended, so nothing bounds the estimates; take longer windows "
    "(--sample-requests)";

bool is_settled(const Json& result) {
  return !result.contains("sample") || result["sample"].is_null() || result["sample"]["warm_up"]["settled"].get<bool>();
}

// The confidence intervals of a sampled run.
void print_sample(std::ostream& out, const Json& result) {
  const Json& sample = result["sample"];
  if (sample.is_null()) {
    out << fmt::format("  sample none: {}; all of it was simulated in time\n",
                       result["sample_refused"].get<std::string>());
    return;
  }
  const Json& warm_up = sample["warm_up"];
  out << fmt::format("  sample {} windows of {} requests, {} of them to warm up{}; ",
                     sample["windows"].get<std::uint64_t>(), sample["requests"].get<std::uint64_t>(),
                     warm_up["requests"].get<std::uint64_t>(), warm_up["found"].get<bool>() ? ", as found" : "");
  if (!is_settled(result)) {
    out << styled(out, TextStyle::Warning, kNotSettled) << '\n';
    return;
  }
  out << fmt::format("{:.0f} % lie between:\n", 100 * sample["confidence"].get<double>());
  const Json& intervals = sample["intervals"];
  const auto time = [](double ns) { return time_text(ns); };
  for (const char* const name : kIoOperationNames) {
    const std::string path = std::string("host.") + name;
    if (!intervals.contains(path + ".iops")) continue;
    out << fmt::format("         {:<6} ({}), lat mean ({}), p99 ({}), p99.9 ({})\n", name,
                       interval_text(intervals[path + ".iops"], [](double value) { return si(value, "IOPS"); }),
                       interval_text(intervals[path + ".latency_ns.mean"], time),
                       interval_text(intervals[path + ".latency_ns.p99"], time),
                       interval_text(intervals[path + ".latency_ns.p99_9"], time));
  }
  const auto plain = [](double value) { return fmt::format("{:.4g}", value); };
  out << fmt::format("         WAF ({}), energy ({}) J, ({}) J/GB; maxima are those of the windows\n",
                     interval_text(intervals["ftl.waf"], plain), interval_text(intervals["energy.total_j"], plain),
                     interval_text(intervals["energy.j_per_gb"], plain));
  const Json& error = sample["error"];
  if (!error["aim"].is_null() && error["reached"].get<double>() > error["aim"].get<double>())
    out << styled(
               out, TextStyle::Warning,
               fmt::format("warning: intervals are within +- {:.2g} % where --sample-error asks for {:.2g} %: the run "
                           "has no room for more windows",
                           100 * error["reached"].get<double>(), 100 * error["aim"].get<double>()))
        << '\n';
  if (const Json& stretch = sample["stretch"]; !stretch.is_null() && stretch["too_short"] != 0)
    out << styled(out, TextStyle::Warning,
                  fmt::format("warning: before {} of the windows too few requests were carried out for caches to be as "
                              "they would be",
                              stretch["too_short"].get<std::uint64_t>()))
        << '\n';
}

void print_segments(std::ostream& out, const Json& segments) {
  if (segments.is_null()) {
    out << "  segments none: the run is too short for segments that forget their begin; one process has simulated it\n";
    return;
  }
  const Json& error = segments["error"];
  out << fmt::format(
      "  segments {} of {} to {} requests, and {} to warm up; their seams leave an error of at most {:.2g} % of the "
      "time, "
      "{:.2g} % of the mean latency\n",
      segments["segments"].get<std::uint64_t>(), segments["requests"].back().get<std::uint64_t>(),
      segments["requests"].front().get<std::uint64_t>(), segments["warm_up"].get<std::uint64_t>(),
      100 * error["simulated_s"].get<double>(), 100 * error["latency_mean"].get<double>());
}

// A line for each operation of each job, if there are several jobs.
void print_jobs(std::ostream& out, const Json& jobs) {
  for (const Json& job : jobs)
    if (job["requests"].get<std::uint64_t>() == 0)
      out << styled(out, TextStyle::Warning, "warning: job " + job["name"].get<std::string>() + " sent nothing")
          << '\n';
  if (jobs.size() < 2) return;
  for (const Json& job : jobs) {
    for (const char* const name : kIoOperationNames) {
      if (!job.contains(name)) continue;
      const Json& operation = job[name];
      if (operation["ios"].get<std::uint64_t>() == 0) continue;
      out << fmt::format(
          "  job    {}{}: {} {} IOs, {}, {}, lat mean {}, p99 {}\n", job["name"].get<std::string>(),
          job["jobs"].get<std::uint64_t>() == 1 ? "" : fmt::format(" ({} jobs)", job["jobs"].get<std::uint64_t>()),
          name, operation["ios"].get<std::uint64_t>(), si(operation["bandwidth_bytes_per_s"].get<double>(), "B/s"),
          si(operation["iops"].get<double>(), "IOPS"), time_text(operation["latency_ns"]["mean"].get<double>()),
          time_text(operation["latency_ns"]["p99"].get<double>()));
    }
  }
}

void print_interface(std::ostream& out, const Json& interface) {
  for (const Json& each : interface["namespaces"])
    for (const char* const name : kIoOperationNames) {
      if (!each.contains(name) || each[name]["ios"].get<std::uint64_t>() == 0) continue;
      out << fmt::format(
          "  ns {:<4} {} {} IOs, {}, {}, lat mean {}, p99 {}\n", each["namespace"].get<std::uint64_t>(), name,
          each[name]["ios"].get<std::uint64_t>(), si(each[name]["bandwidth_bytes_per_s"].get<double>(), "B/s"),
          si(each[name]["iops"].get<double>(), "IOPS"), time_text(each[name]["latency_ns"]["mean"].get<double>()),
          time_text(each[name]["latency_ns"]["p99"].get<double>()));
    }
  if (const Json& interrupts = interface["interrupts"]; !interrupts.is_null())
    out << fmt::format("  irq    {} interrupts for {} completions, {} by the time\n",
                       interrupts["count"].get<std::uint64_t>(), interrupts["completions"].get<std::uint64_t>(),
                       interrupts["by_time"].get<std::uint64_t>());
  if (const Json& lists = interface["lists"]; lists["fetches"].get<std::uint64_t>() != 0)
    out << fmt::format("  lists  {} fetched from the host, {}\n", lists["fetches"].get<std::uint64_t>(),
                       si(lists["bytes"].get<double>(), "B"));
}

std::string number_text(const Json& value) {
  return value.is_null() ? "-" : fmt::format("{:.3f}", value.get<double>());
}

void print_tenants(std::ostream& out, const Json& tenants) {
  out << "  slowdown against running alone: mean latency, p99, bandwidth\n";
  for (const Json& job : tenants["jobs"]) {
    const Json& slowdown = job["slowdown"];
    const auto mean = [&job](const char* when) { return time_text(job[when]["latency_mean_ns"].get<double>()); };
    out << fmt::format("         {:<16} {:>8} {:>8} {:>8}   mean {}, alone {}\n", job["name"].get<std::string>(),
                       number_text(slowdown["latency_mean"]), number_text(slowdown["latency_p99"]),
                       number_text(slowdown["bandwidth"]), mean("together"), mean("alone"));
  }
  out << fmt::format("         fairness {} (least over greatest slowdown), Jain's index {}\n",
                     number_text(tenants["fairness"]), number_text(tenants["jain"]));
}

/// Options of the job file without effect here that would change fio's measurements, each once; result.json has all.
void print_inert(std::ostream& out, const Json& workload) {
  if (!workload.contains("inert_options")) return;
  std::vector<std::string> names;
  std::string options;
  for (const Json& option : workload["inert_options"]) {
    const auto name = option["option"].get<std::string>();
    const auto value = option["value"].get<std::string>();
    if (!changes_measurement(name, value) || std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(name);
    options += (options.empty() ? "" : ", ") + name + (value.empty() ? "" : "=" + value);
  }
  if (!options.empty()) out << "  inert  " << options << ": not carried out; fio would measure otherwise\n";
}

}  // namespace

void print_summary(std::ostream& out, const nlohmann::ordered_json& result, const nlohmann::ordered_json& cost,
                   const SummaryNotes& notes) {
  out << styled(
             out, TextStyle::Heading,
             fmt::format("{}: {} of {}, {}", result["device"]["name"].get<std::string>(),
                         result["workload"]["kind"].get<std::string>(), result["workload"]["file"].get<std::string>(),
                         notes.timed ? fmt::format("{:.6g} s simulated", result["simulated_s"].get<double>())
                                     : "counted without time"))
      << '\n';
  if (result.contains("partial"))
    out << fmt::format("  partial: interrupted after {} requests{}: all figures are of what was completed\n",
                       result["host"]["requests"].get<std::uint64_t>(),
                       result["expected_requests"].is_null()
                           ? std::string()
                           : fmt::format(" of {}", result["expected_requests"].get<std::uint64_t>()));
  print_inert(out, result["workload"]);
  for (const char* const name : kIoOperationNames) {
    if (result["host"].contains(name)) print_operation(out, name, result["host"][name]);
    if (!notes.timed) print_count(out, name, result["window"]);
  }
  const Json& host = result["host"];
  if (result.contains("sample")) print_sample(out, result);
  if (result.contains("segments")) print_segments(out, result["segments"]);
  print_jobs(out, host["jobs"]);
  if (notes.timed) print_interface(out, result["host_interface"]);
  if (host["unmeasured"].get<std::uint64_t>() != 0)
    out << fmt::format("  ramp   {} requests not measured; flash, buffer, energy from {:.6g} s on\n",
                       host["unmeasured"].get<std::uint64_t>(), result["window"]["begin_s"].get<double>());
  if (host["late_requests"].get<std::uint64_t>() != 0)
    out << fmt::format("  late   {} requests after their arrival, at most {}\n",
                       host["late_requests"].get<std::uint64_t>(), time_text(host["max_lateness_ns"].get<double>()));
  if (!result["tenants"].is_null()) print_tenants(out, result["tenants"]);
  if (const Json& cache = result["host_cache"]; !cache.is_null()) {
    const Json& written = cache["written_back"];
    out << fmt::format(
        "  cache  {:.2f} % hits; {} pages fetched; written back: {} evicted, {} background, {} old, {} flushed\n",
        100 * cache["hit_ratio"].get<double>(), cache["fetched_pages"].get<std::uint64_t>(),
        written["eviction"].get<std::uint64_t>(), written["background"].get<std::uint64_t>(),
        written["age"].get<std::uint64_t>(), written["flush"].get<std::uint64_t>());
  }
  for (const StackKind* const kind : stack_kinds()) out << kind->summary(result);
  const Json& flash = result["flash"];
  out << fmt::format("  flash  {} page reads, {} page programs, {} erases; WAF {:.3f} (data {:.3f}), {} GC runs\n",
                     flash["reads"]["total"]["pages"].get<std::uint64_t>(),
                     flash["programs"]["total"]["pages"].get<std::uint64_t>(),
                     flash["erases"]["total"].get<std::uint64_t>(), result["ftl"]["waf"].get<double>(),
                     result["ftl"]["waf_data"].get<double>(), result["ftl"]["gc_runs"].get<std::uint64_t>());
  if (const auto found = result.find("write_amplification"); found != result.end())
    out << fmt::format("  writes {:.3f} = {:.3f} (host) x {:.3f} (device) times what the application wrote, {}\n",
                       (*found)["total"].get<double>(), (*found)["host"].get<double>(),
                       (*found)["device"].get<double>(), si((*found)["application_bytes"].get<double>(), "B"));
  if (const auto slc = result["ftl"].find("slc"); slc != result["ftl"].end()) print_slc(out, *slc);
  const Json& wear = result["wear"];
  if (wear["bad_blocks"].get<std::uint64_t>() != 0)
    out << fmt::format("  wear   {} of {} erase units bad{}; {} requests refused\n",
                       wear["bad_blocks"].get<std::uint64_t>(), wear["erase_units"].get<std::uint64_t>(),
                       result["ftl"]["read_only"].get<bool>() ? ", the device is read-only" : "",
                       host["write_protected"].get<std::uint64_t>());
  if (const auto refused = host.find("zone_errors"); refused != host.end())
    out << fmt::format("  zones  {} requests refused by the rules of zones\n", refused->get<std::uint64_t>());
  out << reliability_summary(result);
  const Json& merges = result["ftl"]["merges"];
  const auto number = [](const Json& value) { return value.get<std::uint64_t>(); };
  if (number(merges["switch"]) + number(merges["partial"]) + number(merges["full"]) != 0)
    out << fmt::format("  merges {} switch, {} partial, {} full\n", number(merges["switch"]), number(merges["partial"]),
                       number(merges["full"]));
  const Json& cache = result["ftl"]["map_cache"];
  if (number(cache["hits"]) + number(cache["misses"]) != 0)
    out << fmt::format("  map    {} hits, {} misses; {} translation pages read, {} written\n", number(cache["hits"]),
                       number(cache["misses"]), number(cache["page_reads"]), number(cache["page_writes"]));
  print_notes(out, result, notes);
  if (const auto dirty = result["buffer"]["dirty_bytes_at_end"].get<double>(); dirty != 0)
    out << fmt::format("  buffer {} not yet on flash at the end, {} of it on the way{}\n", si(dirty, "B"),
                       si(result["buffer"]["destaging_bytes_at_end"].get<double>(), "B"),
                       number(result["buffer"]["refused_units"]) == 0 ? "" : ": worn-out flash has no room for it");
  if (notes.timed) {
    out << hardware_summary(result);
    print_energy(out, result["energy"]);
    out << thermal_summary(result);
  }
  if (const Json& power = result["power"]; power["cuts"].get<std::uint64_t>() != 0)
    out << fmt::format("  power  {} cut; {} requests lost power; recovered in {}\n", power["cuts"].get<std::uint64_t>(),
                       host["power_lost"].get<std::uint64_t>(), time_text(power["recovery_s"].get<double>() * 1e9));
  if (!result["verify"].is_null())
    out << fmt::format("  verify {} sectors checked, {} of them in the final audit; {} mismatches\n",
                       result["verify"]["reads_checked"].get<std::uint64_t>(),
                       result["verify"]["audited_sectors"].get<std::uint64_t>(),
                       result["verify"]["mismatches"].get<std::uint64_t>());
  if (result.contains("data"))
    out << fmt::format("  data   {} blocks of fio's verify checked; {} mismatches\n",
                       result["data"]["blocks_checked"].get<std::uint64_t>(),
                       result["data"]["mismatches"].get<std::uint64_t>());
  const std::string speed = si(cost["ios_per_cpu_s"].get<double>(), "IO per CPU s") + ", ";
  out << fmt::format("  cost   {:.3g} s CPU ({:.3g} s preconditioning), {}{} peak memory\n",
                     cost["cpu_s"].get<double>() + cost["precondition_cpu_s"].get<double>(),
                     cost["precondition_cpu_s"].get<double>(), notes.timed ? speed : "",
                     si(cost["peak_rss_bytes"].get<double>(), "B"));
  if (!is_settled(result))
    out << styled(out, TextStyle::Warning, fmt::format("warning: the sample has {}", kNotSettled)) << '\n';
}

}  // namespace flashloom
