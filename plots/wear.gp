# Wear after one run: the number of erase units by their number of erases, preconditioning included.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/wear.gp TABLES FIGURES
#
# Reads TABLES/wear.csv; writes FIGURES/wear.{png,svg}.
load "style.gp"
table = file_in(ARG1, "wear.csv")
set xlabel "erases of an erase unit" offset 0,0.3
set ylabel "erase units"
set style fill solid 0.85 noborder
set boxwidth 0.85
set yrange [0:*]
stats table using 1 nooutput
set xrange [STATS_min - 0.7:STATS_max + 0.7]
if (STATS_max - STATS_min < 12) { set xtics 1 }
do for [format in formats] {
  eval open_figure(ARG2, "wear", format, 500, 300)
  set margins screen 0.17, screen 0.96, screen 0.17, screen 0.95
  plot table using 1:2 with boxes linecolor rgb colour_erase notitle
  unset output
}
