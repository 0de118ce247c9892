# Common functions of the scripts that measure searches; they source it.

# Median of the numbers on standard input, a line each
median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# A number or string of a result as JSON  $1: its name  $2: the file
figure() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$2" | head -n 1; }

# A number of the note of FLOE_GPU_TEST=tell=1  $1: its name  $2: the file
gpu_figure() { sed -n "s/.*GPU: .*$1=\([0-9.]*\).*/\1/p" "$2" | head -n 1; }

# Real models for a GPU: guards that are mostly false; more than 100 million states
gpu_models() {
  cat <<END
tiles -DW=4 -DH=3
peterson -DN=8
lamport -DN=6
philosophers -DN=21
anderson -DN=8 -DKEEP=1
bakery -DN=5 -DMAX=5 -DBROKEN=1
havi -DN=2 -DRESETS=25
havi -DN=2 -DRESETS=15
havi -DRESETS=4
slidingwindow -DW=5 -DCAP=6
END
}

# Options and model, a line each: more than 10^9 states, and two of many small levels  $1: the folder of models
large_models() {
  cat <<END
-DN=8 -DK=14 --expected-states=1475789056 $1/counters.xml
-DN=8 --expected-states=1031519488 $1/peterson.xml
-DN=8 -DKEEP=1 --expected-states=1394716153 $1/anderson.xml
-DN=7 --max-states=2500000000 --expected-states=3500000000 $1/lamport.xml
-DN=5 -DMAX=6 -DBROKEN=1 --max-states=2000000000 --expected-states=2500000000 $1/bakery.xml
-DW=6 -DCAP=6 --max-states=2000000000 --expected-states=2500000000 $1/slidingwindow.xml
-DD=1024 $1/altbit.xml
-DN=15 $1/hanoi.xml
END
}
