# Latency of one run: the share of requests up to each latency, and below it the share above each latency (the tail).
#
#   GNUPLOT_LIB=plots gnuplot -c plots/latency.gp TABLES FIGURES "read write"
#
# Reads TABLES/latency_cdf.csv; the third argument names the operations in it. Writes FIGURES/latency.{png,svg}.
load "style.gp"
table = file_in(ARG1, "latency_cdf.csv")
set logscale x 10
set xtics ("1 ns" 1, "10 ns" 10, "100 ns" 100, "1 µs" 1e3, "10 µs" 1e4, "100 µs" 1e5, "1 ms" 1e6, "10 ms" 1e7, "100 ms" 1e8, "1 s" 1e9, "10 s" 1e10, "100 s" 1e11)
set grid xtics
set xrange [*:*] noextend
do for [format in formats] {
  eval open_figure(ARG2, "latency", format, 500, 480)
  set multiplot layout 2,1 margins 0.15,0.93,0.12,0.935 spacing 0.11
  unset xlabel
  set ylabel "share of requests" offset 0.5,0
  set yrange [0:1]
  set ytics 0.25
  set key at graph 1,1.12 right horizontal
  plot for [operation in ARG3] table using 2:(strcol(1) eq operation ? $3 : NaN) with steps linewidth 2 \
    linecolor rgb colour_of(operation) title operation
  set logscale y 10
  set yrange [*:1]
  set ytics ("1" 1, "10^{-1}" 1e-1, "10^{-2}" 1e-2, "10^{-3}" 1e-3, "10^{-4}" 1e-4, "10^{-5}" 1e-5, "10^{-6}" 1e-6)
  set ylabel "share of slower ones" offset 0.5,0
  set xlabel "latency" offset 0,0.3
  unset key
  # The white points keep the plot valid for runs in which all requests have the same latency.
  plot table using 2:(1) with points pointtype 0 linecolor rgb "white" notitle, \
    for [operation in ARG3] table using 2:(strcol(1) eq operation && $4 > 0 ? $4 : NaN) with steps linewidth 2 \
    linecolor rgb colour_of(operation) notitle
  unset multiplot
  unset logscale y
  unset output
}
