# Gantt chart of channels and dies in a short stretch of one run; each channel has its dies below it.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/occupancy.gp TABLES FIGURES CHANNELS
#
# Reads FIGURES/occupancy.csv; the third argument is the number of channels of the device, of which the first are shown. Writes FIGURES/occupancy.{png,svg}.
load "style.gp"
table = file_in(ARG2, "occupancy.csv")
stats table using 1 nooutput
rows = STATS_max + 1
stats table using 7 nooutput
start = STATS_min
shown = 0
stats table using (shown = shown + (strcol(3) eq "" && strcol(2)[1:7] eq "channel"), 1) nooutput
note = shown < int(ARG3) ? sprintf("; the first %d of %d channels", shown, int(ARG3)) : ""
array states[7] = ["read", "program", "erase", "transfer", "command", "data in", "data out"]
array labels[7] = ["array: read", "program", "erase", "transfer", "bus: command", "data in", "data out"]
array colours[7] = [colour_read, colour_write, colour_erase, "#b8b8b8", "#777777", "#e69f00", colour_transfer]
half = 0.40
set border 1
set yrange [rows - 0.4:-0.6]
set xrange [*:*] noextend
set xlabel sprintf("time (µs) after %.15g µs of the run", start).note offset 0,0.3
set format x "%.0f"
set grid noytics xtics
set style fill solid 1 noborder
set key at screen 0.99,0.99 right top horizontal maxcols 4 samplen 1
edges = 84.0  # height of the legend
foot = 54.0  # of the axis
do for [format in formats] {
  height = edges + foot + 18 * rows
  eval open_figure(ARG2, "occupancy", format, 500, height)
  set margins screen 0.19, screen 0.95, screen foot / height, screen 1 - edges / height
  plot table using 5:1:ytic(2) with points pointtype 0 linecolor rgb "white" notitle, \
    for [i = 1:7] table using 5:(strcol(3) eq states[i] ? $1 : NaN):5:6:($1 - half):($1 + half) with boxxyerror \
    linecolor rgb colours[i] title labels[i]
  unset output
}
