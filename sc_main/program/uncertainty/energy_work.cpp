#include "sc_main/program/uncertainty/energy_work.hpp"

#include <algorithm>
#include <stdexcept>

#include "sc_main/assembly/system/power_figures.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

std::string without_digits(std::string name) {
  std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; });
  return name;
}

}  // namespace

EnergyWork energy_work(const EnergyReport& books, double bytes) {
  EnergyWork work{.seconds = in_seconds(books.end - books.begin), .bytes = bytes};
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const ComponentEnergy& component : books.components) {
    const auto [place, is_new] =
        places.try_emplace({component.kind, without_digits(component.name)}, work.parts.size());
    if (is_new)
      work.parts.push_back({component.name, component.kind, std::vector<double>(component.states.size() - 1),
                            std::vector<double>(component.operations.size())});
    EnergyWork::Part& part = work.parts[place->second];
    if (part.seconds.size() + 1 != component.states.size() || part.counts.size() != component.operations.size())
      throw std::invalid_argument("energy: " + component.name + " and " + part.name + " do not draw alike");
    for (std::size_t i = 0; i < part.seconds.size(); ++i) part.seconds[i] += in_seconds(component.states[i].residency);
    for (std::size_t i = 0; i < part.counts.size(); ++i)
      part.counts[i] += static_cast<double>(component.operations[i].count);
  }
  return work;
}

Json work_json(const EnergyWork& work) {
  Json json = {{"seconds", work.seconds}, {"bytes", work.bytes}, {"parts", Json::array()}};
  for (const EnergyWork::Part& part : work.parts)
    json["parts"].push_back(
        {{"name", part.name}, {"kind", part.kind}, {"seconds", part.seconds}, {"counts", part.counts}});
  return json;
}

EnergyWork work_from(const Json& json) {
  EnergyWork work{.seconds = json["seconds"].get<double>(), .bytes = json["bytes"].get<double>()};
  for (const Json& part : json["parts"])
    work.parts.push_back({part["name"].get<std::string>(), part["kind"].get<std::string>(),
                          part["seconds"].get<std::vector<double>>(), part["counts"].get<std::vector<double>>()});
  return work;
}

EnergyFigures energy_of(const EnergyWork& work, const DeviceConfig& config) {
  EnergyFigures energy;
  double regulated_j = 0;  // of all parts supplied by the regulators, which are the last part
  ComponentEnergy component;
  for (const EnergyWork::Part& part : work.parts) {
    component.name = part.name;
    component.kind = part.kind;
    const PowerFigures figures = power_figures(config, component);
    if (figures.states.size() != part.seconds.size() || figures.operations.size() != part.counts.size())
      throw std::invalid_argument("energy: " + part.name + ": figures of another component");
    double& kind = energy.kinds[part.kind];
    const auto book = [&](const std::string& row, double joules) {
      kind += joules;
      if (figures.regulated) regulated_j += joules;
      energy.total_j += joules;
      (row == kBackground ? energy.background_j : energy.operations[row]) += joules;
    };
    for (std::size_t i = 0; i < part.seconds.size(); ++i)
      book(figures.states[i].operation, figures.state_joules(i, part.seconds[i], regulated_j));
    for (std::size_t i = 0; i < part.counts.size(); ++i)
      book(figures.operations[i].operation, figures.operations[i].joules * part.counts[i]);
  }
  energy.average_w = work.seconds == 0 ? 0 : energy.total_j / work.seconds;
  energy.j_per_gb = work.bytes == 0 ? 0 : energy.total_j / (work.bytes / 1e9);
  return energy;
}

}  // namespace flashloom
