#!/bin/sh
# Formulas of linear time of the Model Checking Contest with known answers, in $CORPUS/ltl: corpus.sh for these alone, by
# default for nets of up to 1,900 states (FLOE_STATES), 10 s (FLOE_SECONDS) for the 16 formulas of an examination; with
# FLOE_TEST_LONG=1 for all nets, 120 s.
if [ "${FLOE_TEST_LONG:-0}" = 0 ]; then
  FLOE_STATES=${FLOE_STATES:-1900}
  export FLOE_STATES
fi
FLOE_EXAMINATIONS='LTLCardinality LTLFireability'
export FLOE_EXAMINATIONS
exec sh "${top_srcdir:-.}/tests/pnml/corpus.sh"
