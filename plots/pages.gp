# The contents of a small device's pages after a run, as logical units: dies and their blocks side by side, page 0 on top.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/pages.gp TABLES FIGURES
#
# Reads FIGURES/pages.csv; writes FIGURES/pages.{png,svg}.
load "style.gp"
table = file_in(ARG2, "pages.csv")
stats table using 2 nooutput
columns = STATS_max + 1
stats table using 1 nooutput
dies = STATS_max + 1
stats table using 3 nooutput
pages = STATS_max + 1
stats table using 4 nooutput
units = STATS_max + 1
unset border
unset tics
unset grid
set style fill solid 0.9 border rgb "white"
x(die, column) = die * (columns + 0.5) + column
y(page, unit) = -(page + unit / units)
half = 0.5 / units
set xrange [-0.6:x(dies - 1, columns) - 0.4]
set yrange [y(pages - 1, units - 1) - 0.8:1.2]
do for [die = 0:dies - 1] { set label die + 1 sprintf("die %d", die) at x(die, (columns - 1) / 2.0), 0.85 center }
set key at screen 0.5, screen 0.1 center horizontal
width = 500
height = 80 + 24 * pages * units
few = dies * columns <= 24
do for [format in formats] {
  eval open_figure(ARG2, "pages", format, width, height)
  set margins screen 0.02, screen 0.98, screen 45.0 / height, screen 0.98
  plot table using (x($1, $2)):(y($3, $4)):(0.48):(half * 0.94) with boxxyerrorbars linecolor rgb colour_idle notitle, \
       "" using ($6 == 1 ? x($1, $2) : NaN):(y($3, $4)):(0.48):(half * 0.94) with boxxyerrorbars linecolor rgb colour_transfer title "newest", \
       "" using ($6 == 0 ? x($1, $2) : NaN):(y($3, $4)):(0.48):(half * 0.94) with boxxyerrorbars linecolor rgb colour_write title "superseded", \
       "" using (few ? x($1, $2) : NaN):(y($3, $4)):(sprintf("%d", $5)) with labels font ",8" notitle
  unset output
}
