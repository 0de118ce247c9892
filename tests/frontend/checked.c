#include "checked.h"

#include "core/mem.h"

#include <check.h>
#include <string.h>

static void read_model(void *data) {
  struct checked *m = data;
  m->source.text = arena_copy(&m->arena, m->source.text, m->source.length);
  if (syntax_read(&m->source, NULL, &m->arena, m->log, &m->syntax) != FLOE_OK)
    m->syntax = NULL;
}

static void split_constants(void *data) {
  struct checked *m = data;
  char *text = arena_copy(&m->arena, m->source.name, strlen(m->source.name));
  struct definition *all = arena_array(&m->arena, strlen(text) + 1, sizeof *all);
  for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
    char *value = strchr(word, '=');
    *value = 0;
    all[m->definition_count++] = (struct definition){.name = word, .value = value + 1};
  }
  m->definitions = all;
}

void checked_open(struct checked *m, const char *xml, const char *constants) {
  memset(m, 0, sizeof *m);
  arena_init(&m->arena);
  ck_assert_int_eq(floe_log_create(&m->log), FLOE_OK);
  m->source = (struct source){.name = constants};
  ck_assert_int_eq(arena_guard(&m->arena, split_constants, m), 0);
  m->source = (struct source){.name = "test.xml", .text = xml, .length = strlen(xml)};
  ck_assert_int_eq(arena_guard(&m->arena, read_model, m), 0);
  m->status = FLOE_ERROR_MODEL;
  if (m->syntax)
    m->status = model_check(m->syntax, m->definitions, m->definition_count, &m->arena, m->log, &m->model);
}

void checked_close(struct checked *m) {
  arena_free(&m->arena);
  floe_log_free(m->log);
}

struct text_call {
  struct checked *m;
  const struct expr *expr;
  const char *text;
};

static void print(void *data) {
  struct text_call *call = data;
  call->text = expr_text(call->m->model, call->expr, &call->m->arena);
}

const char *checked_text(struct checked *m, const struct expr *expr) {
  struct text_call call = {m, expr, NULL};
  ck_assert_int_eq(arena_guard(&m->arena, print, &call), 0);
  return call.text;
}

const struct expr *checked_property(const struct checked *m, const char *id) {
  for (size_t i = 0; i < m->model->property_count; i++)
    if (strcmp(m->model->properties[i].id, id) == 0)
      return m->model->properties[i].expr;
  ck_abort_msg("no property %s", id);
}

void checked_must_hold(const struct checked *m) {
  for (size_t i = 0; i < floe_log_count(m->log) && m->status != FLOE_OK; i++)
    printf("%u:%u: %s\n", floe_log_at(m->log, i)->line, floe_log_at(m->log, i)->column,
           floe_log_at(m->log, i)->message);
  ck_assert_int_eq(m->status, FLOE_OK);
}

bool checked_says(const struct checked *m, const char *text) {
  for (size_t i = 0; i < floe_log_count(m->log); i++)
    if (strstr(floe_log_at(m->log, i)->message, text))
      return true;
  return false;
}
