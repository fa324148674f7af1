#include "sc_main/program/run/pictures.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "controllers/ftl/ftl_rules.hpp"
#include "models/common/timer_queue.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/pictures/plots.hpp"
#include "sc_main/program/pictures/tables.hpp"
#include "workloads/output_path.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWaveform = "waveform.vcd";
constexpr const char* kTimeline = "timeline.json";
constexpr const char* kPowerTrace = "power_trace.csv";
constexpr const char* kFigures = "plots";
constexpr std::size_t kStacks = 500;  // bins in a figure of power, at most

// Checks before the simulation, so that a bad path costs nothing, and removes the file of an earlier run.
void check_writable(const std::string& option, const std::string& path) {
  remove_output(path);
  if (OutputPath::of(path).through) return;
  std::error_code error;
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (fs::is_directory(path, error) || !fs::is_directory(folder, error) || ::access(folder.c_str(), W_OK) != 0)
    throw UsageError(option + ": cannot write '" + path + "'");
}

void check_distinct(const std::string& option, const std::string& path, const std::string& other,
                    const std::string& taken) {
  if (fs::path(path).lexically_normal() == fs::path(taken).lexically_normal())
    throw UsageError(option + ": '" + path + "' is the file of " + other + " already");
}

std::string gtkwave_path(const std::string& waveform) { return fs::path(waveform).replace_extension(".gtkw").string(); }

std::string cut_note(const std::string& path, Picoseconds cut, const std::string& limit) {
  if (cut == kNever) return path;
  return fmt::format("{} ends at {} us: {} reached", path, static_cast<double>(cut) / static_cast<double>(kMicrosecond),
                     limit);
}

// The words of the parts in the header of breakdown.csv, "operation,statistic,die_wait_ns,...", each in quotation marks.
std::string words_of_parts(const std::string& header) {
  std::string words;
  std::istringstream cells(header);
  std::string cell;
  for (int column = 0; std::getline(cells, cell, ','); ++column)
    if (column >= 2) words += "'" + words_of(cell.substr(0, cell.rfind("_ns"))) + "' ";
  return words;
}

}  // namespace

Pictures::Pictures(const PictureOptions& options, std::string out, Simulation& simulation)
    : options_(options), out_(std::move(out)), simulation_(simulation) {
  const Ssd& ssd = simulation.ssd();
  const DeviceConfig& config = ssd.config();
  const Picoseconds cut = config.power.cut_at != 0 ? config.power.cut_at : kNever;
  if (options.vcd) {
    VcdRecorder::Cut off;
    if (cut != kNever) off = {cut, cut + config.power.off_time};
    const std::string path = place(*options.vcd, kWaveform);
    check_writable("--vcd", path);
    if (!OutputPath::of(path).through) check_writable("--vcd", gtkwave_path(path));
    vcd_ = std::make_unique<VcdRecorder>(ssd.geometry(), ssd.timing(), options.vcd_limit, options.vcd_window, off);
  }
  if (options.timeline) {
    const std::string path = place(*options.timeline, kTimeline);
    check_writable("--timeline", path);
    if (options.vcd) check_distinct("--timeline", path, "--vcd", place(*options.vcd, kWaveform));
    timeline_ = std::make_unique<TimelineRecorder>(
        ssd.geometry(),
        TimelineRecorder::Shape{
            .limit = options.timeline_limit, .window = options.timeline_window, .cut = cut, .cores = config.cpu.cores},
        [] { return kernel_now(); });
  }
  if (options.power) {
    const std::string path = place(*options.power, kPowerTrace);
    check_writable("--power", path);
    if (options.vcd) check_distinct("--power", path, "--vcd", place(*options.vcd, kWaveform));
    if (options.timeline) check_distinct("--power", path, "--timeline", place(*options.timeline, kTimeline));
    simulation.ssd().ledger().record_kinds(options.power_trace);
  }
  if (options.plots) {
    check_plots();
    simulation.ssd().ledger().record_kinds();
    fs::create_directories(fs::path(out_) / kFigures);
    occupancy_ = std::make_unique<OccupancyRecorder>(ssd.geometry());
  }
  if (!out_.empty())
    series_ = std::make_unique<SeriesRecorder>(
        ssd.geometry(), [] { return kernel_now(); },
        [this](SeriesRecorder::Levels& levels) {
          if (!simulation_.ssd().powered()) return false;
          const Firmware& firmware = simulation_.ssd().firmware();
          levels.least_free_blocks = firmware.ftl().least_free_blocks();
          levels.dirty_share = static_cast<double>(firmware.buffer().dirty_units()) / firmware.buffer().units();
          return true;
        });
  if (timeline_ != nullptr || occupancy_ != nullptr) {
    slicer_ = std::make_unique<FlashSlicer>(ssd.geometry(), ssd.timing(), cut);
    if (timeline_ != nullptr) slicer_->add(*timeline_);
    if (occupancy_ != nullptr) slicer_->add(*occupancy_);
  }
  attach();
}

void Pictures::attach() {
  Ssd& ssd = simulation_.ssd();
  if (series_ != nullptr) {
    simulation_.host().attach(*series_);
    ssd.flash().attach(*series_);
  }
  for (std::uint32_t channel = 0; channel < ssd.geometry().channels; ++channel) {
    if (vcd_ != nullptr) ssd.flash().attach(Channel{channel}, *vcd_);
    if (slicer_ != nullptr) ssd.flash().attach(Channel{channel}, *slicer_);
  }
  if (timeline_ == nullptr) return;
  simulation_.host().attach(*timeline_);
  ssd.cores().attach(*timeline_, TimelineRecorder::kFirstCore);
  ssd.link().attach(HostLink::Direction::Down, *timeline_, TimelineRecorder::kLinkDown);
  ssd.link().attach(HostLink::Direction::Up, *timeline_, TimelineRecorder::kLinkUp);
  if (ssd.dram() != nullptr) ssd.dram()->attach(*timeline_, TimelineRecorder::kDram);
  if (ssd.sram() != nullptr) ssd.sram()->attach(*timeline_, TimelineRecorder::kDram);
  if (ssd.nvram() != nullptr) ssd.nvram()->attach(*timeline_, TimelineRecorder::kNvram);
}

std::string Pictures::place(const std::string& given, const char* usual) const {
  return given.empty() ? (fs::path(out_) / usual).string() : given;
}

void Pictures::finish(const nlohmann::ordered_json& result) {
  const Picoseconds end = simulation_.end();
  for (const char* const operation : {"read", "write", "trim", "flush"})
    if (result["host"][operation]["ios"] != 0) operations_.push_back(operation);
  simulation_.ssd().flash().settle(end);
  if (slicer_ != nullptr) slicer_->finish(end);
  if (vcd_ != nullptr) add_waveform(end);
  if (timeline_ != nullptr) add_timeline(end);
  if (options_.power) add_power_trace(end);
  if (!out_.empty()) add_tables(result, end);
}

void Pictures::add_waveform(Picoseconds end) {
  const std::string path = place(*options_.vcd, kWaveform);
  files_.emplace_back(path, vcd_->text(end));
  if (!OutputPath::of(path).through) files_.emplace_back(gtkwave_path(path), vcd_->gtkwave_text());
  notes_.push_back("waveform " + cut_note(path, vcd_->cut_off(), "--vcd-limit"));
}

void Pictures::add_timeline(Picoseconds end) {
  std::vector<std::string> jobs;
  for (std::uint32_t job = 0; job < simulation_.host().jobs(); ++job) jobs.push_back(simulation_.host().job(job).name);
  const std::string path = place(*options_.timeline, kTimeline);
  files_.emplace_back(path, timeline_->text(end, jobs));
  notes_.push_back("timeline " + cut_note(path, timeline_->cut_off(), "--timeline-limit"));
}

void Pictures::add_power_trace(Picoseconds end) {
  const PowerByKind trace = simulation_.ssd().ledger().power_trace();
  const std::string path = place(*options_.power, kPowerTrace);
  const double volts = simulation_.ssd().config().power.supply_voltage;
  files_.emplace_back(path, power_by_kind_csv(trace, volts));
  const Picoseconds cut = options_.power_trace.end();
  const bool limited = cut < std::min(end, options_.power_trace.to);
  notes_.push_back("power " + cut_note(path, limited ? cut : kNever, "--power-limit"));
  power_traced_ = trace.bins.count != 0;
  if (options_.plots && power_traced_)
    files_.emplace_back(fs::path(out_) / kFigures / kPowerTrace,
                        power_by_kind_csv(trace.coarser(kStacks), volts, true));
}

void Pictures::add_tables(const nlohmann::ordered_json& result, Picoseconds end) {
  const fs::path out = out_;
  Ssd& ssd = simulation_.ssd();
  const auto add = [this](const fs::path& path, std::string text) { files_.emplace_back(path, std::move(text)); };
  add(out / "series.csv", series_->csv(end, simulation_.books().power));
  add(out / "latency_cdf.csv", latency_cdf_csv(simulation_.host().statistics()));
  add(out / "wear.csv", wear_csv(ssd.media()));
  if (!options_.plots) return;
  const PowerByKind power = ssd.ledger().power_by_kind();
  for (const std::string& kind : power.kinds) power_kinds_ += (power_kinds_.empty() ? "" : " ") + kind;
  add(out / "power_by_kind.csv", power_by_kind_csv(power, ssd.config().power.supply_voltage));
  add(out / kFigures / "power_by_kind.csv",
      power_by_kind_csv(power.coarser(kStacks), ssd.config().power.supply_voltage, true));
  const NandGeometry& geometry = ssd.geometry();
  if (std::uint64_t{geometry.dies} * geometry.blocks * geometry.pages <= kMostPagesShown) {
    const std::uint64_t host = logical_units(ssd.config().ftl, geometry);
    std::string pages = pages_csv(ssd.media(), host + ftl_map_units(ssd.config().ftl, geometry, host));
    pages_shown_ = pages.find('\n') + 1 != pages.size();
    if (pages_shown_) add(out / kFigures / "pages.csv", std::move(pages));
  }
  add(out / kFigures / "occupancy.csv", occupancy_->csv(end));
  add(out / kFigures / "channel_shares.csv", shares_csv(result["utilization"], "channels"));
  add(out / kFigures / "die_shares.csv", shares_csv(result["utilization"], "dies"));
}

void Pictures::draw() const {
  if (!options_.plots || operations_.empty()) return;  // without operations there is nothing to draw
  const fs::path out = out_;
  const std::string figures = out / kFigures;
  std::string operations;
  for (const std::string& operation : operations_) operations += (operations.empty() ? "" : " ") + operation;
  std::string origins;
  for (const std::string& origin : series_->program_origins()) origins += (origins.empty() ? "" : " ") + origin;
  if (origins.empty()) origins = "host";
  std::vector<Figure> wanted = {{"latency", operations, "Latency: share of requests up to it, and above it"},
                                {"throughput", operations, "Throughput, latency and power over time"},
                                {"power", power_kinds_, "Power over time by kind of component"},
                                {"occupancy", std::to_string(simulation_.ssd().geometry().channels),
                                 "What channels and dies did in a short stretch"},
                                {"shares", "", "Shares of the time of channels and dies"},
                                {"gc", origins, "Page programs by origin, erases and free blocks over time"},
                                {"wear", "", "Erase units by the number of their erases"}};
  if (power_traced_) wanted.push_back({"power_trace", power_kinds_, "Power and current in short steps"});
  if (pages_shown_) wanted.push_back({"pages", "", "What each page holds at the end"});
  if (simulation_.ssd().thermal() != nullptr)
    wanted.push_back({"thermal", "", "Temperatures, power and throttling over time"});
  // Only with host.latency_breakdown does the file have lines after its header.
  std::ifstream breakdown(out / "breakdown.csv");
  std::string header, line;
  if (std::getline(breakdown, header) && std::getline(breakdown, line))
    wanted.push_back({"breakdown", words_of_parts(header), "Latency, and its parts, of the mean and at percentiles"});
  flashloom::draw(wanted, out, figures);
}

}  // namespace flashloom
