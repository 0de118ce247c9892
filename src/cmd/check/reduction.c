#include "cmd/check/reduction.h"

#include "cmd/command.h"
#include "cmd/console/message.h"

#include <stdlib.h>
#include <string.h>

/* --reduce=auto */
static bool reduces_net(const struct options *options) {
  return options->reduce && strcmp(options->reduce, "auto") == 0;
}

/* FLOE_SIMPLIFY_MERGE, FLOE_SIMPLIFY_DEAD; 0: neither is asked for. */
static unsigned passes(const struct options *options) {
  unsigned all = 0;
  if (options->reduce && strstr(options->reduce, "merge"))
    all |= FLOE_SIMPLIFY_MERGE;
  if (options->reduce && strstr(options->reduce, "dead"))
    all |= FLOE_SIMPLIFY_DEAD;
  return all;
}

static bool turns_deadlocks_off(const struct options *options) {
  return GIVEN(options, deadlock) && FLOE_DEADLOCKS_OFF + options->deadlock == FLOE_DEADLOCKS_OFF;
}

/* It needs the steps of the model as read, or checks several models; NULL: none. */
static const char *excluded_from_all(const struct options *options) {
  return options->expect            ? "expect"
         : options->sweep.n         ? "sweep"
         : options->dump_code.given ? "dump-code"
         : options->checkpoint      ? "checkpoint"
         : options->visited_order   ? "visited-order"
         : options->explain_unfired ? "why-never"
                                    : NULL;
}

/* Resets of dead locals keep fairness. */
static bool changes_fairness(const struct options *options) {
  return options->fair && (reduces_net(options) || passes(options) & FLOE_SIMPLIFY_MERGE);
}

static const char *excluded_option(const struct options *options) {
  const char *other = changes_fairness(options) ? "fair" : excluded_from_all(options);
  return other || !reduces_net(options)                              ? other
         : options->finite == 1                                      ? "finite=ignore"
         : GIVEN(options, deadlock) && !turns_deadlocks_off(options) ? "deadlock=stuck or --deadlock=stuttering"
                                                                     : NULL;
}

bool check_reduction_options(const struct options *options) {
  const char *other = reduces_net(options) || passes(options) ? excluded_option(options) : NULL;
  if (other)
    print_error(strcmp(other, "fair") == 0 && passes(options) ? "use --reduce=dead" : "omit one of them",
                "--reduce=%s cannot be combined with --%s", options->reduce, other);
  return !other;
}

/* Ids of the properties that are checked; the caller frees the list. NULL: all, or no memory, which reduces less. */
static const char **properties_without_deadlock(const floe_model *model, size_t *count) {
  const char **ids = calloc(floe_model_properties(model) + 1, sizeof *ids);
  *count = 0;
  for (size_t i = 0; ids && i < floe_model_properties(model); i++) {
    const floe_property property = floe_model_property(model, i);
    if (property.kind != FLOE_DEADLOCK && property.kind != FLOE_ERRORS)
      ids[(*count)++] = property.id;
  }
  return ids;
}

static floe_status reduce_for(struct session *session, const struct options *options, const char *const *ids,
                              size_t count) {
  const unsigned simplify = passes(options);
  return simplify ? floe_model_simplify(session->model, simplify, ids, count, session->log)
                  : floe_model_reduce(session->model, ids, count, session->log);
}

static floe_status reduce(struct session *session, const struct options *options) {
  size_t count = options->property.n;
  if (count > 0)
    return reduce_for(session, options, options->property.items, count);
  if (!turns_deadlocks_off(options))
    return reduce_for(session, options, NULL, 0);
  const char **ids = properties_without_deadlock(session->model, &count);
  const floe_status status = reduce_for(session, options, ids, count);
  free(ids);
  return status;
}

/* An id that the model has not is reported by the search. */
static bool asks_for_errors(const struct options *options) {
  for (size_t i = 0; i < options->property.n; i++)
    if (strcmp(options->property.items[i], "errors") == 0)
      return true;
  return false;
}

int reduce_for_check(struct session *session, const struct options *options) {
  if (!reduces_net(options) && !passes(options))
    return EXIT_SATISFIED;
  if (reduces_net(options) && asks_for_errors(options)) {
    print_error("omit --reduce=auto",
                "the property 'errors' is about all firings, which a reduced model does not have");
    return EXIT_USAGE;
  }
  const floe_status status = reduce(session, options);
  if (status == FLOE_ERROR_UNSUPPORTED) {
    print_error("use --reduce=merge,dead", "--reduce=auto: only Petri nets can be reduced");
    return EXIT_USAGE;
  }
  if (status != FLOE_OK)
    return print_failure(status, session->log);
  suppress_model_warnings(); /* those of the model as read have been printed */
  return session_check(session);
}
