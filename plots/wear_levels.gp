# Wear under several policies: the share of erase units with up to a number of erases, a line for each policy.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/wear_levels.gp TABLES FIGURES NAME...
#
# Reads TABLES/NAME/shares.csv (erases, share of the erase units with so many or fewer); writes FIGURES/wear_levels.{png,svg}.
load "style.gp"
set xlabel "erases of an erase unit" offset 0,0.3
set ylabel "share of the erase units" offset 0.8,0
set yrange [0:1.02]
set key at graph 0.03, graph 0.95 left top
colours = "#333333 #d55e00 #0072b2 #009e73 #cc79a7 #8a6d00"
table(i) = file_in(ARG1, value(sprintf("ARG%d", i))."/shares.csv")
do for [format in formats] {
  eval open_figure(ARG2, "wear_levels", format, 500, 300)
  set margins screen 0.14, screen 0.96, screen 0.17, screen 0.95
  plot for [i = 3:ARGC] table(i) using 1:2 with steps linewidth 2 linecolor rgb word(colours, i - 2) \
    title value(sprintf("ARG%d", i)) noenhanced
  unset output
}
