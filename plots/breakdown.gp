# The parts of the latency of one run's requests: of the mean, and at percentiles.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/breakdown.gp TABLES FIGURES
#
# Reads TABLES/breakdown.csv, which has a line for each bar: operation, statistic, then a column for each part, in ns.
# Writes FIGURES/breakdown.{png,svg}.
load "style.gp"
table = file_in(ARG1, "breakdown.csv")
stats table using 3 nooutput
parts = STATS_columns - 2
# The figure leaves out parts on which no request spent time.
absent = ""
do for [i = 3:parts + 2] { stats table using i nooutput; if (STATS_max == 0) { absent = absent.sprintf(" %d ", i) } }
is_there(i) = strstrt(absent, sprintf(" %d ", i)) == 0
shown = ""
do for [i = 3:parts + 2] { if (is_there(i)) { shown = shown.sprintf("%d ", i) } }
label_of(name) = name[strlen(name) - 2:] eq "_ns" ? name[1:strlen(name) - 3] : name
total(n) = sum [i = 3:n + 2] column(i)
set style fill solid 1 noborder
do for [format in formats] {
  eval open_figure(ARG2, "breakdown", format, 500, 470)
  set multiplot
  # Above: the latencies; below: the shares of the parts. A common scale would hide short latencies.
  set lmargin at screen 0.14
  set rmargin at screen 0.74
  set tmargin at screen 0.97
  set bmargin at screen 0.79
  unset key
  set logscale y
  set yrange [*:*]
  set xrange [-0.7:STATS_records - 0.3]
  set format y "10^{%T}"
  set ylabel "latency (µs)" offset 0.3,0
  set xtics format "" scale 0
  plot table using 0:(total(parts) / 1e3) with points pointtype 7 pointsize 0.9 linecolor rgb "#333333"
  unset logscale y
  set style data histograms
  set style histogram rowstacked
  set boxwidth 0.8 relative
  set tmargin at screen 0.74
  set bmargin at screen 0.18
  set yrange [0:100]
  set format y "%g"
  set ylabel "share (%)" offset 0.3,0
  set xtics rotate by -40 scale 0 noenhanced
  set key at screen 0.98, screen 0.74 right top vertical maxcols 1 invert samplen 1 spacing 0.95 noenhanced
  plot for [i in shown] table using (100 * column(int(i)) / total(parts)):xtic(sprintf("%s %s", strcol(1), strcol(2))) \
    linecolor rgb palette[int(i) - 2] title label_of(columnheader(int(i)))
  unset multiplot
  unset output
  reset
  load "style.gp"
  set style fill solid 1 noborder
}
