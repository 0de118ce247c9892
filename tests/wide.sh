#!/bin/sh
# States of several words, stored as roots of trees: models whose fields need more than 64 bits. With the
# interpreter: expected results of those that have index keys, which tests/models.sh therefore does not explore by
# fields (it does those whose index keys also need too many bits). With compiled code: the certificate of the interpreter,
# with one thread and with two (FLOE_TEST_ALL: more models). A search without a tree is a failure, because it tests nothing.
# Also a tree without memory to grow, so that successors have no roots: the checkpoint contains them nevertheless.
set -u
floe=${FLOE:-./floe}
models=${top_srcdir:-.}/models
passed=0
failed=0

judge() { # $1: what, $2: 0 if it is right, $3: output
  if [ "$2" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: failed\n%s\n' "$1" "$3"
  fi
}

by_interpreter() { # $1: model
  output=$("$floe" check --expect --engine=interpreter --encoding=fields --max-states="$states" "$models/$1.xml" 2>&1)
  judge "$1 --expect" $? "$output"
}

# Prints the certificate and the number of tree nodes.
summary() { # options and a model
  "$floe" count --json "$@" 2>&1 | awk -F '"' '
    $2 == "certificate" { certificate = $4 }
    $2 == "tree_contents" { contents = $3; gsub(/[^0-9]/, "", contents) }
    END { print certificate, contents + 0 }'
}

by_code() { # $1: model, rest: constants
  model=$models/$1.xml
  what=$*
  shift
  ranks=$(summary --engine=interpreter "$@" "$model")
  for threads in 1 2; do
    tree=$(summary --engine=cpu --encoding=fields --threads=$threads "$@" "$model")
    [ -n "${ranks% *}" ] && [ "${ranks% *}" = "${tree% *}" ] && [ "${tree##* }" -gt 0 ]
    judge "$what, $threads threads" $? "interpreter: $ranks
code: $tree"
  done
}

by_checkpoint() { # $1: memory, $2: model, rest: constants
  memory=$1 model=$models/$2.xml
  shift 2
  whole=$(summary --encoding=fields --engine=cpu "$@" "$model")
  kept=$(mktemp) && rm -f "$kept"
  end=$("$floe" count --json --encoding=fields --engine=cpu --threads=1 --memory="$memory" --checkpoint="$kept" "$@" "$model" 2>&1 |
    grep -o '"end": "[a-z]*"')
  resumed=$(summary_of_resume "$kept")
  [ "$end" = '"end": "memory"' ] && [ -n "${whole% *}" ] && [ "${whole% *}" = "$resumed" ]
  judge "$model, $memory" $? "$end; whole: $whole
resumed: $resumed"
  rm -f "$kept"
}

summary_of_resume() { "$floe" resume --json --threads=1 --memory=512M "$1" 2>&1 | awk -F '"' '$2 == "certificate" { print $4 }'; }

states=${FLOE_TEST_QUICK:+3000}
states=${states:-25100}
for model in havi packetring paxos raft; do
  by_interpreter $model
done
by_code havi -DN=4 -DRESETS=1
by_code packetring -DCAP=16
by_code timestamps -DN=3
by_code journal -DBLOCKS=32 -DMAX=65535
for memory in 1300K 2000K; do
  by_checkpoint $memory journal -DBLOCKS=32 -DMAX=65535
done
# roots outgrow the requested slots: the search continues with wider ones, and reports it
output=$("$floe" count --json --encoding=fields --engine=cpu --table=linear --slot-bits=32 --max-states=1200000 -DN=4 -DCAP=3 \
  "$models/raft.xml" 2>&1)
printf '%s\n' "$output" | grep -q 'the table has slots of 64 bits, not of 32' &&
  printf '%s\n' "$output" | grep -q '"end": "states"'
judge 'slots of 32 bits' $? "$output"
[ -z "${FLOE_TEST_ALL:-}" ] || {
  by_code paxos -DA=2 -DCAP=1
  by_code raft -DN=5 -DTERMS=1 -DCANDIDATES=1
  by_code packetring -DN=4 -DNEAR=3 -DCAP=16
  by_code philosophers -DN=40 -DLEFT=0 -DSEATS=2
  by_code timestamps -DN=4
  by_code raymond -DN=15 -DACTIVE=1
}
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
