# How channels and dies of one run spent their time: stacked shares; the rest is idle.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/shares.gp TABLES FIGURES
#
# Reads FIGURES/{channel,die}_shares.csv; writes FIGURES/shares.{png,svg}.
load "style.gp"
channels = file_in(ARG2, "channel_shares.csv")
dies = file_in(ARG2, "die_shares.csv")
stats channels using 1 nooutput
channel_max = STATS_max
stats dies using 1 nooutput
die_max = STATS_max
set style data histograms
set style histogram rowstacked
set style fill solid 1 noborder
set boxwidth 0.85 relative
set yrange [0:1]
set ytics 0.25
set ylabel "share of time"
step(n) = n < 12 ? 1 : n < 24 ? 2 : n < 60 ? 5 : n < 120 ? 10 : 20
do for [format in formats] {
  eval open_figure(ARG2, "shares", format, 500, 470)
  set multiplot layout 2,1 margins 0.17,0.96,0.12,0.945 spacing 0.2
  set key at graph 1,1.17 right horizontal maxrows 1 samplen 1 width 2
  set xlabel "channel" offset 0,0.3
  set xrange [-0.6:channel_max + 0.6]
  set xtics 0,step(channel_max)
  plot channels using "command" linecolor rgb colour_command title "command", \
       "" using "data" linecolor rgb colour_transfer title "data"
  set key width -1
  set xlabel "die" offset 0,0.3
  set xrange [-0.6:die_max + 0.6]
  set xtics 0,step(die_max)
  plot dies using "read" linecolor rgb colour_read title "read", \
       "" using "program" linecolor rgb colour_write title "program", \
       "" using "erase" linecolor rgb colour_erase title "erase", \
       "" using "transfer" linecolor rgb "#b8b8b8" title "transfer"
  unset multiplot
  unset output
}
