# Garbage collection of one run over time: page programs by cause, erases, and how many erase units the die that has
# fewest has free.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/gc.gp TABLES FIGURES
#
# Reads TABLES/series.csv; writes FIGURES/gc.{png,svg}.
load "style.gp"
table = file_in(ARG1, "series.csv")
set xrange [0:*] noextend
do for [format in formats] {
  eval open_figure(ARG2, "gc", format, 500, 560)
  set multiplot layout 3,1 margins 0.16,0.96,0.09,0.945 spacing 0.07
  set format x ""
  set yrange [0:1<*]
  set ylabel "page programs (k/s)" offset 0.8,0
  set key at graph 1,1.13 right horizontal
  plot table using 1:(column("host_programs_per_s") / 1e3) with steps linewidth 1.3 linecolor rgb colour_write title "host data", \
       table using 1:(column("gc_programs_per_s") / 1e3) with steps linewidth 1.3 linecolor rgb colour_gc title "GC copies"
  set ylabel "erases (1/s)" offset 0.8,0
  unset key
  plot table using 1:"erases_per_s" with steps linewidth 1.3 linecolor rgb colour_erase notitle
  set format x "%g"
  set xlabel "simulated time (s)" offset 0,0.3
  set ylabel "fewest free blocks" offset 0.8,0
  plot table using 1:"free_blocks_min" with steps linewidth 1.3 linecolor rgb colour_trim notitle
  unset multiplot
  unset xlabel
  unset output
}
