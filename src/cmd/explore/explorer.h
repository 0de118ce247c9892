/* What the requests of the page of `floe explore` have in common: the model, states, errors. */
#ifndef FLOE_CMD_EXPLORE_EXPLORER_H
#define FLOE_CMD_EXPLORE_EXPLORER_H

#include "floe.h"

#include <jansson.h>

struct explorer;
struct explore_search;

/* Reason of a request's failure, for people. */
struct explore_error {
  char text[600], hint[300];
};

/* `model` is checked; several threads use it and the explorer. `search` belongs to the caller. NULL: no memory. */
struct explorer *explorer_create(const floe_model *model, struct explore_search *search);
void explorer_free(struct explorer *explorer);
/* Before requests: the page begins with this path. Takes ownership. */
void explorer_set_trace(struct explorer *explorer, json_t *path);

const floe_model *explorer_model(const struct explorer *explorer);
const json_t *explorer_trace(const struct explorer *explorer); /* a path; NULL: none */
struct explore_search *explorer_search(struct explorer *explorer);

/* ---- common parts --------------------------------------------------------------------------------- */

void explore_fail(struct explore_error *error, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The first message of the log, or the name of the status. */
void explore_fail_status(struct explore_error *error, const floe_log *log, floe_status status);

/* Expands the state of the text in the member `name` of the request; the initial state, if there is no such member and
   `may_miss`. NULL: *error has the reason. */
floe_expansion *explore_expand_named(const struct explorer *explorer, const json_t *request, const char *name,
                                     bool may_miss, struct explore_error *error);
floe_expansion *explore_expand(const struct explorer *explorer, const floe_state *state, struct explore_error *error);

/* Errors as floe_expression_create; FLOE_ERROR_UNSUPPORTED, not logged: the text has more than 4,096 bytes, which could
   take much memory. */
floe_status explore_expression(const floe_model *model, const char *text, floe_log *log, floe_expression **out);

json_t *explore_state_id(const floe_state *state);
json_t *explore_values(floe_expansion *expansion);
/* Step i of the expansion: as in trace files, with "index" and, as in floe_expansion_write_json, "successor". */
json_t *explore_step(floe_expansion *expansion, size_t i);

#endif
