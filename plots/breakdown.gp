# Where the latency of one run's requests went, part by part: the mean, and at percentiles.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/breakdown.gp TABLES FIGURES
#
# Reads TABLES/breakdown.csv: a bar a line (operation, statistic), then a part a column, in ns. Writes
# FIGURES/breakdown.{png,svg}.
load "style.gp"
table = sprintf("%s/breakdown.csv", ARG1)
stats table using 3 nooutput
parts = STATS_columns - 2
array colours[12] = ["#999999", "#56b4e9", "#0072b2", "#f0e442", "#e69f00", "#8a6d00", "#cc79a7", "#009e73", "#d55e00", \
                     "#333333", "#9a6a94", "#c7e0f4"]
label_of(name) = name[strlen(name) - 2:] eq "_ns" ? name[1:strlen(name) - 3] : name
set style data histograms
set style histogram rowstacked
set style fill solid 1 noborder
set boxwidth 0.8 relative
set yrange [0:*]
set ylabel "latency (µs)" offset 0.8,0
set xtics rotate by -40 scale 0
set key outside right top vertical invert samplen 1 noenhanced
set xtics noenhanced
do for [format in formats] {
  eval open_figure(ARG2, "breakdown", format, 500, 340)
  plot for [i = 3:parts + 2] table using (column(i) / 1e3):xtic(sprintf("%s %s", strcol(1), strcol(2))) \
    linecolor rgb colours[(i - 3) % 12 + 1] title label_of(columnheader(i))
  unset output
}
