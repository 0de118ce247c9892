#include "model/temporal/fairness.h"

#include "core/arena.h"
#include "model/process.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
  const struct model *model;
  struct arena *arena;
  struct fairness_constraint *constraints;
  size_t count, cap;
  const char *text;
  struct fairness_error *error;
};

/* ---- sets ----------------------------------------------------------------------------------------- */

static void add(struct reader *r, struct fairness_constraint constraint) {
  for (size_t i = 0; i < r->count; i++)
    if (same_transition_set(&r->constraints[i].set, &constraint.set)) {
      r->constraints[i].strong = r->constraints[i].strong || constraint.strong;
      return;
    }
  *ARENA_PUSH(r->arena, r->constraints, r->count, r->cap) = constraint;
}

/* For instances first..end - 1 of the process; of.name: what follows "P[0].", or NULL. */
static void add_instances(struct reader *r, uint32_t process, uint32_t first, uint32_t end,
                          struct fairness_constraint of) {
  for (uint32_t i = first; i < end; i++) {
    struct fairness_constraint constraint = of;
    const char *instance = instance_name(r->model, process, i, r->arena);
    constraint.set.process = process;
    constraint.set.instance = i;
    constraint.name = of.name ? arena_printf(r->arena, "%s.%s", instance, of.name) : instance;
    add(r, constraint);
  }
}

/* All instances of the process, by all edges. */
static void add_process(struct reader *r, uint32_t process, bool strong) {
  add_instances(r, process, 0, r->model->processes[process].instances,
                (struct fairness_constraint){.set.edge = NO_EDGE, .strong = strong});
}

static void add_all(struct reader *r, bool strong) {
  for (uint32_t i = 0; i < r->model->process_count; i++)
    add_process(r, i, strong);
}

/* ---- lists ---------------------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 5))) static bool fairness_fail(struct reader *r, const char *at, const char *hint,
                                                                const char *format, ...) {
  char message[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  *r->error = (struct fairness_error){(size_t)(at - r->text), arena_copy(r->arena, message, strlen(message)), hint};
  return false;
}

static const char examples[] = "examples: weak; strong Client; weak P[0..2], strong P.label; weak label";

static const char *skip_spaces(const char *at) { return at + strspn(at, " \t\r\n"); }

static size_t word_length(const char *at) {
  size_t n = 0;
  while (isalnum((unsigned char)at[n]) || at[n] == '_')
    n++;
  return n;
}

static bool is_word(const char *at, size_t length, const char *word) {
  return strlen(word) == length && memcmp(at, word, length) == 0;
}

static const char *copy(struct reader *r, const char *at, size_t length) { return arena_copy(r->arena, at, length); }

/* NO_PROCESS: there is none. */
static uint32_t process_named(const struct model *model, const char *at, size_t length) {
  for (size_t i = 0; i < model->process_count; i++)
    if (is_word(at, length, model->processes[i].name))
      return (uint32_t)i;
  return NO_PROCESS;
}

/* `process`: whose edge it must be; NO_PROCESS: any. */
static bool is_label(const struct model *model, uint32_t process, const char *label) {
  for (size_t i = 0; i < model->edge_count; i++)
    if (edge_is_named(&model->edges[i], label) && (process == NO_PROCESS || model->edges[i].process == process))
      return true;
  return false;
}

/* A decimal number or the name of a constant. */
static bool read_number(struct reader *r, const char **at, int64_t *out) {
  const size_t length = word_length(*at);
  const char *const word = copy(r, *at, length);
  char *end;
  *out = strtoll(word, &end, 10);
  bool known = length > 0 && !*end;
  for (size_t i = 0; !known && i < r->model->constant_count; i++)
    if (strcmp(r->model->constants[i].name, word) == 0) {
      *out = r->model->constants[i].value;
      known = true;
    }
  if (!known)
    return fairness_fail(r, *at, "write P[0], P[0..2], or P[1..] for the rest",
                         "a number or the name of a constant is expected");
  *at = skip_spaces(*at + length);
  return true;
}

/* "[a]", "[a..b]", "[a..]". */
static bool read_instances(struct reader *r, const char **at, uint32_t instances, uint32_t *first, uint32_t *end) {
  const char *const start = *at;
  int64_t low, high;
  *at = skip_spaces(*at + 1);
  if (!read_number(r, at, &low))
    return false;
  high = low;
  if (strncmp(*at, "..", 2) == 0) {
    *at = skip_spaces(*at + 2);
    if (**at == ']')
      high = (int64_t)instances - 1;
    else if (!read_number(r, at, &high))
      return false;
  }
  if (**at != ']')
    return fairness_fail(r, *at, NULL, "']' is expected");
  if (low < 0 || high < low || high >= instances)
    return fairness_fail(r, start, NULL, "the process has instances 0 to %u", instances - 1);
  *at = skip_spaces(*at + 1);
  *first = (uint32_t)low;
  *end = (uint32_t)high + 1;
  return true;
}

/* The text of a label, up to the comma or the end. */
static const char *read_label(struct reader *r, const char **at) {
  size_t length = strcspn(*at, ",");
  const char *const start = *at;
  *at += length;
  while (length > 0 && strchr(" \t\r\n", start[length - 1]))
    length--;
  return copy(r, start, length);
}

static bool read_process(struct reader *r, uint32_t process, const char **at, bool strong) {
  const uint32_t instances = r->model->processes[process].instances;
  uint32_t first = 0, end = instances;
  struct fairness_constraint of = {.set.edge = NO_EDGE, .strong = strong};
  *at = skip_spaces(*at + strlen(r->model->processes[process].name));
  if (**at == '[' && !read_instances(r, at, instances, &first, &end))
    return false;
  if (**at == '.') {
    const char *const label_at = *at = skip_spaces(*at + 1);
    of.name = of.set.label = read_label(r, at);
    if (!is_label(r->model, process, of.name))
      return fairness_fail(r, label_at, NULL, "the process has no transition with the label '%.100s'", of.name);
  }
  add_instances(r, process, first, end, of);
  return true;
}

static bool read_named(struct reader *r, const char **at, bool strong) {
  const char *const start = *at, *after = *at;
  const uint32_t process = process_named(r->model, start, word_length(start));
  const char *const label = read_label(r, &after);
  const bool labelled = is_label(r->model, NO_PROCESS, label);
  if (labelled && process != NO_PROCESS)
    return fairness_fail(r, start, "rename one of them", "'%.100s' is a process and a label", label);
  if (process != NO_PROCESS)
    return read_process(r, process, at, strong);
  if (!labelled)
    return fairness_fail(r, start, examples, "there is no process and no label '%.100s'", label);
  add(r, (struct fairness_constraint){
             .set = {.process = NO_PROCESS, .edge = NO_EDGE, .label = label}, .name = label, .strong = strong});
  *at = after;
  return true;
}

static bool read_item(struct reader *r, const char **at) {
  const size_t length = word_length(*at);
  const bool strong = is_word(*at, length, "strong");
  if (!strong && !is_word(*at, length, "weak"))
    return fairness_fail(r, *at, examples, "'weak' or 'strong' is expected");
  *at = skip_spaces(*at + length);
  if (**at && **at != ',')
    return read_named(r, at, strong);
  add_all(r, strong);
  return true;
}

static bool read_list(struct reader *r) {
  const char *at = skip_spaces(r->text);
  if (is_word(at, word_length(at), "none") && !*skip_spaces(at + 4))
    return true;
  for (;;) {
    if (!read_item(r, &at))
      return false;
    at = skip_spaces(at);
    if (!*at)
      return true;
    if (*at != ',')
      return fairness_fail(r, at, NULL, "',' or the end of the list is expected");
    at = skip_spaces(at + 1);
  }
}

/* ---- the model's ---------------------------------------------------------------------------------- */

static const char *append(struct arena *arena, const char *list, enum fair fair, const char *name) {
  return arena_printf(arena, "%s%s%s %s", list, *list ? ", " : "", fair == FAIR_STRONG ? "strong" : "weak", name);
}

static void take_models(const struct model *model, struct arena *arena, struct fairness *out) {
  struct reader r = {.model = model, .arena = arena};
  const char *text = "";
  for (size_t i = 0; i < model->process_count; i++)
    if (model->processes[i].fair != FAIR_NONE) {
      add_process(&r, (uint32_t)i, model->processes[i].fair == FAIR_STRONG);
      text = append(arena, text, model->processes[i].fair, model->processes[i].name);
    }
  for (size_t i = 0; i < model->edge_count; i++) {
    const struct edge *edge = &model->edges[i];
    if (edge->fair == FAIR_NONE || edge->process == NO_PROCESS)
      continue;
    const char *const name = *edge->label ? edge->label : arena_printf(arena, "%s -> %s", edge->from, edge->to);
    add_instances(
        &r, edge->process, 0, model->processes[edge->process].instances,
        (struct fairness_constraint){.set.edge = (uint32_t)i, .name = name, .strong = edge->fair == FAIR_STRONG});
    text = append(arena, text, edge->fair, arena_printf(arena, "%s.%s", model->processes[edge->process].name, name));
  }
  *out = (struct fairness){text, r.constraints, r.count};
}

/* ---- the whole ------------------------------------------------------------------------------------ */

bool fairness_parse(const struct model *model, const char *text, struct arena *arena, struct fairness *out,
                    struct fairness_error *error) {
  struct reader r = {.model = model, .arena = arena, .text = text, .error = error};
  if (!text) {
    take_models(model, arena, out);
    return true;
  }
  if (!read_list(&r))
    return false;
  const char *start = skip_spaces(text);
  size_t length = strlen(start);
  while (length > 0 && strchr(" \t\r\n", start[length - 1]))
    length--;
  *out = (struct fairness){r.count ? copy(&r, start, length) : "", r.constraints, r.count};
  return true;
}

void fairness_with_instances(const struct model *model, const struct fairness *fairness, struct arena *arena,
                             struct fairness *out) {
  struct reader r = {.model = model, .arena = arena};
  for (size_t i = 0; i < fairness->count; i++)
    add(&r, fairness->constraints[i]);
  add_all(&r, false);
  *out = (struct fairness){fairness->text, r.constraints, r.count};
}
