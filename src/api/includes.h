/* Files that a model includes: finds and reads them, and keeps to the rules for what may be included. */
#ifndef FLOE_API_INCLUDES_H
#define FLOE_API_INCLUDES_H

#include "core/arena.h"
#include "core/diag.h"
#include "model/language.h"

/* Far more than any model has, far less than source_at can represent. For all files together. */
#define LARGEST_MODEL ((size_t)64 << 20)
#define MOST_INCLUDES 256
#define DEEPEST_INCLUDE 16

struct include_rules {
  const char *folder; /* paths in the model's own text are relative to it */
  const char *root;   /* included files are in it or below; NULL: nothing is included, for the reason `refusal` */
  const char *refusal;
  const char *hint; /* may be NULL */
};

struct included;

/* Valid during the parsing of one model. */
struct includes {
  struct includer includer;
  struct include_rules rules;
  struct source *first, *last;     /* the model's own file; the newest file */
  const struct source *properties; /* to be given to the language; NULL: none */
  const struct source *given;      /* texts to take instead of reading files, in the order of inclusion; NULL: read */
  struct arena *arena;
  floe_log *log;
  const char *root;       /* canonical path; NULL: not yet looked up */
  struct included *files; /* [count] of the list, in its order */
  size_t count, room;
};

/* `first` has no next one. All memory comes from `arena`, whose guard must be active. */
void includes_init(struct includes *includes, const struct include_rules *rules, struct source *first,
                   struct arena *arena, floe_log *log);
/* A source alone, without base. */
struct source source_copy(const struct source *source, struct arena *arena);
/* The folder of a file, as long as its path says: "models" for "models/a.xml", "." for "a.xml". */
const char *include_folder(const char *path, struct arena *arena);

#endif
