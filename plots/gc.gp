# Garbage collection of one run over time: page programs by cause, erases, and the number of free erase units of the die
# with the fewest.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/gc.gp TABLES FIGURES "host gc merge"
#
# Reads TABLES/series.csv; the third argument names the origins that programmed pages. Writes FIGURES/gc.{png,svg}.
load "style.gp"
table = file_in(ARG1, "series.csv")
set xrange [0:*] noextend
colour_by(origin) = origin eq "host" ? colour_write : origin eq "gc" ? colour_gc : origin eq "map" ? colour_read : \
  origin eq "wear" ? colour_power : origin eq "merge" ? colour_trim : origin eq "recovery" ? colour_erase : \
  origin eq "rmw" ? "#f0a030" : origin eq "scrub" ? "#5b4bc4" : colour_transfer
title_of(origin) = origin eq "host" ? "host data" : origin eq "gc" ? "GC copies" : origin eq "map" ? "map" : \
  origin eq "wear" ? "wear levelling" : origin eq "merge" ? "merges" : origin eq "rmw" ? "read-modify-write" : \
  origin eq "scrub" ? "scrubbing" : origin
do for [format in formats] {
  eval open_figure(ARG2, "gc", format, 500, 560)
  set multiplot layout 3,1 margins 0.17,0.96,0.09,0.945 spacing 0.07
  set format x ""
  set yrange [0:1<*]
  set ylabel "page programs (k/s)"
  set key at graph 1,1.13 right horizontal
  plot for [origin in ARG3] table using 1:(column(origin."_programs_per_s") / 1e3) with steps linewidth 1.3 \
    linecolor rgb colour_by(origin) title title_of(origin)
  set ylabel "erases (1/s)"
  unset key
  plot table using 1:"erases_per_s" with steps linewidth 1.3 linecolor rgb colour_erase notitle
  set format x "%g"
  set xlabel "simulated time (s)" offset 0,0.3
  set ylabel "fewest free blocks"
  plot table using 1:"free_blocks_min" with steps linewidth 1.3 linecolor rgb colour_trim notitle
  unset multiplot
  unset xlabel
  unset output
}
