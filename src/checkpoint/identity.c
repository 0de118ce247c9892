#include "checkpoint/identity.h"

#include "base/little_endian.h"
#include "step/layout/index_key.h"

#include <string.h>

/* The encoding is unambiguous: each list begins with its length, each number has 64 bits, most significant byte
   last. */
static void add_number(struct digest *digest, uint64_t value) {
  unsigned char bytes[8];
  store64(bytes, value);
  digest_add(digest, bytes, sizeof bytes);
}

/* Distinguishes missing operands from present ones. */
static void add_expr(struct digest *digest, const struct expr *e) {
  add_number(digest, e != NULL);
  if (!e)
    return;
  add_number(digest, e->op);
  add_number(digest, (uint64_t)e->value);
  add_number(digest, e->id);
  add_number(digest, e->site);
  add_expr(digest, e->a);
  add_expr(digest, e->b);
  add_expr(digest, e->c);
}

static void add_variable(struct digest *digest, const struct variable *v, const struct field *field) {
  add_number(digest, v->count);
  add_number(digest, v->first);
  add_number(digest, (uint64_t)v->lo);
  add_number(digest, (uint64_t)v->hi);
  for (uint32_t i = 0; i < v->count; i++)
    add_number(digest, (uint64_t)v->init[i]);
  add_number(digest, field->word);
  add_number(digest, field->shift);
  add_number(digest, field->width);
  add_number(digest, field->per_word);
  if (field->stride != field->width)
    add_number(digest, field->stride);
  if (field->shared) {
    digest_add_string(digest, "shared");
    add_number(digest, field->code);
  }
}

/* Added to the operation of a branch with an `else`, whose list could otherwise be mistaken for what follows the
   branch. A branch without one has the same bytes as before `else` existed, so that old checkpoints remain valid. */
#define WITH_ELSE 256

static void add_statements(struct digest *digest, const struct statement *statements, size_t n) {
  add_number(digest, n);
  for (size_t i = 0; i < n; i++) {
    const struct statement *s = &statements[i];
    add_number(digest, s->op + (s->op == ST_IF && s->else_count ? WITH_ELSE : 0));
    add_number(digest, s->id);
    add_number(digest, s->site);
    add_expr(digest, s->index);
    add_expr(digest, s->value);
    add_statements(digest, s->then, s->op == ST_IF ? s->then_count : 0);
    if (s->op == ST_IF && s->else_count)
      add_statements(digest, s->then + s->then_count, s->else_count);
  }
}

static void add_tests(struct digest *digest, const struct transition *t) {
  add_number(digest, t->test_count);
  for (size_t i = 0; i < t->test_count; i++) {
    add_number(digest, t->tests[i].variable);
    add_number(digest, t->tests[i].element);
    add_number(digest, t->tests[i].location);
  }
}

static void add_selects(struct digest *digest, const struct transition *t) {
  add_number(digest, t->select_count);
  for (size_t i = 0; i < t->select_count; i++) {
    add_number(digest, (uint64_t)t->selects[i].lo);
    add_number(digest, (uint64_t)t->selects[i].hi);
  }
}

static void add_transition(struct digest *digest, const struct transition *t) {
  add_tests(digest, t);
  add_selects(digest, t);
  add_number(digest, t->guard_count);
  for (size_t i = 0; i < t->guard_count; i++)
    add_expr(digest, t->guards[i]);
  add_statements(digest, t->statements, t->statement_count);
  if (t->otherwise)
    digest_add_string(digest, "otherwise");
}

static void add_site(struct digest *digest, const struct site *site) {
  add_number(digest, site->kind);
  add_number(digest, (uint64_t)site->lo);
  add_number(digest, (uint64_t)site->hi);
}

static void add_digits(struct digest *digest, const struct index_case *c) {
  add_number(digest, c->digit_count);
  for (uint32_t i = 0; i < c->digit_count; i++) {
    add_number(digest, c->digits[i].element);
    add_number(digest, (uint64_t)c->digits[i].lo);
    add_number(digest, c->digits[i].radix);
    add_number(digest, c->digits[i].weight);
  }
}

static void add_group(struct digest *digest, const struct index_group *group) {
  add_number(digest, group->selector);
  add_number(digest, (uint64_t)group->selector_lo);
  add_number(digest, group->weight);
  add_number(digest, group->case_count);
  for (uint32_t i = 0; i < group->case_count; i++) {
    add_number(digest, group->cases[i].offset);
    add_number(digest, group->cases[i].size);
    add_digits(digest, &group->cases[i]);
  }
}

static void add_table(struct digest *digest, const struct linear_term *term, struct value_interval range) {
  for (int64_t value = range.lo; value <= range.hi; value++)
    add_number(digest, (uint64_t)term->table[value - range.lo]);
}

static void add_dependent(struct digest *digest, const struct invariants *invariants,
                          const struct dependent_element *d) {
  add_number(digest, d->element);
  add_number(digest, (uint64_t)d->constant);
  add_number(digest, d->term_count);
  for (uint32_t i = 0; i < d->term_count; i++) {
    const struct linear_term *term = &d->terms[i];
    add_number(digest, term->element);
    add_number(digest, (uint64_t)term->coefficient);
    add_number(digest, term->table != NULL);
    if (term->table)
      add_table(digest, term, invariants->ranges[term->element]);
  }
}

/* Meaning of index keys: a search saved with one set of invariants cannot be resumed with another. The string is
   part of the digest and must not change. */
static void add_encoding(struct digest *digest, const struct encoding *encoding) {
  digest_add_string(digest, "keys by rank 1");
  add_number(digest, encoding->keys);
  add_number(digest, encoding->value_count);
  for (uint32_t i = 0; i < encoding->value_count; i++)
    add_number(digest, (uint64_t)encoding->values[i]); /* of constant elements */
  add_number(digest, encoding->group_count);
  for (uint32_t i = 0; i < encoding->group_count; i++)
    add_group(digest, &encoding->groups[i]);
  add_number(digest, encoding->invariants->dependent_count);
  for (uint32_t i = 0; i < encoding->invariants->dependent_count; i++)
    add_dependent(digest, encoding->invariants, &encoding->invariants->dependent[i]);
}

static void add_transition_set(struct digest *digest, const struct transition_set *set) {
  add_number(digest, set->process);
  add_number(digest, set->instance);
  add_number(digest, set->edge);
  digest_add_string(digest, set->label ? set->label : "");
}

static void add_numbers(struct digest *digest, const uint64_t *numbers, size_t n) {
  add_number(digest, n);
  for (size_t i = 0; i < n; i++)
    add_number(digest, numbers[i]);
}

/* Of a product: which of its cycles violate the property. */
static void add_acceptance(struct digest *digest, const struct model *model) {
  const struct model_automaton *automaton = model->automaton;
  const size_t states = (size_t)model->variables[automaton->variable].hi + 1;
  add_number(digest, automaton->variable);
  add_number(digest, automaton->degree);
  add_number(digest, automaton->sets);
  add_number(digest, automaton->weak);
  add_numbers(digest, automaton->accepting, states * automaton->degree);
  for (size_t i = 0; i < states; i++)
    add_number(digest, automaton->candidates[i]);
  add_numbers(digest, automaton->fairness, model->transition_count);
  add_number(digest, automaton->weak_fair);
  add_number(digest, automaton->strong_fair);
}

static void add_transient(struct digest *digest, const struct model *model) {
  const struct transient *transient = model->transient;
  digest_add_string(digest, "transient");
  add_number(digest, transient->variable);
  add_number(digest, transient->exceeded);
  for (int64_t i = 0; i < model->variables[transient->variable].hi; i++) {
    add_number(digest, transient->holders[i].initiator);
    add_number(digest, transient->holders[i].first_only);
    add_number(digest, transient->holders[i].blocked);
  }
}

void checkpoint_identity(const struct model *model, const struct layout *layout, unsigned char bytes[DIGEST_BYTES]) {
  struct digest digest;
  digest_init(&digest);
  digest_add_string(&digest, "floe ground model 1");
  add_number(&digest, layout->bits);
  add_number(&digest, layout->words);
  add_number(&digest, model->variable_count);
  for (size_t i = 0; i < model->variable_count; i++)
    add_variable(&digest, &model->variables[i], &layout->fields[i]);
  add_expr(&digest, model->committed);
  for (size_t i = 0; model->automaton && i < model->automaton->permitted_count; i++)
    add_expr(&digest, model->automaton->permitted[i]);
  if (model->automaton)
    add_acceptance(&digest, model);
  for (size_t i = 0; i < model->enabled_count; i++)
    add_transition_set(&digest, &model->enabled[i].set);
  add_number(&digest, model->transition_count);
  for (size_t i = 0; i < model->transition_count; i++)
    add_transition(&digest, &model->transitions[i]);
  add_number(&digest, model->property_count);
  for (size_t i = 0; i < model->property_count; i++) {
    digest_add_string(&digest, model->properties[i].id);
    add_number(&digest, model->properties[i].kind);
    add_expr(&digest, model->properties[i].expr);
  }
  if (model->stuttering)
    digest_add_string(&digest, "stuttering");
  add_number(&digest, model->site_count);
  for (size_t i = 0; i < model->site_count; i++)
    add_site(&digest, &model->sites[i]);
  if (model->transient)
    add_transient(&digest, model);
  if (layout->encoding)
    add_encoding(&digest, layout->encoding);
  digest_finish(&digest, bytes);
}
