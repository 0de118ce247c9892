/* Changes of a model that change its digest. */
#include "api/api.h"
#include "checkpoint/identity.h"
#include "core/mem.h"
#include "step/layout/state_key.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

static const char text[] =
    "<model name=\"ring\">\n"
    "  <description>A token goes round.</description>\n"
    "  <constant name=\"N\" value=\"3\" range=\"2..9\"/>\n"
    "  <variable name=\"token\" range=\"0..N-1\"/>\n"
    "  <process name=\"S\" instances=\"N\">\n"
    "    <location name=\"idle\" initial=\"true\"/>\n"
    "    <location name=\"busy\"/>\n"
    "    <transition from=\"idle\" to=\"busy\" guard=\"token == self\" label=\"take\"/>\n"
    "    <transition from=\"busy\" to=\"idle\" effect=\"token = (token + 1) % N\" label=\"pass\"/>\n"
    "  </process>\n"
    "  <property id=\"safe\" kind=\"invariant\">count(i in S : S[i].busy) le 1</property>\n"
    "  <property id=\"last\" kind=\"reachable\">S[N - 1].busy</property>\n"
    "</model>\n";

struct change {
  const char *from, *to; /* replaced once in the text; NULL: nothing */
  const char *constant;  /* value of N; NULL: the default */
};

/* The digest does not change. */
static const struct change same[] = {
    {"A token", "Something that is no token", NULL},
    {"\"take\"", "\"takes\"", NULL},
    {"name=\"ring\"", "name=\"circle\"", NULL},
    {"  <variable", "  <!-- one -->\n\n <variable", NULL},
    {"token == self", "token  ==\n self", NULL},
    {"id=\"safe\"", "id=\"safe\" description=\"one is busy\"", NULL},
    {NULL, NULL, "3"},
};

static const struct change different[] = {
    {NULL, NULL, "4"},
    {"value=\"3\"", "value=\"2\"", NULL},
    {"range=\"0..N-1\"", "range=\"0..N\"", NULL},
    {"range=\"0..N-1\"", "range=\"0..N-1\" init=\"1\"", NULL},
    {"<location name=\"idle\" initial=\"true\"/>\n    <location name=\"busy\"/>",
     "<location name=\"idle\"/>\n    <location name=\"busy\" initial=\"true\"/>", NULL},
    {"token == self", "token le self", NULL},
    {"token == self", "token == self and token == self", NULL},
    {"(token + 1)", "(token + 2)", NULL},
    {"(token + 1)", "(token - 1 + N)", NULL},
    {"from=\"busy\" to=\"idle\"", "from=\"busy\" to=\"busy\"", NULL},
    {"busy) le 1", "busy) le 2", NULL},
    {"kind=\"reachable\"", "kind=\"never\"", NULL},
    {"id=\"last\"", "id=\"least\"", NULL},
    {"  <property id=\"last\" kind=\"reachable\">S[N - 1].busy</property>\n", "", NULL},
};

static char *changed(const struct change *change) {
  char *out = calloc(1, sizeof text + 200);
  const char *at = change->from ? strstr(text, change->from) : text;
  ck_assert_ptr_nonnull(at);
  size_t before = (size_t)(at - text), length = change->from ? strlen(change->from) : 0;
  memcpy(out, text, before);
  strcat(out, change->to ? change->to : "");
  strcat(out, at + length);
  return out;
}

static void identity_of(const struct change *change, unsigned char digest[DIGEST_BYTES]) {
  floe_log *log;
  floe_model *model;
  char *source = changed(change);
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  ck_assert_int_eq(floe_model_parse("ring", source, strlen(source), log, &model), FLOE_OK);
  if (change->constant)
    ck_assert_int_eq(floe_model_define(model, "N", change->constant, log), FLOE_OK);
  floe_status status = floe_model_check(model, log);
  ck_assert_msg(status == FLOE_OK, "%s", floe_log_count(log) ? floe_log_at(log, 0)->message : "");
  checkpoint_identity(model->model, model->layout, digest);
  floe_model_free(model);
  floe_log_free(log);
  free(source);
}

static const struct change none = {NULL, NULL, NULL};

START_TEST(test_same) {
  unsigned char a[DIGEST_BYTES], b[DIGEST_BYTES];
  identity_of(&none, a);
  identity_of(&same[_i], b);
  ck_assert_mem_eq(a, b, DIGEST_BYTES);
}
END_TEST

START_TEST(test_different) {
  unsigned char a[DIGEST_BYTES], b[DIGEST_BYTES];
  identity_of(&none, a);
  identity_of(&different[_i], b);
  ck_assert_mem_ne(a, b, DIGEST_BYTES);
}
END_TEST

/* The branch to which an `else` belongs. */
START_TEST(test_else) {
  static const char effect[] = "effect=\"token = (token + 1) % N\"";
  const struct change inner = {effect,
                               "effect=\"if (token == 1) { if (token gt 0) { token = 2 } else { token = 1 } }\"", NULL};
  const struct change outer = {effect,
                               "effect=\"if (token == 1) { if (token gt 0) { token = 2 } } else { token = 1 }\"", NULL};
  unsigned char a[DIGEST_BYTES], b[DIGEST_BYTES];
  identity_of(&inner, a);
  identity_of(&outer, b);
  ck_assert_mem_ne(a, b, DIGEST_BYTES);
}
END_TEST

/* ---- index keys ---------------------------------------------------------------------------------- */

typedef floe_status invariants_maker(const struct model *model, struct arena *arena, struct invariants *invariants);

static floe_status declared(const struct model *model, struct arena *arena, struct invariants *invariants) {
  const struct invariants *made;
  floe_status status = invariants_declared(model, arena, &made);
  *invariants = *made;
  return status;
}

static floe_status narrower(const struct model *model, struct arena *arena, struct invariants *invariants) {
  floe_status status = declared(model, arena, invariants);
  struct value_interval *ranges = (struct value_interval *)invariants->ranges;
  for (size_t e = 0; e < model->value_count; e++)
    if (ranges[e].lo < ranges[e].hi)
      ranges[e].hi = ranges[e].lo;
  return status;
}

static floe_status another_constant(const struct model *model, struct arena *arena, struct invariants *invariants) {
  floe_status status = narrower(model, arena, invariants);
  struct value_interval *range = (struct value_interval *)&invariants->ranges[model->value_count - 1];
  range->lo = range->hi = range->hi + 1;
  return status;
}

/* The last element equals the first one; or is given by a table. */
static floe_status copied_with(const struct model *model, struct arena *arena, struct invariants *invariants,
                               const int64_t *table) {
  static struct linear_term term;
  static struct dependent_element dependent;
  term = (struct linear_term){.coefficient = 1, .table = table};
  dependent = (struct dependent_element){.element = (uint32_t)model->value_count - 1, .terms = &term, .term_count = 1};
  floe_status status = declared(model, arena, invariants);
  invariants->dependent = &dependent;
  invariants->dependent_count = 1;
  return status;
}

static floe_status copied(const struct model *model, struct arena *arena, struct invariants *invariants) {
  return copied_with(model, arena, invariants, NULL);
}

static floe_status by_table(const struct model *model, struct arena *arena, struct invariants *invariants) {
  static const int64_t table[64] = {1};
  return copied_with(model, arena, invariants, table);
}

static floe_status by_another_table(const struct model *model, struct arena *arena, struct invariants *invariants) {
  static const int64_t table[64] = {0, 1};
  return copied_with(model, arena, invariants, table);
}

static void identity_by(invariants_maker *make, unsigned char digest[DIGEST_BYTES]) {
  floe_model *model;
  struct arena arena;
  struct invariants invariants;
  const struct encoding *encoding;
  arena_init(&arena);
  ck_assert_int_eq(floe_model_parse("ring", text, strlen(text), NULL, &model), FLOE_OK);
  ck_assert_int_eq(floe_model_check(model, NULL), FLOE_OK);
  ck_assert_int_eq(make(model->model, &arena, &invariants), FLOE_OK);
  ck_assert_int_eq(encoding_make(model->model, model->layout, &invariants, &arena, &encoding), FLOE_OK);
  const struct layout index_keys = layout_with_index_keys(model->layout, encoding);
  checkpoint_identity(model->model, &index_keys, digest);
  arena_free(&arena);
  floe_model_free(model);
}

/* The meaning of index keys is part of the digest, even if their number is the same. */
START_TEST(test_index_keys) {
  invariants_maker *const makers[] = {declared, narrower, another_constant, copied, by_table, by_another_table};
  enum { MAKERS = sizeof makers / sizeof *makers };
  unsigned char fields[DIGEST_BYTES], digests[MAKERS][DIGEST_BYTES], again[DIGEST_BYTES];
  identity_of(&none, fields);
  for (size_t i = 0; i < MAKERS; i++) {
    identity_by(makers[i], digests[i]);
    identity_by(makers[i], again);
    ck_assert_mem_eq(digests[i], again, DIGEST_BYTES);
    ck_assert_mem_ne(digests[i], fields, DIGEST_BYTES);
    for (size_t j = 0; j < i; j++)
      ck_assert_mem_ne(digests[i], digests[j], DIGEST_BYTES);
  }
}
END_TEST

/* The digest is the same on every machine. If it changes, older files are rejected: this must be intentional. */
START_TEST(test_fixed_digest) {
  unsigned char digest[DIGEST_BYTES];
  char hex[DIGEST_HEX];
  identity_of(&none, digest);
  digest_hex(digest, hex);
  ck_assert_str_eq(hex, "1c73e4528b2697d8e70fa5e2a55ddaf6055551e6a33c0c2ee726fe237570bc0c");
}
END_TEST

static void no_leaks(void) { ck_assert_uint_eq(mem_live(), 0); }

int main(void) {
  TCase *tests = tcase_create("identity");
  tcase_add_checked_fixture(tests, NULL, no_leaks);
  tcase_add_test(tests, test_else);
  tcase_add_loop_test(tests, test_same, 0, sizeof same / sizeof *same);
  tcase_add_loop_test(tests, test_different, 0, sizeof different / sizeof *different);
  add_tests(tests, test_index_keys, test_fixed_digest);
  return run_suite("checkpoint identity", CK_FORK_GETENV, tests);
}
