#include "sc_main/program/uncertainty/energy_bands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// The figures of all samples, one column each.
struct Columns {
  std::vector<std::size_t> samples{};
  std::vector<double> total{}, background{}, average{}, per_gb{};
  std::map<std::string, std::vector<double>> operations{}, kinds{};

  void add(std::size_t sample, const EnergyFigures& energy) {
    samples.push_back(sample);
    total.push_back(energy.total_j);
    background.push_back(energy.background_j);
    average.push_back(energy.average_w);
    per_gb.push_back(energy.j_per_gb);
    // The energy of an operation that a run did not have is 0.
    const auto add_all = [this](auto& columns, const std::map<std::string, double>& figures) {
      for (const auto& [name, joules] : figures) columns[name].resize(samples.size() - 1);
      for (auto& [name, column] : columns) {
        const auto found = figures.find(name);
        column.push_back(found == figures.end() ? 0 : found->second);
      }
    };
    add_all(operations, energy.operations);
    add_all(kinds, energy.kinds);
  }
};

Json band_json(const std::vector<double>& samples) {
  const Band band = band_of(samples);
  return {{"mean", band.mean}, {"p5", band.p5}, {"p50", band.p50}, {"p95", band.p95}};
}

Json bands_json(const std::map<std::string, std::vector<double>>& columns) {
  Json json = Json::object();
  for (const auto& [name, column] : columns) json[name] = band_json(column);
  return json;
}

Json keys_json(const UncertaintyPlan& plan) {
  Json keys = Json::object();
  for (const UncertainGroup& group : plan.groups())
    for (const UncertainKey& key : group.keys) {
      const std::string path = key.key->path();
      const std::string reason =
          !key.reason.empty() || group.reason().empty() ? key.reason : "goes with a key that runs again";
      keys[path] = {{"nominal", key.shown_nominal()},
                    {"low", key.shown_at(0)},
                    {"high", key.shown_at(1)},
                    {"unit", key.unit()},
                    {"with", key.range.with.empty() ? Json() : Json(key.range.with)},
                    {"runs_again", !reason.empty()},
                    {"reason", reason.empty() ? Json() : Json(reason)}};
    }
  return keys;
}

/// The effect of each group alone, from its low bound to its high one; the widest first.
Json tornado_json(const UncertaintyPlan& plan, const EnergyWork& work, const std::vector<RerunOutcome>& reruns) {
  std::vector<std::pair<double, Json>> swings;
  for (std::size_t group = 0; group < plan.groups().size(); ++group) {
    if (plan.holds(group)) continue;
    EnergyFigures ends[2];
    bool known = true;
    for (std::size_t bound = 0; bound < 2; ++bound) {
      const EnergyWork* done = &work;
      if (plan.runs_again(group)) {
        const RerunOutcome& outcome = reruns[plan.rerun_at_bound(group, bound)];
        done = outcome.work ? &*outcome.work : nullptr;
      }
      known = known && done != nullptr;
      if (!known) continue;
      DeviceConfig config = plan.nominal();
      plan.groups()[group].set(config, static_cast<double>(bound));
      ends[bound] = energy_of(*done, config);
    }
    if (!known) continue;
    Json keys = Json::array();
    for (const UncertainKey& key : plan.groups()[group].keys) keys.push_back(key.key->path());
    const double swing = work.bytes == 0 ? ends[1].total_j - ends[0].total_j : ends[1].j_per_gb - ends[0].j_per_gb;
    swings.emplace_back(std::abs(swing), Json{{"key", plan.groups()[group].name},
                                              {"keys", std::move(keys)},
                                              {"j_per_gb_low", ends[0].j_per_gb},
                                              {"j_per_gb_high", ends[1].j_per_gb},
                                              {"total_j_low", ends[0].total_j},
                                              {"total_j_high", ends[1].total_j}});
  }
  std::stable_sort(swings.begin(), swings.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  Json tornado = Json::array();
  for (auto& [swing, entry] : swings) tornado.push_back(std::move(entry));
  return tornado;
}

std::string samples_csv(const UncertaintyPlan& plan, const Columns& columns) {
  std::string csv = "sample";
  for (const UncertainGroup& group : plan.groups())
    for (const UncertainKey& key : group.keys) csv += "," + key.key->path();
  csv += ",total_j,background_j,average_w,j_per_gb";
  for (const auto& [kind, column] : columns.kinds) csv += "," + kind + "_j";
  for (const auto& [row, column] : columns.operations) csv += ",operations." + row + "_j";
  csv += '\n';
  for (std::size_t row = 0; row < columns.samples.size(); ++row) {
    const std::size_t sample = columns.samples[row];
    csv += fmt::format("{}", sample);
    for (std::size_t group = 0; group < plan.groups().size(); ++group)
      for (const UncertainKey& key : plan.groups()[group].keys)
        csv += fmt::format(",{}", plan.holds(group) ? key.shown_nominal() : key.shown_at(plan.share(group, sample)));
    csv += fmt::format(",{},{},{},{}", columns.total[row], columns.background[row], columns.average[row],
                       columns.per_gb[row]);
    for (const auto* const parts : {&columns.kinds, &columns.operations})
      for (const auto& [name, column] : *parts) csv += fmt::format(",{}", column[row]);
    csv += '\n';
  }
  return csv;
}

}  // namespace

Band band_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return {.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size()),
          .p5 = quantile(samples, 0.05),
          .p50 = quantile(samples, 0.50),
          .p95 = quantile(samples, 0.95)};
}

std::pair<Json, std::string> energy_bands(const UncertaintyPlan& plan, const EnergyWork& work,
                                          const std::vector<RerunOutcome>& reruns) {
  std::vector<DeviceConfig> configs;
  for (std::size_t draw = 0; draw < plan.draws(); ++draw)
    configs.push_back(plan.draws() == 1 ? plan.nominal() : plan.config_of_rerun(draw));
  Columns columns;
  for (std::size_t sample = 0; sample < plan.options().samples; ++sample) {
    const std::size_t draw = plan.draw_of(sample);
    const EnergyWork* const done = plan.draws() == 1 ? &work : reruns[draw].work ? &*reruns[draw].work : nullptr;
    if (done == nullptr) continue;
    DeviceConfig& config = configs[draw];
    for (std::size_t group = 0; group < plan.groups().size(); ++group)
      if (!plan.runs_again(group)) plan.groups()[group].set(config, plan.share(group, sample));
    columns.add(sample, energy_of(*done, config));
  }
  Json failed = Json::array(), held = Json::array();
  for (std::size_t rerun = 0; rerun < plan.reruns(); ++rerun)
    if (!reruns[rerun].work) failed.push_back({{"run", plan.name_of_rerun(rerun)}, {"message", reruns[rerun].failure}});
  if (columns.samples.empty())
    throw std::runtime_error("--uncertainty: every run with other values failed, the first with: " +
                             failed[0]["message"].get<std::string>());
  for (std::size_t group = 0; group < plan.groups().size(); ++group)
    if (plan.holds(group))
      for (const UncertainKey& key : plan.groups()[group].keys) held.push_back(key.key->path());
  Json json = {{"method", "latin_hypercube"},
               {"seed", plan.options().seed},
               {"samples", plan.options().samples},
               {"left_out", plan.options().samples - columns.samples.size()},
               {"runs", plan.draws()},
               {"reruns", plan.reruns()},
               {"failed", std::move(failed)},
               {"held", std::move(held)},
               {"keys", keys_json(plan)},
               {"total_j", band_json(columns.total)},
               {"background_j", band_json(columns.background)},
               {"average_w", band_json(columns.average)},
               {"j_per_gb", band_json(columns.per_gb)},
               {"operations", bands_json(columns.operations)},
               {"kinds", bands_json(columns.kinds)},
               {"tornado", tornado_json(plan, work, reruns)}};
  return {std::move(json), samples_csv(plan, columns)};
}

}  // namespace flashloom
