# Figures of floe bench --plot: draws NAME.svg and NAME.png from NAME.dat, which has a row for each measurement.
# Needs gnuplot 5.2. floe writes the settings before this text: name, machine, value_name, x, panel (names of axes) and
# rows. A table is a column of panels, a band a row of panels: rows that differ only in x and in their line. If all rows
# have the same x, bars replace lines, and groups of bars replace bands.
if (!exists('suffix')) suffix = ''

# ---- the data
names = 'before after positive part zipf slots key_bits'
array titles[7] = ['fill factor before', 'fill factor', 'part of the keys present', 'part of the data', \
  "Zipf's exponent", 'slots', 'key width']
array short[7] = ['before', 'after', 'present', 'part', 'Zipf', 'slots', 'key bits']
array table[rows]; array operation[rows]; array slot_bits[rows]; array second[rows]; array bucket[rows]
array host[rows]; array left[rows]; array value[rows]; array spread[rows]; array axes[7 * rows]
i = 0
set datafile separator comma
stats name.'.dat' skip 1 using (i = i + 1, table[i] = strcol(1), operation[i] = strcol(2), slot_bits[i] = strcol(3), \
  second[i] = strcol(4), bucket[i] = strcol(5), host[i] = strcol(6) + 0, left[i] = strcol(7) + 0, \
  value[i] = strcol(8), spread[i] = strcol(9).' '.strcol(10).' '.strcol(11), axes[7 * i - 6] = strcol(12), \
  axes[7 * i - 5] = strcol(13), axes[7 * i - 4] = strcol(14), axes[7 * i - 3] = strcol(15), \
  axes[7 * i - 2] = strcol(16), axes[7 * i - 1] = strcol(17), axes[7 * i] = strcol(18), 0) nooutput
set datafile separator
at(i, a) = axes[7 * i - 7 + a] # '-': the axis separates no bands
measured(i) = value[i] ne 'nan'
n = 0
do for [i = 1:rows] {
  if (measured(i)) {
    n = n + 1
    x_low = n == 1 || left[i] < x_low ? left[i] : x_low
    x_high = n == 1 || left[i] > x_high ? left[i] : x_high
    y_low = n == 1 || value[i] + 0 < y_low ? value[i] + 0 : y_low
    y_high = n == 1 || value[i] + 0 > y_high ? value[i] + 0 : y_high
  }
}
bars = x_low == x_high

# ---- which rows belong together
array band[rows]; array colour[rows]; array line[rows]
do for [i = 1:rows] {
  band[i] = operation[i].(bars ? '' : ' '.host[i])
  do for [a = 1:7] { band[i] = band[i].' '.at(i, a) }
  colour[i] = slot_bits[i].' '.second[i].' '.(!bars && x eq 'bucket_slots' ? '' : bucket[i])
  line[i] = table[i].' '.colour[i].' '.(bars ? ''.host[i] : band[i])
}
# Numbers the different values of an array K from 1: K_of[row], K_first[number], K_count
do for [k in 'table band colour line'] {
  eval sprintf('array %s_of[rows]; array %s_first[rows]; n = 0; do for [i = 1:rows] {'. \
    '%s_of[i] = sum [j = 1:n] (%s[%s_first[j]] eq %s[i] ? j : 0);', k, k, k, k, k, k). \
    sprintf('if (%s_of[i] == 0) { n = n + 1; %s_of[i] = n; %s_first[n] = i } }; %s_count = n', k, k, k, k)
}
drawn(l) = sum [j = 1:rows] (line_of[j] == l && measured(j))
differs(i, a) = sum [j = 1:rows] (operation[j] eq operation[i] && at(j, a) ne at(i, a))
named(i, a) = at(i, a) ne '-' && (word(names, a) eq panel || differs(i, a) > 0)

# ---- a block for each line: x, value, least, most, part of the ceiling; the least x first
if (bars) { do for [i = 1:rows] { left[i] = band_of[i] - 1 } }
array next[rows]; array head[line_count]
do for [i = 1:rows] {
  l = line_of[i]
  next[i] = 0
  if (line_first[l] == i) {
    head[l] = i
  } else {
    p = 0
    q = head[l]
    while (q > 0 && left[q > 0 ? q : 1] < left[i]) { p = q; q = next[q] }
    if (q == 0 || left[q > 0 ? q : 1] > left[i]) {
      next[i] = q
      if (p > 0) { next[p] = i } else { head[l] = i }
    }
  }
}
set print $points
do for [l = 1:line_count] {
  q = head[l]
  while (q > 0) {
    print sprintf('%g %s %s', left[q], value[q], spread[q])
    q = next[q]
  }
  print ''
  print ''
}
set print

# ---- settings common to all panels, so that they can be compared
set ylabel value_name
set grid lc rgb '#dddddd' lt 1
set key below samplen 3 maxrows 3
set datafile missing 'nan'
set yrange [0:*]
if (bars) {
  tics = ''
  most = 1
  do for [b = 1:band_count] {
    i = band_first[b]
    label = operation[i]
    n = 1
    do for [a = 1:7] { if (named(i, a)) { label = label.'\n'.short[a].' '.at(i, a); n = n + 1 } }
    tics = tics.(b > 1 ? ', ' : '').sprintf('"%s" %d', label, b - 1)
    most = n > most ? n : most
  }
  eval 'set xtics noenhanced ('.tics.')'
  set xrange [-0.6:band_count - 0.4]
  set bmargin most + 1
  set key above
  # small values would be invisible on a linear axis
  if (y_high > 30 * y_low) { set logscale y; set yrange [y_low / 3:*] }
} else {
  if (x eq 'slots') {
    set logscale x 2
    set xrange [x_low / 1.2:x_high * 1.2]
  } else {
    set xrange [x_low - (x_high - x_low) / 25:x_high + (x_high - x_low) / 25]
  }
  label = 'slots of a bucket'
  do for [a = 1:7] { if (word(names, a) eq x) { label = titles[a] } }
  set xlabel label
}

# ---- panels: colour by bucket size, solid lines for slots of 64 bits, dashed for 32, dotted for 16
colour_at(s) = s == 8 ? '#1f77b4' : s == 12 || s == 16 ? '#d95f02' : s == 24 || s == 32 ? '#2a9d4a' : '#555555'
dash_at(b) = b == 16 ? 3 : b == 21 ? 4 : b == 32 ? 2 : b == 128 ? 5 : 1
bar_colours = '#1f77b4 #d95f02 #2a9d4a #7b4fa3 #c23b4e #8a6d3b #17a2b8 #b8860b #555555'
line_title(i) = slot_bits[i].' bits'.(bars || x ne 'bucket_slots' ? ', '.bucket[i].' a bucket' : ''). \
  (bars && host[i] ? ', host memory' : '')
line_style(i) = sprintf("using 1:2 with linespoints lw 2 pt 7 ps 0.5 lc rgb '%s' dt %d", colour_at(bucket[i] + 0), \
  dash_at(slot_bits[i] + 0))
bar_style(i, offset) = sprintf("using ($1%+g):2 with boxes lc rgb '%s' fs %s", offset, \
  word(bar_colours, (colour_of[i] - 1) % 9 + 1), host[i] ? 'pattern 2' : 'solid 0.8')
bands = bars ? 1 : band_count
array command[bands * table_count]; array title_of[bands * table_count]; array kinds[bands * table_count]
do for [p = 1:bands * table_count] {
  t = (p - 1) % table_count + 1
  b = (p - 1) / table_count + 1
  command[p] = ''
  kinds[p] = sum [l = 1:line_count] (table_of[line_first[l]] == t && drawn(l) > 0)
  kind = 0
  do for [l = 1:line_count] {
    i = line_first[l]
    if (table_of[i] == t && (bars || band_of[i] == b) && drawn(l) > 0) {
      if (kind == 0) {
        title_of[p] = table[i].(bars ? '' : ': '.operation[i])
        do for [a = 1:7] { if (!bars && named(i, a)) { title_of[p] = title_of[p].', '.titles[a].' '.at(i, a) } }
        if (!bars && host[i]) { title_of[p] = title_of[p].', host memory' }
      }
      style = bars ? bar_style(i, 0.84 / kinds[p] * (kind - (kinds[p] - 1) / 2.0)) : line_style(i)
      command[p] = command[p].(kind == 0 ? 'plot ' : ', ')."$points index ".(l - 1)." ".style." title '".line_title(i)."'"
      kind = kind + 1
    }
  }
}

# ---- the pictures: tables are side by side, bands below each other; for one table the bands are side by side
columns = bars || table_count > 1 ? table_count : band_count <= 3 ? band_count : band_count == 4 ? 2 : 3
lines = bars ? 1 : table_count > 1 ? band_count : (band_count + columns - 1) / columns
width = 600
if (bars) {
  width = 28 * (band_count * line_count / table_count)
  width = width < 600 ? 600 : width > 1600 ? 1600 : width
}
do for [suffix_of in 'svg png'] {
  if (suffix_of eq 'svg') {
    set terminal svg background rgb 'white' size width * columns, 40 + 440 * lines
  } else {
    set terminal pngcairo size width * columns, 40 + 440 * lines
  }
  set output name.'.'.suffix_of.suffix
  set multiplot layout lines, columns title name.', '.machine noenhanced
  do for [p = 1:bands * table_count] {
    if (command[p] eq '') {
      set multiplot next
    } else {
      if (bars) { set boxwidth 0.92 * 0.84 / kinds[p] absolute }
      set title title_of[p] noenhanced
      eval command[p]
    }
  }
  unset multiplot
  unset output
}
