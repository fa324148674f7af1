// Draws the figures of a run with gnuplot: plots/*.gp.
#pragma once

#include <string>
#include <vector>

namespace flashloom {

/// To be called before a run. Throws UsageError if gnuplot or the scripts are not found.
void check_plots();

/// One figure: the name of a script in plots/ without ".gp", its third argument, and the title of the drawing.
struct Figure {
  std::string script;
  std::string argument;
  std::string title;
};

/// The contents of a file in plots/, by its path there. Throws std::runtime_error if it is not found.
std::string page_part(const std::string& name);

/// The name of a part of the latency, a cause of a wait or an entry of the energy's ledger, in words: "die_wait" is
/// "wait for the die".
std::string words_of(const std::string& name);

/// Runs each script as `gnuplot -c SCRIPT tables folder ARGUMENT`, which writes folder/SCRIPT.png and .svg. Throws
/// std::runtime_error with gnuplot's output if a drawing is not written.
void draw(const std::vector<Figure>& figures, const std::string& tables, const std::string& folder);

}  // namespace flashloom
