# Shared by power.gp and power_trace.gp: draws power stacked by kind of component, whose sum is the power of the device,
# and below it the current at the supply. The loading script sets `table` (columns time_s, power_w, current_a, and KIND_w
# for each of `kinds`), `folder` and `figure` (place and name), `unit` (of the time axis) and `units` (how many of it make a
# second).
array names[words(kinds)]
do for [i = 1:words(kinds)] { names[i] = word(kinds, i) }
colour_of_kind(kind) = kind eq "nand" ? colour_write : kind eq "channel" ? colour_transfer : kind eq "cpu" ? colour_read : \
  kind eq "dram" || kind eq "sram" ? colour_trim : kind eq "nvram" ? "#7fb800" : kind eq "link" ? "#f0a030" : kind eq "ecc" ? colour_gc : \
  kind eq "hdd" ? "#8c8c8c" : kind eq "power_state" ? "#5b4bc4" : \
  kind eq "regulator" ? colour_flush : "#b08050"
title_of(kind) = kind eq "nand" ? "NAND" : kind eq "channel" ? "channels" : kind eq "cpu" ? "CPU" : kind eq "dram" ? "DRAM" : \
  kind eq "sram" ? "SRAM" : kind eq "nvram" ? "NVRAM" : kind eq "link" ? "host link" : kind eq "ecc" ? "ECC" : \
  kind eq "hdd" ? "hard disk" : kind eq "power_state" ? "power state" : kind
set style fill solid 1 noborder
set xrange [*:*] noextend
do for [format in formats] {
  eval open_figure(folder, figure, format, 500, 430)
  set multiplot layout 2,1 margins 0.17,0.94,0.12,0.87 spacing 0.09
  set format x ""
  unset xlabel
  set yrange [0:*]
  set ylabel "power (W)"
  set key at screen 0.97,0.985 right top horizontal maxrows 2 samplen 1
  plot for [i = words(kinds):1:-1] table using (column("time_s") * units):(sum [k = 1:i] column(names[k]."_w")) \
    with fillsteps linecolor rgb colour_of_kind(names[i]) title title_of(names[i])
  set format x "%g"
  set xlabel "simulated time (".unit.")" offset 0,0.3
  set ylabel "current (A)"
  unset key
  plot table using (column("time_s") * units):"current_a" with steps linewidth 1.1 linecolor rgb colour_power notitle
  unset multiplot
  unset output
}
