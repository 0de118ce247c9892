/* Random Petri nets, by their front end to a layout. */
#ifndef FLOE_TESTS_STEP_RANDOM_NET_H
#define FLOE_TESTS_STEP_RANDOM_NET_H

#include "tests/step/loaded.h"

/* Places and transitions with weights, test, inhibitor and reset arcs. Of each four nets one has places of one token,
   one of 255, and two of three; most bounds are guessed, so some firings fail. The sizes vary with the seed up to
   states of several words and 200 transitions. Free it with loaded_free. */
void random_net(struct loaded *loaded, uint64_t seed);

/* Its file, to be freed, and the largest number of tokens that it has as `tokens` there. */
char *random_net_text(uint64_t seed, size_t *length, const char **tokens);

/* The net of a file, with at most `tokens` in places without a bound. */
void net_from_text(struct loaded *loaded, const char *text, size_t length, const char *tokens);

#endif
