#include "checkpoint/identity.h"

#include "step/layout/index_key.h"

#include <string.h>

/* The same model is the same bytes: each list begins with its length, each number has 64 bits, most significant byte
   last. */
static void add(struct digest *digest, uint64_t value) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++)
    bytes[i] = (unsigned char)(value >> 8 * i);
  digest_add(digest, bytes, sizeof bytes);
}

/* Operands that are not there are told from those that are. */
static void add_expr(struct digest *digest, const struct expr *e) {
  add(digest, e != NULL);
  if (!e)
    return;
  add(digest, e->op);
  add(digest, (uint64_t)e->value);
  add(digest, e->id);
  add(digest, e->site);
  add_expr(digest, e->a);
  add_expr(digest, e->b);
  add_expr(digest, e->c);
}

static void add_variable(struct digest *digest, const struct variable *v, const struct field *field) {
  add(digest, v->count);
  add(digest, v->first);
  add(digest, (uint64_t)v->lo);
  add(digest, (uint64_t)v->hi);
  for (uint32_t i = 0; i < v->count; i++)
    add(digest, (uint64_t)v->init[i]);
  add(digest, field->word);
  add(digest, field->shift);
  add(digest, field->width);
  add(digest, field->per_word);
}

/* Added to the operation of a branch that has an `else`: its list could be taken for what comes behind the branch. One
   without has the bytes that it had before there was `else`, so that its checkpoints are taken. */
#define WITH_ELSE 256

static void add_statements(struct digest *digest, const struct statement *statements, size_t n) {
  add(digest, n);
  for (size_t i = 0; i < n; i++) {
    const struct statement *s = &statements[i];
    add(digest, s->op + (s->op == ST_IF && s->else_count ? WITH_ELSE : 0));
    add(digest, s->id);
    add(digest, s->site);
    add_expr(digest, s->index);
    add_expr(digest, s->value);
    add_statements(digest, s->then, s->op == ST_IF ? s->then_count : 0);
    if (s->op == ST_IF && s->else_count)
      add_statements(digest, s->then + s->then_count, s->else_count);
  }
}

static void add_tests(struct digest *digest, const struct transition *t) {
  add(digest, t->test_count);
  for (size_t i = 0; i < t->test_count; i++) {
    add(digest, t->tests[i].variable);
    add(digest, t->tests[i].element);
    add(digest, t->tests[i].location);
  }
}

static void add_selects(struct digest *digest, const struct transition *t) {
  add(digest, t->select_count);
  for (size_t i = 0; i < t->select_count; i++) {
    add(digest, (uint64_t)t->selects[i].lo);
    add(digest, (uint64_t)t->selects[i].hi);
  }
}

static void add_transition(struct digest *digest, const struct transition *t) {
  add_tests(digest, t);
  add_selects(digest, t);
  add(digest, t->guard_count);
  for (size_t i = 0; i < t->guard_count; i++)
    add_expr(digest, t->guards[i]);
  add_statements(digest, t->statements, t->statement_count);
}

static void add_site(struct digest *digest, const struct site *site) {
  add(digest, site->kind);
  add(digest, (uint64_t)site->lo);
  add(digest, (uint64_t)site->hi);
}

static void add_digits(struct digest *digest, const struct encoding_case *c) {
  add(digest, c->digit_count);
  for (uint32_t i = 0; i < c->digit_count; i++) {
    add(digest, c->digits[i].element);
    add(digest, (uint64_t)c->digits[i].lo);
    add(digest, c->digits[i].radix);
    add(digest, c->digits[i].weight);
  }
}

static void add_group(struct digest *digest, const struct encoding_group *group) {
  add(digest, group->selector);
  add(digest, (uint64_t)group->selector_lo);
  add(digest, group->weight);
  add(digest, group->case_count);
  for (uint32_t i = 0; i < group->case_count; i++) {
    add(digest, group->cases[i].offset);
    add(digest, group->cases[i].size);
    add_digits(digest, &group->cases[i]);
  }
}

static void add_table(struct digest *digest, const struct invariants_term *term, struct invariants_range range) {
  for (int64_t value = range.lo; value <= range.hi; value++)
    add(digest, (uint64_t)term->table[value - range.lo]);
}

static void add_dependent(struct digest *digest, const struct invariants *invariants,
                          const struct invariants_dependent *d) {
  add(digest, d->element);
  add(digest, (uint64_t)d->constant);
  add(digest, d->term_count);
  for (uint32_t i = 0; i < d->term_count; i++) {
    const struct invariants_term *term = &d->terms[i];
    add(digest, term->element);
    add(digest, (uint64_t)term->coefficient);
    add(digest, term->table != NULL);
    if (term->table)
      add_table(digest, term, invariants->ranges[term->element]);
  }
}

/* What keys by rank mean: a search kept by one proof is none for another. */
static void add_encoding(struct digest *digest, const struct encoding *encoding) {
  digest_add_string(digest, "keys by rank 1");
  add(digest, encoding->keys);
  add(digest, encoding->value_count);
  for (uint32_t i = 0; i < encoding->value_count; i++)
    add(digest, (uint64_t)encoding->values[i]); /* of constant elements */
  add(digest, encoding->group_count);
  for (uint32_t i = 0; i < encoding->group_count; i++)
    add_group(digest, &encoding->groups[i]);
  add(digest, encoding->invariants->dependent_count);
  for (uint32_t i = 0; i < encoding->invariants->dependent_count; i++)
    add_dependent(digest, encoding->invariants, &encoding->invariants->dependent[i]);
}

void checkpoint_identity(const struct model *model, const struct layout *layout, unsigned char bytes[DIGEST_BYTES]) {
  struct digest digest;
  digest_init(&digest);
  digest_add_string(&digest, "floe ground model 1");
  add(&digest, layout->bits);
  add(&digest, layout->words);
  add(&digest, model->variable_count);
  for (size_t i = 0; i < model->variable_count; i++)
    add_variable(&digest, &model->variables[i], &layout->fields[i]);
  add_expr(&digest, model->committed);
  add(&digest, model->transition_count);
  for (size_t i = 0; i < model->transition_count; i++)
    add_transition(&digest, &model->transitions[i]);
  add(&digest, model->property_count);
  for (size_t i = 0; i < model->property_count; i++) {
    digest_add_string(&digest, model->properties[i].id);
    add(&digest, model->properties[i].kind);
    add_expr(&digest, model->properties[i].expr);
  }
  add(&digest, model->site_count);
  for (size_t i = 0; i < model->site_count; i++)
    add_site(&digest, &model->sites[i]);
  if (layout->encoding)
    add_encoding(&digest, layout->encoding);
  digest_finish(&digest, bytes);
}
