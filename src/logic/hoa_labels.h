/* Tokens and labels of the HOA format, for hoa_read. */
#ifndef FLOE_LOGIC_HOA_LABELS_H
#define FLOE_LOGIC_HOA_LABELS_H

#include "core/diag.h"
#include "logic/automaton.h"

enum hoa_kind {
  HOA_HEADER, /* "States:" */
  HOA_NUMBER,
  HOA_STRING, /* without quotes */
  HOA_ALIAS,  /* "@name" */
  HOA_WORD,   /* a name, --BODY-- or a symbol */
  HOA_END_OF_FILE
};

struct hoa_reader {
  const struct source *source;
  struct arena *arena;
  floe_log *log;
  size_t at; /* behind the token */
  enum hoa_kind kind;
  const char *token;
  source_at token_at;
  bool failed; /* an error was logged: no further one is, and the reader stays at the end */
};

struct hoa_alias {
  const char *name;
  const struct cube *cubes;
  size_t cube_count;
};

struct hoa_labels {
  uint32_t atom_count;
  struct hoa_alias *aliases;
  size_t alias_count, alias_cap;
};

void hoa_reader_open(struct hoa_reader *r, const struct source *source, struct arena *arena, floe_log *log);
void hoa_next(struct hoa_reader *r);
void hoa_error(struct hoa_reader *r, const char *hint, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool hoa_is(const struct hoa_reader *r, const char *token); /* a header item or word; false after an error */
bool hoa_take(struct hoa_reader *r, const char *token);     /* the same, and continues behind it */
void hoa_expect(struct hoa_reader *r, const char *token, const char *hint);
uint32_t hoa_number(struct hoa_reader *r, uint32_t most);
const char *hoa_string(struct hoa_reader *r);

/* Reads "[label]"; no cube: no valuation. */
const struct cube *hoa_read_label(struct hoa_reader *r, struct hoa_labels *labels, size_t *count);
void hoa_read_alias(struct hoa_reader *r, struct hoa_labels *labels);

#endif
