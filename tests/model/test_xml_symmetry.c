/* Symmetry reduction of models in XML against brute force (tests/model/brute_symmetry.h), on random models: most of
   those made of symmetric parts must be recognised, and what is recognised must be symmetric. */
#include "tests/model/brute_symmetry.h"

#define PICK(list) list[pick(sizeof list / sizeof *list)]

/* Attributes of a transition of process P. */
static const char *const symmetric[] = {
    "effect=\"x = (x + 1) % 3\"",
    "guard=\"owner == -1\" effect=\"owner = self\"",
    "guard=\"owner == self\" effect=\"owner = -1; x = 0\"",
    "guard=\"owner != self and owner != -1\" effect=\"x = 1\"",
    "guard=\"id == 0\" effect=\"id = self + 1\"",
    "guard=\"id == self + 1\" effect=\"id = 0\"",
    "guard=\"last != self\" effect=\"last = self\"",
    "guard=\"not all(i in P : i == self or P[i].x == 0)\" effect=\"f[self] = true\"",
    "guard=\"exists(i in P : f[i] and P[i].a)\" effect=\"f[self] = false\"",
    "select=\"i in P\" guard=\"f[i] and i != self\" effect=\"friend = i\"",
    "guard=\"P[friend].x == 1\" effect=\"friend = -1\"",
    "effect=\"x++\"",
    "guard=\"friend != -1 and P[friend].x == 1\" effect=\"friend = -1\"",
    "guard=\"friend != -1\" effect=\"f[friend] = not f[friend]\"",
    "effect=\"for i in P: if (P[i].a) f[i] = true\"",
    "effect=\"for i in P: m[self][i] = f[i]\"",
    "effect=\"for i in P: { if (i != self) m[i][self] = false }\"",
    "select=\"i in P\" guard=\"m[self][i]\" effect=\"m[i][i] = false; c = 0\"",
    "guard=\"count(i in P : f[i]) >= 2\" effect=\"c = (c + 1) % 2\"",
    "guard=\"sum(i in P : P[i].x) == 2 or c == 1\" effect=\"own[c] = true\"",
    "guard=\"own[0] and not own[1]\" effect=\"own[1] = true; own[0] = false\"",
    "send=\"hand(x, self)\"",
    "receive=\"hand(x, friend)\" guard=\"a\"",
    "send=\"hand(2, friend)\" guard=\"not a\"",
    "select=\"i in P\" send=\"to[i](x)\" guard=\"i != self\"",
    "receive=\"to[self](x)\"",
    "send=\"line(c, self)\"",
    "receive=\"line(== 0, friend)\"",
    "receive=\"line(_, v)\" guard=\"v == self or f[self]\"",
    "send=\"box[self](x)\"",
    "select=\"i in P\" receive=\"box[i](x)\" guard=\"not f[i]\"",
    "send=\"all\" guard=\"x == 0\"",
    "receive=\"all\" effect=\"f[self] = a; x = 2\"",
    "effect=\"pair[self].n = x; pair[self].of = last\"",
    "guard=\"pair[self].of == owner\" effect=\"pair[self].n = 0\"",
    "guard=\"Q[self].y\" effect=\"x = 0\"",
    "guard=\"R.busy\" effect=\"x = 2\"",
    "guard=\"else\" effect=\"a = true\"",
    "effect=\"a = not a\"",
};
/* These can tell instances apart, or the proof does not find the symmetry. */
static const char *const others[] = {
    "guard=\"self == 0\" effect=\"x = 1\"",
    "guard=\"f[0]\" effect=\"x = 1\"",
    "effect=\"friend = 0\"",
    "guard=\"owner gt self\" effect=\"x = 1\"",
    "effect=\"f[(self + 1) % N] = true\"",
    "effect=\"friend = (self + 1) % N\"",
    "guard=\"t\" effect=\"x = 1\"",
    "effect=\"c = last == 1 ? 1 : 0\"",
    "effect=\"for i in P: if (f[i]) friend = i\"",
    "effect=\"c = min(last, 1)\"",
    "effect=\"x = self % 2\"",
    "select=\"i in 1..N-1\" effect=\"f[i] = true\"",
    "effect=\"last = 0\"",
    "guard=\"last == 0\" effect=\"x = 0\"",
};
static const char *const of_q[] = {
    "effect=\"y = not y\"",
    "guard=\"P[self].x == 1\" effect=\"y = true\"",
    "guard=\"f[self] or owner == self\" effect=\"y = false\"",
    "receive=\"to[self](_)\" effect=\"y = true\"",
};
static const char *const properties[] = {
    "count(i in P : P[i].a) lt N",
    "not all(i in P : P[i].x == 2)",
    "owner == -1 or P[owner].x != 1",
    "exists(i in P : not f[i])",
    "not exists(i in P : exists(j in P : i != j and m[i][j] and m[j][i]))",
    "c == 0",
};

struct text {
  char bytes[16384];
  size_t length;
};

static void add(struct text *text, const char *more) {
  ck_assert_uint_lt(text->length + strlen(more), sizeof text->bytes);
  strcpy(text->bytes + text->length, more);
  text->length += strlen(more);
}

static void add_transition(struct text *text, const char *attributes, unsigned locations) {
  static const char *const names[] = {"l0", "l1", "l2"};
  char line[400];
  const char *from = names[pick(locations)], *to = names[pick(locations)];
  snprintf(line, sizeof line, "<transition from=\"%s\" to=\"%s\" %s/>\n", from, to, attributes);
  add(text, line);
}

static void add_declarations(struct text *text, unsigned n) {
  char line[200];
  snprintf(line, sizeof line, "<model name=\"random\"><constant name=\"N\" value=\"%u\"/>\n", n);
  add(text, line);
  add(text, "<record name=\"pr\"><field name=\"n\" range=\"0..2\"/><field name=\"of\" type=\"index of P\"/></record>\n"
            "<variable name=\"owner\" type=\"index of P\"/><variable name=\"id\" range=\"0..N\"/>\n"
            "<variable name=\"last\" range=\"0..N-1\"/><variable name=\"f\" type=\"bool\" size=\"N\"/>\n"
            "<variable name=\"m\" type=\"bool\" size=\"N, N\"/><variable name=\"c\" range=\"0..1\"/>\n"
            "<variable name=\"pair\" type=\"pr\" size=\"N\"/>\n"
            "<channel name=\"hand\" message=\"0..2, -1..N-1\"/><channel name=\"to\" size=\"N\" message=\"0..2\"/>\n"
            "<channel name=\"line\" capacity=\"2\" message=\"0..2, -1..N-1\"/>\n"
            "<channel name=\"box\" size=\"N\" capacity=\"1\" message=\"0..2\"/>\n"
            "<channel name=\"all\" broadcast=\"true\"/>\n<process name=\"P\" instances=\"N\">\n");
}

static void add_processes(struct text *text, bool committed, bool with_others) {
  add(text,
      pick(2) && with_others ? "<parameter name=\"t\" value=\"self == 1\"/>" : "<parameter name=\"t\" value=\"1\"/>");
  add(text, "<variable name=\"x\" range=\"0..2\"/><variable name=\"a\" type=\"bool\"/>\n"
            "<variable name=\"friend\" type=\"index of P\"/><variable name=\"own\" type=\"bool\" size=\"2\"/>\n"
            "<location name=\"l0\" initial=\"true\"/><location name=\"l1\"/>\n");
  add(text, committed ? "<location name=\"l2\" committed=\"true\"/>\n" : "<location name=\"l2\"/>\n");
  for (unsigned i = 0, count = 3 + pick(5); i < count; i++)
    add_transition(text, PICK(symmetric), 3);
  if (with_others)
    add_transition(text, PICK(others), 3);
  add(text, "</process>\n<process name=\"Q\" instances=\"N\"><variable name=\"y\" type=\"bool\"/>"
            "<location name=\"l0\" initial=\"true\"/><location name=\"l1\"/>\n");
  for (unsigned i = 0, count = pick(2); i < count; i++)
    add_transition(text, PICK(of_q), 2);
  add(text, "</process>\n<process name=\"R\"><variable name=\"busy\" type=\"bool\"/>"
            "<location name=\"l0\" initial=\"true\"/>\n");
  if (pick(2))
    add(text, "<transition from=\"l0\" guard=\"exists(i in P : f[i])\" effect=\"busy = not busy\"/>\n");
  if (pick(2))
    add(text, "<transition from=\"l0\" receive=\"line(_, w)\" effect=\"owner = w\"/>\n");
  add(text, "</process>\n");
}

static void make_text(uint64_t number, bool with_others, struct text *text) {
  char line[200];
  seed = number * 77 + 5;
  pick(2);
  text->length = 0;
  add_declarations(text, 2 + pick(3));
  add_processes(text, pick(4) == 0, with_others);
  for (unsigned i = 0; i < 2; i++) {
    snprintf(line, sizeof line, "<property id=\"p%u\" kind=\"invariant\">%s</property>\n", i, PICK(properties));
    add(text, line);
  }
  add(text, "</model>\n");
}

static void check_models(bool with_others, unsigned n, struct totals *totals) {
  static struct text text;
  const char *from = getenv("FLOE_TEST_FIRST"), *seeds = getenv("FLOE_TEST_SEEDS");
  const unsigned first = from ? (unsigned)atoi(from) : 0;
  n = seeds ? (unsigned)atoi(seeds) : at_length() ? 10 * n : n;
  totals->may_refuse = true;
  for (unsigned i = first; i < first + n; i++) {
    make_text(i, with_others, &text);
    check_model("random.xml", text.bytes, totals, i % 20 == 1, 1000);
  }
  printf(
      "%zu models, %zu not symmetric: %zu states, %zu orbits, %zu violations, %zu with failing steps, %zu too large\n",
      totals->models, totals->refused, totals->states, totals->orbits, totals->violated, totals->failing,
      totals->large);
}

START_TEST(symmetric_models) {
  struct totals totals = {0};
  check_models(false, 40, &totals);
  ck_assert_uint_gt(totals.models, 4 * totals.refused);
  ck_assert_uint_gt(totals.states, 2 * totals.orbits);
  ck_assert_uint_gt(totals.violated, 0);
  ck_assert_uint_gt(totals.failing, 0);
}
END_TEST

START_TEST(other_models) {
  struct totals totals = {0};
  check_models(true, 40, &totals);
  ck_assert_uint_gt(totals.refused, totals.models / 10);
}
END_TEST

/* Those of tests/model/symmetric/cases, with two instances of each process. */
START_TEST(cases) {
  static char text[1 << 14];
  static const char *const names[] = {"directory", "filter", "pairs"};
  struct totals totals = {0};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/model/symmetric/cases/%s.xml", getenv("top_srcdir"), names[i]);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file, "%s", path);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    char *value = strstr(text, "value=\"3\"");
    ck_assert_ptr_nonnull(value);
    value[strlen("value=\"")] = '2';
    check_model("case.xml", text, &totals, false, MOST_STATES);
  }
  ck_assert_uint_eq(totals.large, 0);
}
END_TEST

static const struct field *field_of(const floe_model *model, const char *name) {
  for (size_t v = 0; v < model->model->variable_count; v++)
    if (strcmp(model->model->variables[v].name, name) == 0)
      return &model->layout->fields[v];
  ck_abort_msg("no variable %s", name);
}

/* In one word and in several: what belongs to an instance, then its reference, and only then the next instance. */
START_TEST(instances_are_side_by_side) {
  static const char text[] = "<model name='m'><constant name='N' value='3'/><variable name='last' type='index of P'/>"
                             "<process name='P' instances='N'>"
                             "<variable name='friend' type='index of P'/><variable name='a' range='0..6'/>"
                             "<variable name='b' range='0..30'/>"
                             "<location name='l' initial='true'/><location name='k'/>"
                             "<transition from='l' to='k' effect='friend = last; a = 1; b = 2; last = self'/>"
                             "</process></model>";
  static const char *const sizes[] = {"3", "8"};
  for (size_t i = 0; i < 2; i++) {
    floe_model *model;
    ck_assert_int_eq(floe_model_parse("m.xml", text, strlen(text), NULL, &model), FLOE_OK);
    ck_assert_int_eq(floe_model_define(model, "N", sizes[i], NULL), FLOE_OK);
    model_set_symmetric(model, true);
    ck_assert_int_eq(floe_model_check(model, NULL), FLOE_OK);
    ck_assert_ptr_nonnull(model->layout->canonical);
    const struct field *a = field_of(model, "a"), *b = field_of(model, "b"), *other = field_of(model, "friend");
    ck_assert_uint_eq(a->width, 3);
    ck_assert_uint_eq(b->width, 5);
    ck_assert_uint_eq(model->layout->words, 1 + i);
    ck_assert_uint_eq(a->stride, 1 + 3 + 5 + other->width); /* with the location */
    ck_assert_uint_eq(b->stride, a->stride);
    ck_assert_uint_eq(b->shift, a->shift + 3);
    ck_assert_uint_eq(other->shift, b->shift + 5);
    ck_assert_uint_eq(other->stride, a->stride);
    floe_model_free(model);
  }
}
END_TEST

int main(void) {
  return suite_end(
      run_tests("symmetry of XML", CK_NOFORK, symmetric_models, other_models, cases, instances_are_side_by_side));
}
