# A figure of a data sheet (docs/how-to/datasheet.md), from TABLES/table.txt: blocks of lines, each with its title.
#
#   GNUPLOT_LIB=plots gnuplot -c plots/datasheet.gp TABLES KIND BLOCKS X_LABEL Y_LABEL LOG_AXES
#
# KIND is "lines"; "steps"; "rounds", whose last block is the measured window (x, mean, least-squares line); or "matrix": one block of x, y,
# z, name of x, name of y. Writes TABLES/figure.svg.
load "style.gp"
unset datafile columnheaders
set datafile separator whitespace
table = file_in(ARG1, "table.txt")
kind = ARG2
blocks = int(ARG3)
shade(i) = palette[i % 20 + 1]
eval open_figure(ARG1, "figure", "svg", 560, kind eq "matrix" ? 330 : 250)
set xlabel ARG4 offset 0,0.3
set ylabel ARG5
if (ARG6 ne "") { set logscale @ARG6 }
if (ARG6 eq "") { set yrange [0:*] } else { set format xy "10^{%L}" }
if (ARG4 eq "round") { set xtics 1 }
set grid xtics
set key outside right top Left reverse
is_window = kind eq "rounds"
lines = blocks - is_window
style = kind eq "steps" ? "steps" : "linespoints pointtype 7 pointsize 0.4"  # expanded when the block below is read
if (kind eq "matrix") {
  set grid xtics ytics ztics vertical
  set border 21
  set style fill solid 1.0 border rgb "#444444"
  set pm3d depthorder base
  set boxwidth 0.6 absolute
  set boxdepth 0.6
  set xyplane at 0
  set zrange [0:*]
  set yrange [*:*]
  set xlabel ARG4 offset 0,-0.5
  set view 55, 35, 1, 1.1
  unset key
  set tics font ",8.5"
  splot table using 1:2:3:(int("0x".shade(int($1))[2:7])):xtic(4):ytic(5) with boxes linecolor rgb variable
} else {
  plot for [i = 0:lines - 1] table index i using 1:2 with @style linewidth 1.4 linecolor rgb shade(i) title columnheader(1), \
    for [f in is_window ? "0.9 1 1.1" : ""] table index lines using 1:($2 * real(f)) every ::1 with lines dashtype 2 linecolor rgb "#666666" \
    notitle, \
    for [f in is_window ? "1" : ""] table index lines using 1:3 every ::1 with lines linewidth 1.2 linecolor rgb "#222222" title columnheader(1)
}
