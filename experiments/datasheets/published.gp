# Draws published against predicted figures, of ../published.csv, with bands of 10 and 25 %, a panel for each unit and a mark for each
# drive: full ones of those that are described from the inside alone. Beside it, experiments/run sets name, series_titles and colours.
load "style.gp"  # defines `formats`

drives = |series_titles|
inside = 9  # the first drives
array metrics[3] = ["mb", "iops", "latency"]
array panel_titles[3] = ["Sequential, 128 KiB (MB/s)", "Random, 4 KiB (thousand IOPS)", "Latency (us)"]
array low[3] = [800, 30, 3]
array high[3] = [9000, 2500, 130]
array full[9] = [7, 5, 9, 11, 13, 15, 7, 5, 9]
array open[9] = [6, 4, 8, 10, 12, 14, 6, 4, 8]
name_of(i) = series_titles[i > drives ? drives : i]  # gnuplot evaluates the first element even of an empty loop
mark(i) = i > inside ? open[(i - inside - 1) % 9 + 1] : full[(i - 1) % 9 + 1]
shade(i) = palette[(i - 1) % inside + 1]
width = 500
height = 560.0
table = "../published.csv"
begins(text, start) = substr(text, 1, strlen(start)) eq start
of(i, metric) = begins(strcol(1).",", "drive ".name_of(i).",") && strcol(2) eq metric ? column(4) : NaN

do for [format in formats] {
  reset
  load "style.gp"
  eval open_figure(".", name, format, width, height)
  small = format eq "png" ? ",9.5" : ",8.5"
  set multiplot
  set tics font small
  set logscale xy 10
  set grid xtics ytics
  unset key
  do for [panel = 1:3] {
    place = (panel - 1) % 2
    row = (panel - 1) / 2
    set lmargin at screen 0.10 + 0.49 * place
    set rmargin at screen 0.48 + 0.49 * place
    set tmargin at screen 0.955 - 0.5 * row
    set bmargin at screen 0.575 - 0.5 * row
    set title panel_titles[panel] offset 0,-0.7 font small
    set xlabel "published" offset 0,0.6 font small
    set ylabel (place == 0 ? "predicted" : "") offset 1.5,0 font small
    set xrange [low[panel]:high[panel]]
    set yrange [low[panel]:high[panel]]
    metric = metrics[panel]
    plot "+" using 1:($1 / 1.25):($1 * 1.25) with filledcurves linecolor rgb "#eeeeee" notitle, \
      "+" using 1:($1 / 1.1):($1 * 1.1) with filledcurves linecolor rgb "#d8d8d8" notitle, \
      x with lines linewidth 1 linecolor rgb "#888888" notitle, \
      for [i = 1:drives] table using (of(i, metric)):5 with points pointtype mark(i) pointsize 0.9 linewidth 1.3 linecolor rgb shade(i) notitle
  }
  # The legend, in the place of a fourth panel.
  set lmargin at screen 0.56
  set rmargin at screen 0.99
  set tmargin at screen 0.47
  set bmargin at screen 0.03
  unset title; unset xlabel; unset ylabel; unset xtics; unset ytics; unset grid; unset border; unset logscale
  set xrange [0:1]
  set yrange [0:1]
  set key center center vertical maxrows 9 samplen 1 noenhanced font small
  plot 2 with lines notitle, for [i = 1:drives] keyentry with points pointtype mark(i) pointsize 0.9 linewidth 1.3 linecolor rgb shade(i) title name_of(i)
  unset multiplot
  unset output
}
