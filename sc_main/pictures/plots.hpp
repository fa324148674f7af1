// Draws the figures of a run with gnuplot: plots/*.gp.
#pragma once

#include <string>
#include <vector>

namespace flashloom {

/// Throws UsageError if gnuplot or the scripts are not to be found: before a run, so that it costs no simulation.
void check_plots();

/// One figure: a script of plots/ by its name without ".gp", its third argument, and what the drawing says that it shows.
struct Figure {
  std::string script;
  std::string argument;
  std::string title;
};

/// A file of plots/, whole, by its path there. Throws std::runtime_error if it is not to be found.
std::string page_part(const std::string& name);

/// Runs each script as `gnuplot -c SCRIPT tables figures ARGUMENT`; it writes figures/SCRIPT.png and .svg. Throws
/// std::runtime_error with what gnuplot said if one of them does not come.
void draw(const std::vector<Figure>& figures, const std::string& tables, const std::string& folder);

}  // namespace flashloom
