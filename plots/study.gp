# A figure of a study (docs/studies.md): lines, points or bars, a panel for each value of an axis, the same legend for all.
# Draws and computes nothing. Loaded by the script that experiments/run writes beside the numbers: it sets name, table,
# x_label, y_label, kind, log_axes, has_errors, dashed_label, x_tics, panel_titles, series_titles. The table has a block of
# lines x, y, half width of the 95 % interval, dashed for each series of each panel. Writes name.{png,svg}.
load "style.gp"  # names the formats

panels = |panel_titles|
is_dashed = dashed_label ne ""
is_lines = kind eq "lines"
series = |series_titles|
columns = panels > 1 ? 2 : 1
rows = (panels + columns - 1) / columns
longest = strlen(dashed_label)
do for [i = 1:series] { longest = strlen(series_titles[i]) > longest ? strlen(series_titles[i]) : longest }
# Three stand side by side if their letters are small (key_font below), or their names short; two if they are not long.
large_letters = columns == 1 && series <= 6
legend_columns = longest > (large_letters ? 26 : 34) ? 1 : longest > (large_letters ? 7 : 14) ? 2 : 3
legend_rows = ceil((series + is_dashed) / (1.0 * legend_columns))
width = 500
legend_height = (large_letters ? 20.0 : 16.0) * (legend_rows + is_dashed) + 12
panel_height = columns == 1 ? 270.0 : 205.0
height = rows * panel_height + legend_height

# Colours that stay apart without colour vision (Okabe and Ito), and markers of different shape.
# and, beyond eight, two more; the ninth and later ones are told apart by their markers first.
array shades[11] = ["#f0a030", "#56b4e9", "#0072b2", "#d55e00", "#009e73", "#9a6a94", "#333333", "#cc79a7", \
  "#8a7a00", "#8c8c8c", "#7a1f1f"]
array markers[11] = [7, 5, 9, 13, 11, 4, 6, 8, 2, 12, 10]
shade(i) = shades[(i - 1) % 11 + 1]
marker(i) = markers[(i - 1) % 11 + 1]
left_of(column) = columns == 1 ? 0.15 : 0.125 + 0.475 * column
right_of(column) = columns == 1 ? 0.97 : 0.50 + 0.475 * column
# Two panels side by side have smaller letters, and one label for all y axes. So has a legend of many lines.
small_letters(format) = format eq "png" ? ",9.5" : ",8.5"
small_font(format) = columns == 1 ? "" : small_letters(format)
key_font(format) = large_letters ? "" : small_letters(format)

do for [format in formats] {
  reset
  load "style.gp"
  unset datafile columnheaders
  set datafile missing "NaN"
  eval open_figure(".", name, format, width, height)
  small = small_font(format)
  set multiplot
  set tics font small
  key_letters = key_font(format)
  set key font key_letters
  do for [panel = 1:panels] {
    column = (panel - 1) % columns
    row = (panel - 1) / columns
    set lmargin at screen left_of(column)
    set rmargin at screen right_of(column)
    set tmargin at screen 1 - (row * panel_height + 22) / height
    set bmargin at screen 1 - ((row + 1) * panel_height - 40) / height
    set title panel_titles[panel] offset 0,-0.7 font small noenhanced  # names have underscores
    set xlabel x_label offset 0,0.6 font small noenhanced
    if (columns == 1) { set ylabel y_label offset 1.2,0 noenhanced } else { unset ylabel }
    if (columns == 2 && panel == 1) {
      set label 1 y_label at screen 0.018, screen 1 - 0.5 * rows * panel_height / height rotate center font small noenhanced
    } else { unset label 1 }
    unset key
    if (strstrt(log_axes, "x")) {
      if (x_tics ne "") { set logscale x 2 } else {
        set logscale x 10
        set xrange [*:*] noextend
      }
    }
    if (strstrt(log_axes, "y")) {
      set logscale y 10
      set yrange [*:*] noextend
      set ytics (1e-3)
      do for [power = -2:6] { set ytics add (10.0**power, 2 * 10.0**power, 5 * 10.0**power) }
    } else {
      set yrange [*<0:*]  # from 0, or from what lies below
    }
    if (x_tics ne "") { eval "set xtics (".x_tics.")" }
    if (kind eq "bars") {
      bar = 0.8 / series
      set xrange [-0.6:*]
      set offsets 0, 0.2, 0, 0  # room for the last group's bars; its name stands in the middle of each group
      set style fill solid 0.9 noborder
      set xtics noenhanced
      set xzeroaxis linetype 1 linecolor rgb "#333333"
      plot for [i = 1:series] table index ((panel - 1) * series + i - 1) \
        using ($0 + (i - (series + 1) / 2.0) * bar):2:(bar) with boxes linecolor rgb shade(i) notitle, \
        table index (panel - 1) * series using 0:(0):xticlabels(1) with dots linecolor rgb "#ffffffff" notitle, \
        for [i = 1:has_errors * series] table index ((panel - 1) * series + i - 1) \
        using ($0 + (i - (series + 1) / 2.0) * bar):2:3 with yerrorbars pointtype 0 linecolor rgb "#333333" notitle
    } else {
      set offsets graph 0.04, graph 0.04, graph 0.05, graph (strstrt(log_axes, "y") ? 0.05 : 0)
      plot for [i = 1:is_dashed * series] table index ((panel - 1) * series + i - 1) using 1:4 \
        with lines dashtype (5, 4) linewidth 1 linecolor rgb shade(i) notitle, \
        for [i = 1:has_errors * series] table index ((panel - 1) * series + i - 1) using 1:2:3 \
        with yerrorbars pointtype 0 linewidth 1 linecolor rgb shade(i) notitle, \
        for [i = 1:is_lines * series] table index ((panel - 1) * series + i - 1) using 1:2 \
        with lines linewidth 1.6 linecolor rgb shade(i) notitle, \
        for [i = 1:series] table index ((panel - 1) * series + i - 1) using 1:2 \
        with points pointtype marker(i) pointsize 0.7 linecolor rgb shade(i) notitle
      unset offsets
    }
  }
  # The legend, in a strip of its own.
  set lmargin at screen 0.05
  set rmargin at screen 0.98
  set tmargin at screen (legend_height - 4) / height
  set bmargin at screen 0.001
  unset label 1
  unset title
  unset xlabel
  unset ylabel
  unset xtics
  unset ytics
  unset grid
  unset border
  unset xzeroaxis
  unset logscale
  set xrange [0:1]
  set yrange [0:1]
  set key center center horizontal maxrows legend_rows samplen 2.2 noenhanced
  # The first curve lies outside: gnuplot wants one that has axes.
  if (kind eq "bars") {
    plot 2 with lines notitle, for [i = 1:series] keyentry with boxes linecolor rgb shade(i) title series_titles[i]
  } else {
    plot 2 with lines notitle, \
      for [i = 1:is_lines * series] keyentry with linespoints linewidth 1.6 pointtype marker(i) pointsize 0.8 \
      linecolor rgb shade(i) title series_titles[i], \
      for [i = 1:(1 - is_lines) * series] keyentry with points pointtype marker(i) pointsize 0.8 linecolor rgb shade(i) \
      title series_titles[i], \
      for [i = 1:is_dashed] keyentry with lines dashtype (5, 4) linewidth 1 linecolor rgb "#444444" title dashed_label
  }
  unset multiplot
  unset output
}
