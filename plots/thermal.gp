# Temperatures of one run, the power of its parts, and its throttling level over time.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/thermal.gp TABLES FIGURES
#
# Reads TABLES/thermal.csv; writes FIGURES/thermal.{png,svg}.
load "style.gp"
table = file_in(ARG1, "thermal.csv")
set xrange [0:*] noextend
do for [format in formats] {
  eval open_figure(ARG2, "thermal", format, 500, 560)
  set multiplot layout 3,1 margins 0.17,0.96,0.09,0.945 spacing 0.07
  set format x ""
  set ylabel "temperature (°C)"
  set yrange [*:*]
  set key at graph 1,1.13 right horizontal
  plot table using 1:"controller_c" with lines linewidth 1.3 linecolor rgb "#b2182b" title "controller", \
       table using 1:"nand_c" with lines linewidth 1.3 linecolor rgb "#2166ac" title "NAND", \
       table using 1:"board_c" with lines linewidth 1.3 linecolor rgb "#4d9221" title "board"
  set ylabel "power (W)"
  set yrange [0:*]
  plot table using 1:"controller_w" with lines linewidth 1.3 linecolor rgb "#b2182b" title "controller", \
       table using 1:"nand_w" with lines linewidth 1.3 linecolor rgb "#2166ac" title "NAND", \
       table using 1:"board_w" with lines linewidth 1.3 linecolor rgb "#4d9221" title "board"
  set ylabel "throttling level"
  set yrange [-0.1:*]
  set ytics 1
  set format x "%g"
  set xlabel "simulated time (s)" offset 0,0.3
  unset key
  plot table using 1:"level" with steps linewidth 1.3 linecolor rgb "#444444" notitle
  unset multiplot
  unset xlabel
  set ytics autofreq
  unset output
}
