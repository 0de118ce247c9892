/* Paths of the page: states and the steps between them. */
#ifndef FLOE_CMD_EXPLORE_EXPLORE_PATHS_H
#define FLOE_CMD_EXPLORE_EXPLORE_PATHS_H

#include "cmd/explore/explorer.h"

/* A path of one state; NULL: no memory. */
json_t *path_begin(const floe_state *first);
/* Adds step i of the expansion, which is of the last state. False: no memory. */
bool path_add(json_t *path, floe_expansion *expansion, size_t i);
/* Adds the step of that action from a state to another; `to` NULL: a failing step. False: *error. */
bool path_follow(const struct explorer *explorer, json_t *path, const floe_state *from, const char *action,
                 const floe_state *to, struct explore_error *error);
/* Expressions of an array of texts into out[json_array_size(texts)]; *count of them exist also after a failure. */
bool explore_expressions(const floe_model *model, const json_t *texts, floe_expression **out, size_t *count,
                         struct explore_error *error);

/* The value is not 0, as in a guard; false if the evaluation fails. */
bool expression_holds(floe_expansion *expansion, const floe_expression *expression);

/* Before requests: the page begins with the first trace of the file. */
bool explorer_load_trace(struct explorer *explorer, const char *file, struct explore_error *error);

#endif
