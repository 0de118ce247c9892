/* Random models that use the whole language: constants, arrays, parameters, locals, select, all kinds of channels,
   committed locations, properties, and effects that fail. Most have few states and at most 64 bits. */
#ifndef FLOE_TESTS_STEP_RANDOM_MODEL_H
#define FLOE_TESTS_STEP_RANDOM_MODEL_H

#include <stdint.h>
#include <stdio.h>

enum random_size {
  RANDOM_SMALL,  /* errors occur early: most have fewer than 10 states */
  RANDOM_WIDE,   /* states of several words */
  RANDOM_LIVELY, /* errors are rare: up to some 1,000,000 states */
  RANDOM_BROAD   /* the same with states of several words: 65 to 700 bits and more */
};

/* Writes model number `seed` as XML. The same seed gives the same text. */
void random_model(uint64_t seed, enum random_size size, FILE *out);

#endif
