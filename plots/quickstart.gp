# Draws the figures of the quick start: throughput and energy per GB against ways, a line for each number of channels, the
# trace on the left, the fio job on the right. Draws and computes nothing: the tables come from
# experiments/quickstart/sweep.py.
#
#   GNUPLOT_LIB=plots gnuplot -e "tables='FOLDER'; figures='FOLDER'" plots/quickstart.gp
#
# Reads tables/{trace,job}-{throughput,energy}.csv; writes figures/{throughput,energy}.{png,svg}.
if (!exists("tables") || !exists("figures")) {
  print "usage: GNUPLOT_LIB=plots gnuplot -e \"tables='FOLDER'; figures='FOLDER'\" plots/quickstart.gp"
  exit status 1
}

load "style.gp"
set logscale x 2
set xrange [0.88:9.1]
set xtics (1, 2, 4, 8)
set xlabel "ways per channel" offset 0,0.3
# Colours of one hue from light to dark, markers of different shape: readable in print and without colour vision.
set linetype 1 linecolor rgb "#7fb8da" linewidth 2.2 pointtype 7 pointsize 1.1
set linetype 2 linecolor rgb "#3a87bd" linewidth 2.2 pointtype 5 pointsize 1.0
set linetype 3 linecolor rgb "#1b5488" linewidth 2.2 pointtype 9 pointsize 1.2
set linetype 4 linecolor rgb "#0a2344" linewidth 2.2 pointtype 13 pointsize 1.3

array titles[2] = ["Write-heavy trace (PostgreSQL), closed loop", "fio: random 16 KiB reads"]
array workloads[2] = ["trace", "job"]
channels(i) = sprintf("%d channel%s", 2**i, i == 0 ? "" : "s")

do for [metric in "throughput energy"] {
  do for [format in "png svg"] {
    if (format eq "png") {
      set terminal pngcairo size 1400,560 fontscale 1.15 font "DejaVu Sans,12" background rgb "white"
    } else {
      set terminal svg size 1050,420 font "DejaVu Sans,12" background rgb "white"
    }
    set output sprintf("%s/%s.%s", figures, metric, format)
    if (metric eq "throughput") {
      set ylabel "throughput (MB/s)" offset 1,0
      set logscale y 10
      set yrange [*:*] noextend
      set offsets graph 0, graph 0, graph 0.08, graph 0.06
      set ytics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
      unset mytics
      set key bottom right reverse Left samplen 2.5 spacing 1.15 invert
    } else {
      set ylabel "energy per GB moved (J/GB)" offset 0.6,0
      unset logscale y
      set yrange [0:*] extend
      unset offsets
      set ytics autofreq
      set key top right reverse Left samplen 2.5 spacing 1.15
    }
    set multiplot layout 1,2 margins 0.065,0.985,0.135,0.915 spacing 0.075
    do for [panel = 1:2] {
      set title titles[panel] offset 0,-0.4
      plot for [i = 0:3] sprintf("%s/%s-%s.csv", tables, workloads[panel], metric) \
        using 1:(column(i + 2)) with linespoints linetype i + 1 title channels(i)
    }
    unset multiplot
    unset output
  }
}
