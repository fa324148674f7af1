# Draws a tornado figure of a study (docs/how-to/studies.md): for each key of the device a bar from the metric with the key at the low end of
# its range to the metric with the key at the high end, the widest bar on top, a panel for each value of an axis. The script only draws;
# experiments/run writes the numbers, and beside them a script that loads this one after setting: name, table, x_label, x_factor (to
# the unit of the label), longest (letters of the longest text beside a bar), panel_titles, bars (number in each panel), notes (text
# below each panel). The table has a block for each panel: key, its range, value at the low end, value at the high end, nominal value.
# Writes name.{png,svg}.
load "style.gp"  # defines `formats`

panels = |panel_titles|
width = 500
bar_height = 30.0
edges = 84.0  # height of a panel without its bars: title, axis, note
legend_height = 24.0
height = legend_height
do for [i = 1:panels] { height = height + bars[i] * bar_height + edges }
left = (24 + 6.0 * (longest < 12 ? 12 : longest > 42 ? 42 : longest)) / width
colour_low = palette[3]
colour_high = palette[4]
small(format) = format eq "png" ? ",9.5" : ",8.5"
# The height of a bar is 0.7 of its line.
half = 0.35

do for [format in formats] {
  reset
  load "style.gp"
  unset datafile columnheaders
  eval open_figure(".", name, format, width, height)
  letters = small(format)
  set multiplot
  set tics font letters
  top = height
  do for [panel = 1:panels] {
    bottom = top - bars[panel] * bar_height - edges
    set lmargin at screen left
    set rmargin at screen 0.96
    set tmargin at screen (top - 22) / height
    set bmargin at screen (bottom + 60) / height
    set title panel_titles[panel] offset 0,-0.7 font letters noenhanced
    set xlabel x_label offset 0,0.6 font letters noenhanced
    set label 1 notes[panel] at screen 0.96, screen (bottom + 10) / height right font letters textcolor rgb "#666666" noenhanced
    set yrange [-bars[panel] + 0.4:0.6]
    set xrange [*:*]
    set offsets graph 0.04, graph 0.04, 0, 0
    set grid noytics xtics
    set border 1
    set ytics scale 0 noenhanced font letters
    set style fill solid 0.9 noborder
    unset key
    plot table index panel - 1 using ($5 * x_factor):(-$0):($5 * x_factor):($3 * x_factor):(-$0 - half):(-$0 + half):\
        ytic(strcol(1)."\n".strcol(2)) with boxxyerror linecolor rgb colour_low notitle, \
      table index panel - 1 using ($5 * x_factor):(-$0):($5 * x_factor):($4 * x_factor):(-$0 - half):(-$0 + half) \
        with boxxyerror linecolor rgb colour_high notitle, \
      table index panel - 1 using ($5 * x_factor):(-$0):(0):(0.5) with vectors nohead linewidth 1 linecolor rgb "#333333" notitle, \
      table index panel - 1 using ($5 * x_factor):(-$0):(0):(-0.5) with vectors nohead linewidth 1 linecolor rgb "#333333" notitle
    top = bottom
  }
  # The legend, in a strip below the panels.
  unset label 1
  unset title
  unset xlabel
  unset xtics
  unset ytics
  unset grid
  unset border
  unset offsets
  set lmargin at screen 0.05
  set rmargin at screen 0.98
  set tmargin at screen (legend_height - 4) / height
  set bmargin at screen 0.001
  set xrange [0:1]
  set yrange [0:1]
  set key center center horizontal maxrows 1 samplen 2.2 font letters
  plot 2 with lines notitle, keyentry with boxes linecolor rgb colour_low title "low end of the key's range", \
    keyentry with boxes linecolor rgb colour_high title "high end"
  unset multiplot
  unset output
}
