# Power of one run over time, stacked by kind of component, and the current at the supply.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/power.gp TABLES FIGURES "nand channel cpu dram link"
#
# Reads FIGURES/power_by_kind.csv; the third argument names the kinds. Writes FIGURES/power.{png,svg}.
load "style.gp"
table = file_in(ARG2, "power_by_kind.csv")
kinds = ARG3
folder = ARG2  # a loaded script does not see the arguments
figure = "power"
unit = "s"
units = 1
load "power_stack.gp"
