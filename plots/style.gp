# Shared by all figures. A script calls `load "style.gp"` (its folder in GNUPLOT_LIB) and, for each format of `formats`,
# `eval open_figure(FOLDER, NAME, FORMAT, WIDTH, HEIGHT)` before it plots. WIDTH and HEIGHT are in points; a width of 500 is
# one column of a paper. `file_in(FOLDER, NAME)` gives the path of a table.
formats = "png svg"
# The path of a file. A folder that a user named "<..." or "|..." gets "./" before it, since gnuplot would run it as a command.
file_in(folder, name) = (folder[1:1] eq "/" ? "" : "./").folder."/".name
# The file's name goes into a variable, since gnuplot would run text in backticks within the text for `eval`.
open_figure(folder, name, format, width, height) = (figure_file = file_in(folder, name.".".format), format eq "png" \
  ? sprintf("set terminal pngcairo size %d,%d fontscale 1.75 linewidth 1.7 font 'DejaVu Sans,12' background rgb 'white'; set output figure_file", \
            2 * width, 2 * height) \
  : sprintf("set terminal svg size %d,%d linewidth 0.9 font 'DejaVu Sans,10.5' background rgb 'white'; set output figure_file", \
            width, height))

set datafile separator comma
set datafile columnheaders

set border 3 linewidth 1 linecolor rgb "#444444"
set tics nomirror out scale 0.6 textcolor rgb "#222222"
set grid ytics linewidth 0.8 linecolor rgb "#dddddd" linetype 1
set key reverse Left samplen 1.6 spacing 1.1

# Colours that are distinct in print and for colour-blind readers (Okabe and Ito), by meaning.
colour_read = "#0072b2"
colour_write = "#d55e00"
colour_trim = "#009e73"
colour_flush = "#9a6a94"
colour_erase = "#333333"
colour_gc = "#cc79a7"
colour_power = "#8a6d00"
colour_transfer = "#56b4e9"
colour_command = "#999999"
colour_idle = "#eeeeee"
colour_of(operation) = operation eq "read" ? colour_read : operation eq "write" ? colour_write : \
                       operation eq "trim" ? colour_trim : colour_flush

# Colours of series by number, and of the parts of the latency in the order of latency_parts. plots/page/style.css has the same
# 20 colours for pages.
array palette[20] = ["#f0a030", "#56b4e9", "#0072b2", "#d55e00", "#009e73", "#9a6a94", "#333333", "#cc79a7", "#8a7a00", \
  "#8c8c8c", "#7a1f1f", "#c9b400", "#5b4bc4", "#7fb800", "#b08050", "#00a5a5", "#b7c9e2", "#f2a9a0", "#4f7f5f", "#a3195b"]
latency_parts = "backlog host interface link cpu dram map buffer power die_wait bus_wait bus array disk_wait disk tier controller"
