#include "frontend/xml/xml_write_properties.h"

#include "logic/formula.h"
#include "model/property_kind.h"

#include <string.h>

void xml_write_text(struct writer *w, const char *text) {
  for (; *text; text++)
    switch (*text) {
    case '&':
      put(w, "&amp;");
      break;
    case '<':
      put(w, "&lt;");
      break;
    case '"':
      put(w, "&quot;");
      break;
    default:
      put(w, "%c", *text);
    }
}

static void put_formula(struct writer *w, const struct temporal *temporal, const struct formula *f);

static void put_atom(struct writer *w, const struct temporal *temporal, uint32_t atom) {
  if (temporal->taken[atom]) {
    put(w, "taken(");
    xml_write_set(w, temporal->taken[atom]);
    put(w, ")");
  } else {
    writer_expr(w, temporal->atoms[atom], STRENGTH_ATOM);
  }
}

static void put_operands(struct writer *w, const struct temporal *temporal, const struct formula *f,
                         const char *operator_word) {
  put(w, "(");
  for (uint32_t i = 0; i < f->count; i++) {
    put(w, "%s", i ? operator_word : "");
    put_formula(w, temporal, f->args[i]);
  }
  put(w, ")");
}

static void put_formula(struct writer *w, const struct temporal *temporal, const struct formula *f) {
  switch (f->op) {
  case FORMULA_FALSE:
  case FORMULA_TRUE:
    put(w, "%s", f->op == FORMULA_TRUE ? "true" : "false");
    break;
  case FORMULA_NOT_ATOM:
    put(w, "not ");
    put_atom(w, temporal, f->atom);
    break;
  case FORMULA_ATOM:
    put_atom(w, temporal, f->atom);
    break;
  case FORMULA_NEXT:
    put(w, "next ");
    put_formula(w, temporal, f->args[0]);
    break;
  case FORMULA_AND:
  case FORMULA_OR:
    put_operands(w, temporal, f, f->op == FORMULA_AND ? " and " : " or ");
    break;
  case FORMULA_UNTIL:
  case FORMULA_RELEASE:
    put(w, "(");
    put_formula(w, temporal, f->args[0]);
    put(w, f->op == FORMULA_UNTIL ? " until " : " release ");
    put_formula(w, temporal, f->args[1]);
    put(w, ")");
    break;
  }
}

/* A property to be written. */
struct written {
  const struct property *property;
  bool faithful;
};

static bool has_fairness(const struct writer *w, const struct written *written) {
  const struct model *model = w->model;
  bool of_processes = false, of_edges = false;
  for (size_t i = 0; i < model->process_count; i++)
    of_processes = of_processes || model->processes[i].fair != FAIR_NONE;
  for (size_t i = 0; i < model->edge_count; i++)
    of_edges = of_edges || model->edges[i].fair != FAIR_NONE;
  const char *own = written->property->temporal->fairness;
  if (own)
    return strcmp(own, "none") != 0;
  return of_edges || (of_processes && !written->faithful);
}

static const char *id_of(const struct writer *w, const struct property *property) {
  char *id = arena_copy(w->arena, property->id, strlen(property->id));
  for (char *c = id; *c; c++)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", *c))
      *c = '_';
  return id;
}

static void put_property(struct writer *w, const void *data) {
  const struct written *written = data;
  const struct property *property = written->property;
  const struct temporal *temporal = property->temporal;
  put(w, "  <property id=\"%s\" kind=\"%s\"", id_of(w, property), property_kinds[property->kind].word);
  if (*property->description) {
    put(w, " description=\"");
    xml_write_text(w, property->description);
    put(w, "\"");
  }
  if (temporal && (!temporal->formula || has_fairness(w, written)))
    w->failed = true;
  if (w->failed)
    return;
  if (temporal && temporal->fairness)
    put(w, " fairness=\"none\"");
  put(w, ">");
  if (temporal && temporal->formula)
    put_formula(w, temporal, temporal->formula);
  else
    writer_expr(w, property->expr, STRENGTH_COND);
  put(w, "</property>\n");
}

static void put_deadlock(struct writer *w, const struct property *property) {
  if (!property)
    put(w, "  <deadlock check=\"false\"/>\n");
  if (!property || !property->expr)
    return;
  put(w, "  <deadlock unless=\"");
  writer_expr(w, property->expr, STRENGTH_COND);
  put(w, "\"/>\n");
}

void xml_write_properties(struct writer *w, bool faithful) {
  const struct model *model = w->model;
  const struct property *deadlock = NULL;
  const char **lost = arena_array(w->arena, model->property_count, sizeof *lost);
  size_t lost_count = 0;
  for (size_t i = 0; i < model->property_count; i++) {
    const struct property *property = &model->properties[i];
    const struct written written = {property, faithful};
    if (property->kind == FLOE_DEADLOCK)
      deadlock = property;
    else if (property->kind != FLOE_ERRORS && !writer_try(w, put_property, &written))
      lost[lost_count++] = property->id;
  }
  put_deadlock(w, deadlock);
  writer_lost(w, lost, lost_count, "their automata, fairness or transitions cannot be kept");
}
