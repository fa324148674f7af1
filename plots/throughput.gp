# Throughput, latency and power of one run over time.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/throughput.gp TABLES FIGURES "read write"
#
# Reads TABLES/series.csv; the third argument names the operations that occur. Writes FIGURES/throughput.{png,svg}.
load "style.gp"
table = file_in(ARG1, "series.csv")
set xrange [0:*] noextend
moving = ""  # operations that move data
do for [operation in ARG3] { if (operation ne "flush") { moving = moving." ".operation } }
do for [format in formats] {
  eval open_figure(ARG2, "throughput", format, 500, 560)
  set multiplot layout 3,1 margins 0.17,0.96,0.09,0.945 spacing 0.07
  set format x ""
  set ylabel "throughput (MB/s)"
  set yrange [0:*]
  set key at graph 1,1.13 right horizontal
  plot for [operation in moving] table using 1:(column(operation."_bytes_per_s") / 1e6) \
    with steps linewidth 1.3 linecolor rgb colour_of(operation) title operation
  set ylabel "latency (µs)"
  set logscale y 10
  set yrange [*:*]
  set format y "10^{%L}"
  plot keyentry with lines linewidth 1.3 linecolor rgb "#444444" title "mean", \
       keyentry with points pointtype 7 pointsize 0.4 linecolor rgb "#444444" title "max", \
       for [operation in ARG3] table using 1:(column(operation."_latency_mean_ns") / 1e3) with lines linewidth 1.3 \
         linecolor rgb colour_of(operation) notitle, \
       for [operation in ARG3] table using 1:(column(operation."_latency_max_ns") / 1e3) with points \
         pointtype 7 pointsize 0.22 linecolor rgb colour_of(operation) notitle
  unset logscale y
  set format y "%g"
  set format x "%g"
  set xlabel "simulated time (s)" offset 0,0.3
  set ylabel "power (W)"
  set yrange [0:*]
  unset key
  plot table using 1:"power_w" with steps linewidth 1.3 linecolor rgb colour_power notitle
  unset multiplot
  unset xlabel
  unset output
}
