# Current over time of one write, of both drives and four sizes, out of the power traces of the study's points.
#
#   GNUPLOT_LIB=plots gnuplot -c experiments/energy_staircase/current.gp out/studies/energy_staircase docs/images
#
# Reads table.csv and points/ID/power_trace.csv of the study's folder; writes energy-staircase-current.{png,svg}.
load "style.gp"
sizes = "4 16 64 256"
drives = "wide clusters"
# The columns point, size, channel_switch and drive of table.csv are found by its header.
point(size, drive) = system(sprintf("awk -F, -v size=%s -v drive=%s 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 && $at[\"size_kib\"] == size && $at[\"drive\"] == drive && $at[\"channel_switch_us\"] == 33 { print $1 }' '%s/table.csv'", size, drive, ARG1))
trace(size, drive) = sprintf("%s/points/%s/power_trace.csv", ARG1, point(size, drive))
do for [format in formats] {
  eval open_figure(ARG2, "energy-staircase-current", format, 500, 420)
  set multiplot layout 2,1 margins 0.13,0.96,0.13,0.88 spacing 0.12
  set yrange [0:400]
  set xrange [0:16]
  set ylabel "current at 5 V (mA)" offset 0.8,0
  set key at screen 0.97,0.985 right top horizontal maxrows 1 samplen 1.4
  do for [d = 1:words(drives)] {
    set title word(drives, d) eq "wide" ? "pages over all channels" : "clusters of 8 pages" offset 0,-0.6
    if (d == words(drives)) { set xlabel "simulated time (ms)" offset 0,0.3 } else { unset xlabel }
    plot for [s = 1:words(sizes)] trace(word(sizes, s), word(drives, d)) \
      using (column("time_s") * 1e3):(column("current_a") * 1e3) with steps linewidth 1.1 linecolor rgb palette[s] \
      title word(sizes, s)." KiB"
    unset key
  }
  unset multiplot
  unset output
}
