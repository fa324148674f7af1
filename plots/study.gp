# Draws a figure of a study (docs/how-to/studies.md): lines, points, bars, stacked bars, or points with a Pareto front. It has a
# panel for each value of an axis, and one legend for all. The script only draws; experiments/run writes the numbers, and beside
# them a script that loads this one after setting: name, table, x_label, y_label, x_factor, y_factor (to the unit of the label),
# kind, log_axes, x_from, x_to, x_steps (for each panel: range of a linear x and distance of its tics; 0: not given),
# has_errors, dashed_label, x_tics, x_log_tics, y_log_tics, has_bands (error bars show bands, which bars_note explains), x_low
# (least x), is_shared (all panels have one range of y, y_low to y_high; a linear one ends at y_top), is_none (for each panel:
# all values are 0), levels (for each series: how many others it would hide), has_paper (there are published values), front
# ("largest" or "smallest": which x is best on the front), colours (of the palette), panel_titles, series_titles. The table has
# a block for each series of each panel: x, y, half width of the 95 % interval (stacked bars: where the part begins), dashed,
# and with has_bands both ends of the band. With has_paper follows a block of published values for each panel: x (bars: number
# of the group), y, number of the series. For stacked bars with has_bands follows a block of totals for each panel: number of
# the bar, y, both ends. Writes name.{png,svg}.
load "style.gp"  # defines `formats`

panels = |panel_titles|
is_dashed = dashed_label ne ""
is_lines = kind eq "lines"
series = |series_titles|
columns = panels > 1 ? 2 : 1
rows = (panels + columns - 1) / columns
longest = strlen(dashed_label)
do for [i = 1:series] { longest = strlen(series_titles[i]) > longest ? strlen(series_titles[i]) : longest }
# Columns of the legend: one for long names; three for short ones, or less short ones in small letters (key_font below); else two.
large_letters = columns == 1 && series <= 6
legend_columns = longest > (large_letters ? 26 : 28) ? 1 : longest > (large_letters ? 7 : 14) ? 2 : 3
legend_rows = ceil((series + is_dashed + has_paper) / (1.0 * legend_columns))
width = 500
own = panels > 1 && is_shared == 0 ? "each panel has a range of its own" : ""
own = own.(own ne "" && bars_note ne "" ? "; " : "").bars_note
legend_height = (large_letters ? 20.0 : 16.0) * (legend_rows + (is_dashed || has_paper)) + 12 + (own ne "" ? 12 : 0)
panel_height = columns == 1 ? 270.0 : 205.0
height = rows * panel_height + legend_height

# Markers of distinct shapes.
array markers[11] = [7, 5, 9, 13, 11, 4, 6, 8, 2, 12, 10]
# gnuplot evaluates the first element even of an empty loop, so these functions limit the index.
shade(i) = palette[colours[i > series ? series : i]]
title_of(i) = series_titles[i > series ? series : i]
marker(i) = markers[(i - 1) % 11 + 1]
# A series that would hide another is drawn dashed and with smaller markers, so that the other one shows.
level(i) = levels[i > series ? series : i]
size_of(i) = level(i) == 0 ? 0.7 : level(i) == 1 ? 0.45 : 0.3
# Plot commands for published values are text, empty if there are none: an empty loop would take a place in the legend.
published_colour(i) = i == 0 ? int("0x222222") : int("0x".shade(int(i))[2:7])
mark_size = has_bands ? 2 : 1  # larger, so that a mark is visible on an error bar
published_bars = has_paper ? ', table index paper_block using ($3 == 0 ? $1 : $1 + ($3 - (series + 1) / 2.0) * bar):($2 * y_factor) \
  with points pointtype 1 pointsize 1.1 * mark_size linewidth 1.4 linecolor rgb "#222222" notitle' : ''
published_points = has_paper ? ', table index paper_block using ($1 * x_factor):($2 * y_factor):(published_colour($3)) \
  with points pointtype 1 pointsize 1.4 * mark_size linewidth 1.8 linecolor rgb variable notitle' : ''
published_key = has_paper ? ', keyentry with points pointtype 1 pointsize 1.4 linecolor rgb "#222222" title "published"' : ''
# Error bars of bars are arrows with flat heads: gnuplot's own leave a gap at the top of a filled bar.
bar_from = has_bands ? '($5 * y_factor):(0):(($6 - $5) * y_factor)' : '(($2 - $3) * y_factor):(0):(2 * $3 * y_factor)'
bar_ends = has_bands ? '($5 * y_factor):($6 * y_factor)' : '($3 * y_factor)'
total_bars = kind eq "stacked" && has_bands ? ', table index total_block using 1:($3 * y_factor):(0):(($4 - $3) * y_factor) \
  with vectors heads size screen 0.006,90 nofilled linewidth 1.2 linecolor rgb "#333333" notitle' : ''
is_front(i) = front ne "" && i == series
drawn = front eq "" ? series : series - 1  # number of series with markers or bars
left_of(column) = columns == 1 ? 0.15 : 0.125 + 0.475 * column
right_of(column) = columns == 1 ? 0.97 : 0.50 + 0.475 * column
# Two panels side by side have smaller letters, and one label for all y axes. A legend of many lines has smaller letters, too.
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
    set title panel_titles[panel] offset 0,-0.7 font small noenhanced  # titles may contain underscores
    set xlabel x_label offset 0,0.6 font small noenhanced
    if (columns == 1) { set ylabel y_label offset 1.2,0 noenhanced } else { unset ylabel }
    if (columns == 2 && panel == 1) {
      set label 1 y_label at screen 0.018, screen 1 - 0.5 * rows * panel_height / height rotate center font small noenhanced
    } else { unset label 1 }
    unset key
    if (strstrt(log_axes, "x")) {
      set logscale x 10
      set xrange [*:*] noextend
      if (x_tics eq "" && x_log_tics ne "") { eval "set xtics (".x_log_tics.")" }
    }
    if (strstrt(log_axes, "y")) {
      set logscale y 10
      set yrange [*:*] noextend
      if (y_log_tics ne "") { eval "set ytics (".y_log_tics.")" }
      if (is_shared && y_high > 0) { set yrange [y_low / 1.1:y_high * 1.1] }
    } else {
      set yrange [*<0:*]  # from 0, or from the lowest value if that is negative
      if (is_shared && y_high > 0) { set yrange [y_low * 1.05:y_top] }
    }
    unset label 2
    if (is_none[panel]) {
      set label 2 "none" at graph 0.5, 0.5 center font small textcolor rgb "#666666"
      if (!is_shared || y_high <= 0) { unset logscale y; set yrange [0:1]; set ytics ("0" 0) }
    }
    if (x_tics ne "") { eval "set xtics (".x_tics.")" }
    block(i) = (panel - 1) * series + i - 1
    paper_block = panels * series + panel - 1
    total_block = paper_block + has_paper * panels
    if (kind eq "bars" || kind eq "stacked") {
      bar = kind eq "bars" ? 0.8 / series : 0.7
      set xrange [-0.6:*]
      set offsets 0, 0.2, 0, 0  # room for the last group's bars, since a group's label is at its middle
      set style fill solid 0.9 noborder
      set xtics noenhanced
      set xzeroaxis linetype 1 linecolor rgb "#333333"
    } else {
      # No room to the left of x = 0.
      left_room = x_low == 0 && !strstrt(log_axes, "x") ? 0 : 0.04
      right_room = 0.04
      if (x_steps[panel] > 0) {
        set xrange [x_from[panel]:x_to[panel]]
        if (x_tics eq "") { set xtics x_steps[panel] }
        left_room = 0
        right_room = 0
      }
      set offsets graph left_room, graph right_room, graph (is_shared ? 0 : 0.05), graph (!is_shared && strstrt(log_axes, "y") ? 0.05 : 0)
    }
    if (kind eq "bars") {
      plot for [i = 1:series] table index block(i) \
        using ($0 + (i - (series + 1) / 2.0) * bar):($2 * y_factor):(bar) with boxes linecolor rgb shade(i) notitle, \
        table index (panel - 1) * series using 0:(0):xticlabels(1) with dots linecolor rgb "#ffffffff" notitle, \
        for [i = 1:has_errors * series] table index block(i) \
        using ($0 + (i - (series + 1) / 2.0) * bar):@bar_from \
        with vectors heads size screen 0.006,90 nofilled linecolor rgb "#333333" notitle @published_bars
    }
    if (kind eq "stacked") {
      plot for [i = 1:series] table index block(i) \
        using 0:($3 * y_factor):($0 - bar / 2):($0 + bar / 2):($3 * y_factor):(($3 + $2) * y_factor) \
        with boxxyerror linecolor rgb shade(i) notitle, \
        table index (panel - 1) * series using 0:(0):xticlabels(1) with dots linecolor rgb "#ffffffff" notitle @total_bars @published_bars
    }
    if (kind ne "bars" && kind ne "stacked") {
      plot for [i = 1:is_dashed * series] table index block(i) using ($1 * x_factor):($4 * y_factor) \
        with lines dashtype (5, 4) linewidth 1 linecolor rgb shade(i) notitle, \
        for [i = series + (front eq "largest" ? 0 : 1):series] table index block(i) using ($1 * x_factor):($2 * y_factor) \
        with fsteps dashtype (2, 2) linewidth 1.4 linecolor rgb shade(i) notitle, \
        for [i = series + (front eq "smallest" ? 0 : 1):series] table index block(i) using ($1 * x_factor):($2 * y_factor) \
        with steps dashtype (2, 2) linewidth 1.4 linecolor rgb shade(i) notitle, \
        for [i = 1:has_errors * drawn] table index block(i) using ($1 * x_factor):($2 * y_factor):@bar_ends \
        with yerrorbars pointtype 0 linewidth 1 linecolor rgb shade(i) notitle, \
        for [i = 1:is_lines * drawn] table index block(i) using ($1 * x_factor):($2 * y_factor) \
        with lines dashtype (6, 6 * level(i)) linewidth 1.6 linecolor rgb shade(i) notitle, \
        for [i = 1:drawn] table index block(i) using ($1 * x_factor):($2 * y_factor) \
        with points pointtype marker(i) pointsize size_of(i) linecolor rgb shade(i) notitle @published_points
    }
    unset offsets
    set xtics autofreq
  }
  # The legend, in a strip below the panels.
  set lmargin at screen 0.05
  set rmargin at screen 0.98
  set tmargin at screen (legend_height - (large_letters && legend_columns == 1 ? 22 : 4)) / height
  set bmargin at screen 0.001
  unset label 1
  if (own ne "") {
    set bmargin at screen 12 / height
    set label 1 own at screen 0.985, screen 6 / height right font small_letters(format) textcolor rgb "#666666"
  }
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
  # gnuplot needs one curve with axes; this first one lies outside the ranges.
  if (kind eq "bars" || kind eq "stacked") {
    plot 2 with lines notitle, for [i = 1:series] keyentry with boxes linecolor rgb shade(i) title title_of(i) @published_key
  } else {
    plot 2 with lines notitle, \
      for [i = 1:is_lines * series] keyentry with linespoints dashtype (6, 6 * level(i)) linewidth 1.6 pointtype marker(i) \
      pointsize 0.8 linecolor rgb shade(i) title title_of(i), \
      for [i = 1:(1 - is_lines) * drawn] keyentry with points pointtype marker(i) pointsize 0.8 linecolor rgb shade(i) \
      title title_of(i), \
      for [i = drawn + 1:series] keyentry with lines dashtype (2, 2) linewidth 1.4 linecolor rgb shade(i) \
      title title_of(i), \
      for [i = 1:is_dashed] keyentry with lines dashtype (5, 4) linewidth 1 linecolor rgb "#444444" title dashed_label @published_key
  }
  unset label 1
  unset multiplot
  unset output
}
