/* Limit of an operation without stop conditions that makes its results in arenas, as the check of a model. */
#ifndef FLOE_CORE_ARENA_LIMIT_H
#define FLOE_CORE_ARENA_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

struct arena_limit {
  bool (*stop)(void *user); /* called often; true: the body must end */
  void *user;
  size_t bytes; /* most memory that arenas take while the body runs */
  size_t taken;
  bool stopped, full; /* set if the limit was reached, by `stop` or by `bytes` */
};

/* Runs the body. When the limit is reached, arenas of this thread get no more memory: their guards fail. The body has
   these guards inside. Not nested. */
void arena_limited(struct arena_limit *limit, void (*body)(void *data), void *data);

#endif
