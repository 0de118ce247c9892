/* Answers to requests of the page: new objects; NULL: *error has the reason, or, without a text, no memory. */
#ifndef FLOE_CMD_EXPLORE_ANSWERS_H
#define FLOE_CMD_EXPLORE_ANSWERS_H

#include "cmd/explore/explorer.h"

typedef json_t *explore_answer(struct explorer *explorer, const json_t *request, struct explore_error *error);
explore_answer answer_model, answer_state, answer_blocked;                     /* explore_states.c */
explore_answer answer_replay, answer_trace, answer_random;                     /* explore_paths.c */
explore_answer answer_graph;                                                   /* explore_graph.c */
explore_answer answer_search_start, answer_search_state, answer_search_cancel; /* explore_search.c */

#endif
