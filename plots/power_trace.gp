# Power of a stretch of one run in short steps, stacked by kind of component, and the current at the supply.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/power_trace.gp TABLES FIGURES "nand channel cpu dram link"
#
# Reads FIGURES/power_trace.csv; the third argument names the kinds. Writes FIGURES/power_trace.{png,svg}.
load "style.gp"
table = file_in(ARG2, "power_trace.csv")
kinds = ARG3
folder = ARG2  # a loaded script does not see the arguments
figure = "power_trace"
stats table using 1 nooutput
is_long = STATS_max - STATS_min > 0.02
unit = is_long ? "ms" : "µs"
units = is_long ? 1e3 : 1e6
load "power_stack.gp"
