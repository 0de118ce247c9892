#!/bin/sh
# The table of doc/scaling.md: limits of a search on 8, 64 and 1,024 GPUs, from measured rates and from assumptions,
# which that page separates. predict.sh [NAME=VALUE ...]: other assumptions, for instance injection=45 messages=5e6
set -eu
awk '
function least(a, b) { return a < b ? a : b }
function known(name, value) { return name in given ? given[name] : value }
function show(x) { return x < 9.995 ? sprintf("%.2f", x) : sprintf("%.0f", x) }
function rate_of(states, gpus, rate, levels, barrier) { return states / (states / (gpus * rate) + levels * barrier) }
BEGIN {
  for (i = 1; i < ARGC; i++) { split(ARGV[i], pair, "="); given[pair[1]] = pair[2] }
  looked = known("looked", 24.8)       # G keys/s sent and looked up by a GPU of four; measured
  direct = known("direct", 31.6)       # G keys/s looked up by a single GPU; measured
  link = known("link", 355)            # GB/s out of a GPU to the others of its host; measured on four
  memory = known("memory", 135)        # GB of a GPU for table and queue
  injection = known("injection", 50)   # GB/s of a GPU into the network
  messages = known("messages", 1e7)    # messages/s that the process of a GPU sends
  host = known("host", 8)              # GPUs in a host
  # name, G states/s on one, transitions a state, levels, bytes a state in table and queue
  n = split("counters 4.55 8 89 4.7;peterson 2.33 4.67 85 9.7;bakery 5.16 4.28 122 10;slidingwindow 3.38 4.61 91 10", models, ";")
  print "| model | GPUs | expands | looks up | NVLink, 8 B | network, 8 B | network, 5 B | binds | all, G states/s | with 5 B | 10^10 states | 10^10 a GPU | a tenth lost at | most states |"
  print "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
  for (i = 1; i <= n; i++)
    for (gpus = 8; gpus <= 1024; gpus = gpus == 8 ? 64 : gpus * 16) {
      split(models[i], m, " ")
      expands = 1 / (1 / m[2] + m[3] * (1 / looked - 1 / direct))
      looks = looked / m[3]
      inside = least(host, gpus)
      nvlink = link / (8 * m[3] * (inside - 1) / gpus)
      away = m[3] * (1 - inside / gpus)
      barrier = gpus <= host ? 11e-6 : 11e-6 + 2.5e-6 * log(gpus / host) / log(2) + 2 * (gpus - host) / messages
      alone = least(expands, looks)
      binds = expands < looks ? "expanding" : "looking up"
      wide = away ? injection / (8 * away) : 0
      narrow = away ? injection / (5 * away) : 0
      rate = alone; rate5 = alone
      if (nvlink < rate) { rate = nvlink; binds = "NVLink" }
      if (away && wide < rate) { rate = wide; binds = "network" }
      if (away) rate5 = least(alone, narrow)
      printf "| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %.1e | %.1e |\n", m[1], gpus, show(expands), show(looks), show(nvlink),
        away ? show(wide) : "–", away ? show(narrow) : "–", binds, show(rate * gpus), show(rate5 * gpus),
        show(rate_of(1e10, gpus, rate * 1e9, m[4], barrier) / 1e9),
        show(rate_of(1e10 * gpus, gpus, rate * 1e9, m[4], barrier) / 1e9),
        9 * m[4] * barrier * gpus * rate * 1e9, gpus * memory * 1e9 / m[5]
      if (!told[gpus]) { told[gpus] = 1; levels = levels sprintf(" %d GPUs: %.0f us.", gpus, barrier * 1e6) }
    }
  print "\nThe end of a level:" levels
}
' "$@"
