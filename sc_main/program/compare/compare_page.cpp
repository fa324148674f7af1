#include "sc_main/program/compare/compare_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/program/pictures/plots.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLatencies[] = {"read", "write", "trim", "flush"};
constexpr std::size_t kPalette = 20;  // colours of plots/page/style.css

// Escapes text, or the value of an attribute, for HTML.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  return safe;
}

// A text of a terminal as in print: "12 us" is "12 µs", "x1.5" is "×1.5".
std::string in_print(std::string text) {
  if (text.ends_with(" us")) text.replace(text.size() - 2, 1, "µ");
  if (text.starts_with("x")) text.replace(0, 1, "×");
  return text;
}

// JSON within a script: escapes '<', since file names may contain "</script>".
std::string script_text(const Json& json) {
  std::string safe;
  for (const char c : json_text(json)) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

double short_number(double value) { return std::stod(fmt::format("{:.6g}", value)); }

Json series_of(const Comparison& comparison, std::size_t run) {
  return {{"name", comparison.names[run]}, {"colour", run % kPalette + 1}, {"points", Json::array()}};
}

Json chart(const std::string& kind, const std::string& title, Json x, Json y) {
  return {{"kind", kind}, {"title", title}, {"x", std::move(x)}, {"y", std::move(y)}, {"panels", Json::array()}};
}

// Latency against percentile, on a logarithmic axis of 1 / (share above), which gives each nine the same space.
Json tails_chart(const std::vector<ComparedRun>& runs, const Comparison& comparison) {
  Json ticks = Json::array({Json::array({1, "0 %"}), Json::array({2, "50 %"})});
  for (const auto& [value, text] :
       {std::pair(1e1, "90 %"), std::pair(1e2, "99 %"), std::pair(1e3, "99.9 %"), std::pair(1e4, "99.99 %"),
        std::pair(1e5, "99.999 %"), std::pair(1e6, "99.9999 %"), std::pair(1e7, "99.99999 %")})
    ticks.push_back(Json::array({value, text}));
  Json tails = chart("steps", "Latency at each percentile",
                     {{"label", "percentile"}, {"log", true}, {"named", true}, {"ticks", ticks}},
                     {{"label", "latency"}, {"log", true}, {"time", true}});
  for (const char* const operation : kLatencies) {
    Json panel = {{"title", operation}, {"series", Json::array()}};
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const auto found = runs[run].tails.find(operation);
      if (found == runs[run].tails.end()) continue;
      Json series = series_of(comparison, run);
      double above = 1, last = 0;
      for (const ComparedRun::Tail& tail : found->second) {
        const double x = 1 / above;
        above = tail.above;
        // Leaves out points that are too close to be distinguished, except the last.
        if (x < last * 1.01 && above > 0) continue;
        series["points"].push_back(Json::array({short_number(x), short_number(tail.latency_ns)}));
        last = x;
      }
      // The last bucket reaches to the percentile of the slowest request.
      const Json* const ios = value_at(runs[run].result, std::string("/host/") + operation + "/ios");
      const double end = ios != nullptr && ios->is_number() ? ios->get<double>() : 0;
      if (end > last) series["points"].push_back(Json::array({end, short_number(found->second.back().latency_ns)}));
      panel["series"].push_back(series);
    }
    if (!panel["series"].empty()) tails["panels"].push_back(panel);
  }
  return tails;
}

// Columns of series.csv over time, one panel per column.
Json time_chart(const std::vector<ComparedRun>& runs, const Comparison& comparison, const std::string& title,
                const std::vector<std::pair<std::string, std::string>>& columns, double scale, Json y) {
  Json over_time = chart("steps", title, {{"label", "simulated time"}, {"time", true}}, std::move(y));
  for (const auto& [name, column] : columns) {
    Json panel = {{"title", name}, {"series", Json::array()}};
    bool any = false;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const auto times = runs[run].series.find("time_s"), values = runs[run].series.find(column);
      if (times == runs[run].series.end() || values == runs[run].series.end()) continue;
      Json series = series_of(comparison, run);
      for (std::size_t i = 0; i < values->second.size(); ++i) {
        any = any || values->second[i] > 0;
        if (!std::isnan(values->second[i]))
          series["points"].push_back(
              Json::array({short_number(times->second[i] * 1e9), short_number(values->second[i] * scale)}));
      }
      panel["series"].push_back(series);
    }
    if (any) over_time["panels"].push_back(panel);
  }
  return over_time;
}

Json names_axis(const Comparison& comparison) { return {{"label", "run"}, {"categories", comparison.names}}; }

// Stacked parts, one bar per run; a part's colour depends on its place. Leaves out parts that are 0 in all runs.
Json stacked_panel(const std::string& title, const std::vector<std::string>& parts,
                   const std::vector<std::vector<double>>& values) {
  Json panel = {{"title", title}, {"series", Json::array()}};
  std::vector<double> whole;
  for (const std::vector<double>& run : values) {
    double sum = 0;
    for (const double value : run) sum += value;
    whole.push_back(short_number(sum));
  }
  for (std::size_t part = 0; part < parts.size(); ++part) {
    Json points = Json::array();
    for (std::size_t run = 0; run < values.size(); ++run)
      if (part < values[run].size() && values[run][part] > 0)
        points.push_back(Json::array({run, short_number(values[run][part])}));
    if (!points.empty())
      panel["series"].push_back(
          {{"name", words_of(parts[part])}, {"colour", part % kPalette + 1}, {"points", points}, {"whole", whole}});
  }
  return panel;
}

Json breakdown_chart(const std::vector<ComparedRun>& runs, const Comparison& comparison) {
  Json parts_chart =
      chart("stacked", "Where the latency went", names_axis(comparison), {{"label", "latency"}, {"time", true}});
  parts_chart["shared"] = false;
  for (const char* const operation : kLatencies)
    for (const auto& [statistic, name] : {std::pair("mean", "mean"), std::pair("p99", "99th percentile")}) {
      std::vector<std::string> parts;
      std::vector<std::vector<double>> values(runs.size());
      for (std::size_t run = 0; run < runs.size(); ++run) {
        const Json* const ios = value_at(runs[run].result, std::string("/host/") + operation + "/ios");
        const Json* const found =
            value_at(runs[run].result, std::string("/host/") + operation + "/latency_breakdown_ns/" + statistic);
        if (ios == nullptr || *ios == 0 || found == nullptr || !found->is_object()) continue;
        if (found->size() > parts.size()) {
          parts.clear();
          for (const auto& [part, value] : found->items()) parts.push_back(part);
        }
        for (const auto& [part, value] : found->items())
          values[run].push_back(value.is_number() ? value.get<double>() : 0);
      }
      Json panel = stacked_panel(std::string(operation) + ": " + name, parts, values);
      if (!panel["series"].empty()) parts_chart["panels"].push_back(panel);
    }
  return parts_chart;
}

Json energy_chart(const std::vector<ComparedRun>& runs, const Comparison& comparison) {
  std::vector<std::string> parts = {"background"};
  for (const ComparedRun& run : runs)
    if (const Json* const operations = value_at(run.result, "/energy/operations"))
      for (const auto& [name, row] : operations->items())
        if (std::find(parts.begin(), parts.end(), name) == parts.end()) parts.push_back(name);
  std::vector<std::vector<double>> values(runs.size());
  for (std::size_t run = 0; run < runs.size(); ++run)
    for (const std::string& part : parts) {
      const Json* const value = value_at(runs[run].result, part == "background" ? std::string("/energy/background_j")
                                                                                : "/energy/operations/" + part + "/j");
      values[run].push_back(value != nullptr && value->is_number() ? value->get<double>() : 0);
    }
  Json energy = chart("stacked", "Where the energy went", names_axis(comparison), {{"label", "energy"}, {"unit", "J"}});
  Json panel = stacked_panel("", parts, values);
  if (!panel["series"].empty()) energy["panels"].push_back(panel);
  return energy;
}

// The causes for which writes waited that found the buffer full: a breakdown of the part "buffer" of the latency.
Json room_waits_chart(const std::vector<ComparedRun>& runs, const Comparison& comparison) {
  std::vector<std::string> causes;
  std::vector<std::vector<double>> values(runs.size());
  Json names = names_axis(comparison);
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const Json* const found = value_at(runs[run].result, "/buffer/room_waits/causes_s");
    if (found == nullptr || !found->is_object()) {
      names["categories"][run] = comparison.names[run] + " (not counted)";
      continue;
    }
    causes.clear();
    for (const auto& [cause, time] : found->items()) {
      causes.push_back(cause);
      values[run].push_back(time.is_number() ? time.get<double>() * 1e9 : 0);
    }
  }
  Json waits = chart("stacked", "What writes waited for when the buffer was full", std::move(names),
                     {{"label", "time of all writes"}, {"time", true}});
  Json panel = stacked_panel("", causes, values);
  if (!panel["series"].empty()) waits["panels"].push_back(panel);
  return waits;
}

std::string metrics_table(const Comparison& comparison) {
  std::string html = "<div class=\"wide whole\"><table id=\"metrics\">\n<thead><tr><th scope=\"col\"></th>";
  for (std::size_t run = 0; run < comparison.names.size(); ++run)
    html +=
        "<th scope=\"col\">" + escaped(comparison.names[run]) + "</th>" + (run == 0 ? "" : "<th scope=\"col\"></th>");
  html += "</tr></thead>\n<tbody>\n";
  for (const ComparedMetric& metric : comparison.metrics) {
    html += "<tr><th scope=\"row\">" + escaped(metric.label) + "</th>";
    for (std::size_t run = 0; run < metric.values.size(); ++run) {
      html += "<td>" + escaped(in_print(shown(metric, run))) + "</td>";
      if (run == 0) continue;
      const int verdict = metric.verdict(run);
      html += std::string("<td") +
              (verdict == 0  ? ""
               : verdict > 0 ? " class=\"better\" title=\"better than the first\""
                             : " class=\"worse\" title=\"worse than the first\"") +
              ">" + in_print(shown_ratio(metric, run)) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string differences_table(const Comparison& comparison) {
  if (comparison.differences.empty()) return "<p>The configurations and workloads are the same.</p>\n";
  std::string html =
      "<div class=\"wide\"><table id=\"differences\">\n<thead><tr><th scope=\"col\" class=\"text\">key</th>";
  for (const std::string& name : comparison.names)
    html += "<th scope=\"col\" class=\"text\">" + escaped(name) + "</th>";
  html += "</tr></thead>\n<tbody>\n";
  for (const ComparedKey& key : comparison.differences) {
    html += "<tr><th scope=\"row\">" + escaped(key.key) + "</th>";
    for (const std::string& value : key.values)
      html +=
          value.empty() ? std::string("<td class=\"none\">-</td>") : "<td class=\"text\">" + escaped(value) + "</td>";
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace

std::string compare_page(const std::vector<ComparedRun>& runs, const Comparison& comparison) {
  std::string names;
  for (const std::string& name : comparison.names) names += (names.empty() ? "" : ", ") + name;
  const std::string title = escaped("Compared: " + names);
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      title + "</title>\n<style>\n" + page_part("page/style.css") + "</style>\n</head>\n<body>\n<h1>" + title +
      "</h1>\n<p>Ratios are to the first run. flashloom " + escaped(runs.front().result.value("version", "")) +
      "</p>\n" + metrics_table(comparison) + "<h2>What differs</h2>\n" + differences_table(comparison);
  Json charts = Json::object();
  const auto figure = [&](const std::string& id, const std::string& caption, Json drawn) {
    if (drawn["panels"].empty()) return;
    html += "<figure id=\"" + id + "\">\n<h2>" + escaped(drawn["title"].get<std::string>()) +
            "</h2>\n<div data-chart=\"" + id + "\"><p>The figure needs scripts.</p></div>\n<figcaption>" +
            escaped(caption) + "</figcaption>\n</figure>\n";
    charts[id] = std::move(drawn);
  };
  // Of data sheets there are no tables beside: each figure would be without panels.
  figure("tails",
         "Of each run up to its slowest request. Along the axis each further nine (90 %, 99 %, 99.9 %) has the same "
         "width.",
         tails_chart(runs, comparison));
  const Json rate = {{"label", "throughput"}, {"unit", "MB/s"}};
  figure("throughput", "Of requests completed, in each bin of time.",
         time_chart(runs, comparison, "Throughput over time",
                    {{"read", "read_bytes_per_s"}, {"write", "write_bytes_per_s"}, {"trim", "trim_bytes_per_s"}}, 1e-6,
                    rate));
  figure("power", "Mean power of the device in each bin of time.",
         time_chart(runs, comparison, "Power over time", {{"", "power_w"}}, 1, {{"label", "power"}, {"unit", "W"}}));
  figure("breakdown",
         "Parts of the mean latency, and of the latency near the 99th percentile; docs/reference/results.md says what "
         "each part is (host.*.latency_breakdown_ns).",
         breakdown_chart(runs, comparison));
  figure("room_waits",
         "The wait for the buffer, taken apart; docs/reference/results.md says what each cause is (buffer.room_waits). "
         "Only runs with buffer.room_waits = true count it.",
         room_waits_chart(runs, comparison));
  figure("energy", "What components draw while they do nothing (background), and the energy of each kind of operation.",
         energy_chart(runs, comparison));
  return html + "<script>\n" + page_part("page/charts.js") + "const charts = " + script_text(charts) +
         ";\nfor (const box of document.querySelectorAll(\"[data-chart]\")) drawChart(box, "
         "charts[box.dataset.chart]);\n"
         "</script>\n</body>\n</html>\n";
}

}  // namespace flashloom
