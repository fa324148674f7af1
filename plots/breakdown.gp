# The parts of the latency of one run's requests: of the mean, and at percentiles.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/breakdown.gp TABLES FIGURES "'host link' CPU"
#
# Reads TABLES/breakdown.csv, which has a line for each bar: operation, statistic, then a column for each part, in ns. The third
# argument has the words of each part, in the order of the columns. Writes FIGURES/breakdown.{png,svg}.
load "style.gp"
table = file_in(ARG1, "breakdown.csv")
words_of_parts = ARG3
stats table using 3 nooutput
parts = STATS_columns - 2
bars = STATS_records
# The figure leaves out parts on which no request spent time.
absent = ""
do for [i = 3:parts + 2] { stats table using i nooutput; if (STATS_max == 0) { absent = absent.sprintf(" %d ", i) } }
is_there(i) = strstrt(absent, sprintf(" %d ", i)) == 0
shown = ""
do for [i = 3:parts + 2] { if (is_there(i)) { shown = shown.sprintf("%d ", i) } }
# "p99_9" is 99.9 %.
statistic(name) = name[1:1] ne "p" ? name : (dot = strstrt(name, "_"), dot ? name[2:dot - 1].".".name[dot + 1:] : name[2:])." %"
total(n) = sum [i = 3:n + 2] column(i)
# The operation of each bar, and where its bars begin.
operations = ""
stats table using (operations = operations." ".strcol(1), 1) nooutput
begins_at(i) = i == 1 || word(operations, i) ne word(operations, i - 1)
set style fill solid 1 noborder
do for [format in formats] {
  eval open_figure(ARG2, "breakdown", format, 560, 470)
  set multiplot
  # Above: the latencies; below: the shares of the parts. A common scale would hide short latencies.
  set lmargin at screen 0.13
  set rmargin at screen 0.64
  set tmargin at screen 0.97
  set bmargin at screen 0.79
  unset key
  set logscale y
  set yrange [*:*]
  set xrange [-0.7:bars - 0.3]
  set format y "10^{%T}"
  set ylabel "latency (µs)"
  set xtics format "" scale 0
  plot table using 0:(total(parts) / 1e3) with points pointtype 7 pointsize 0.9 linecolor rgb "#333333"
  unset logscale y
  set style data histograms
  set style histogram rowstacked
  set boxwidth 0.8 relative
  set tmargin at screen 0.74
  set bmargin at screen 0.20
  set yrange [0:100]
  set format y "%g"
  set ylabel "share (%)"
  set xtics rotate by 90 right scale 0 noenhanced
  do for [i = 1:bars] {
    if (begins_at(i)) {
      last = i
      while (last < bars && !begins_at(last + 1)) { last = last + 1 }
      set label i word(operations, i) at first (i + last) / 2.0 - 1, screen 0.035 center
      if (i > 1) { set arrow i from first i - 1.5, graph 0 to first i - 1.5, screen 0.02 nohead linewidth 1 linecolor rgb "#888888" }
    }
  }
  set key at screen 0.66, screen 0.74 left top vertical maxcols 1 invert samplen 1 spacing 0.95 noenhanced
  plot for [i in shown] table using (100 * column(int(i)) / total(parts)):xtic(statistic(strcol(2))) \
    linecolor rgb palette[int(i) - 2] title word(words_of_parts, int(i) - 2)
  unset multiplot
  unset output
  reset
  load "style.gp"
  set style fill solid 1 noborder
}
