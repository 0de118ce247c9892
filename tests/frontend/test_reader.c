#include "frontend/parse/syntax.h"
#include "frontend/xml/xml.h"

#include "reading.h"

#include <glob.h>
#include <stdlib.h>

static const char example[] = "<model name='peterson'>\n"
                              "  <description>\n    Two processes\n    that take turns. </description>\n"
                              "  <constant name='N' value='2' range='1..9'/><constant name='K'/>\n"
                              "  <variable name='flag' type='bool' size='N'/>\n"
                              "  <variable name='turn' range='0..N-1' init='1'/>\n"
                              "  <channel name='c' size='2' capacity='3' message='0..3, bool'/>\n"
                              "  <channel name='b' broadcast='true'/>\n"
                              "  <process name='P' instances='N'>\n"
                              "    <parameter name='other' value='1 - self'/>\n"
                              "    <variable name='x' range='0..3' size='2' init='1, 2'/>\n"
                              "    <location name='idle' initial='true'/>\n"
                              "    <location name='critical' committed='true'/>\n"
                              "    <transition from='idle' to='critical' label='enter' select='i in 0..1, p in P'\n"
                              "                guard='not flag[other] or turn == self' send='c[i](1, true)'\n"
                              "                effect='flag[self] = true; turn = other'/>\n"
                              "    <transition from=' idle  critical '><receive>c[0](x[1], _)</receive>\n"
                              "      <guard>turn &lt; 1</guard><effect><![CDATA[turn = 1 < 2]]></effect></transition>\n"
                              "    <transition from='*'/>\n"
                              "  </process>\n"
                              "  <process name='Q'><location name='only' initial='true'/></process>\n"
                              "  <property id='mutex' kind='invariant' description='d'>count(p in P : P[p].idle) le 1"
                              "</property>\n"
                              "  <property id='seen' kind='reachable'>P[0].idle</property>\n"
                              "  <property id='bad-1.2' kind='never'>P[0].idle</property>\n"
                              "  <deadlock check='false' unless='turn == 1'/>\n"
                              "  <expect constants='N=3, K=-1' states='16' transitions='9' levels='7' deadlocks='0'>\n"
                              "    <verdict property='mutex' value='holds'/>\n"
                              "    <verdict property='seen' value='reachable' depth='4'/></expect>\n"
                              "  <expect><verdict property='mutex' value='violated'/></expect>\n"
                              "</model>\n";

static struct syntax_model *read_example(struct reading *r) {
  struct syntax_model *model = NULL;
  reading_init(r, example, sizeof example - 1);
  floe_status status = syntax_read(&r->source, NULL, &r->arena, r->log, &model);
  ck_assert_msg(status == FLOE_OK, "%s", reading_message(r));
  return model;
}

static unsigned line_of(const struct reading *r, source_at at) {
  unsigned line, column;
  source_position(&r->source, at, &line, &column);
  return line;
}

START_TEST(model_level) {
  struct reading r;
  const struct syntax_model *m = read_example(&r);
  ck_assert_str_eq(m->name, "peterson");
  ck_assert_str_eq(m->description, "Two processes that take turns.");
  ck_assert_uint_eq(m->constant_count, 2);
  ck_assert(m->constants[0].value && m->constants[0].has_range);
  ck_assert(!m->constants[1].value && !m->constants[1].has_range);
  ck_assert_uint_eq(m->variable_count, 2);
  ck_assert(m->variables[0].dimension_count == 1 && !strcmp(m->variables[0].type.name, "bool") &&
            m->variables[0].init.n == 0);
  ck_assert(m->variables[1].dimension_count == 0 && m->variables[1].ranges.n == 1 &&
            m->variables[1].ranges.items[0].hi && m->variables[1].init.n == 1);
  ck_assert_uint_eq(m->channel_count, 2);
  ck_assert(m->channels[0].size && m->channels[0].capacity && m->channels[0].fields.n == 2);
  ck_assert(!m->channels[0].broadcast && m->channels[1].broadcast && !m->channels[1].capacity);
  ck_assert(m->deadlock.present && !m->deadlock.check && m->deadlock.unless);
  reading_free(&r);
}
END_TEST

START_TEST(process_level) {
  struct reading r;
  const struct syntax_model *m = read_example(&r);
  const struct syntax_process *p = &m->processes[0];
  ck_assert_uint_eq(m->process_count, 2);
  ck_assert(p->instances && !m->processes[1].instances);
  ck_assert_str_eq(p->parameters[0].name, "other");
  ck_assert_uint_eq(p->variables[0].init.n, 2);
  ck_assert_uint_eq(p->location_count, 2);
  ck_assert(p->locations[0].initial && !p->locations[0].committed);
  ck_assert(!p->locations[1].initial && p->locations[1].committed);
  ck_assert_uint_eq(p->transition_count, 3);
  reading_free(&r);
}
END_TEST

START_TEST(transitions_as_attributes_and_elements) {
  struct reading r;
  const struct syntax_transition *t = read_example(&r)->processes[0].transitions;
  ck_assert_str_eq(t[0].label, "enter");
  ck_assert_str_eq(t[0].to.name, "critical");
  ck_assert_uint_eq(t[0].select_count, 2);
  ck_assert_uint_eq(t[0].effect_count, 2);
  ck_assert(t[0].guard && t[0].sync->send && t[0].sync->n == 2);
  ck_assert_uint_eq(t[1].from_count, 2);
  ck_assert_str_eq(t[1].from[1].name, "critical");
  ck_assert(!t[1].to.name && t[1].guard && !t[1].sync->send);
  ck_assert_int_eq(t[1].effects[0].value->op, SYN_LT);
  ck_assert_uint_eq(line_of(&r, t[1].guard->at), 19);
  ck_assert_uint_eq(line_of(&r, t[0].effects[1].at), 17);
  ck_assert_str_eq(t[1].label, "");
  ck_assert_str_eq(t[2].from[0].name, "*");
  ck_assert(!t[2].guard && !t[2].sync);
  reading_free(&r);
}
END_TEST

START_TEST(properties_and_expectations) {
  struct reading r;
  const struct syntax_model *m = read_example(&r);
  ck_assert_uint_eq(m->property_count, 3);
  ck_assert_int_eq(m->properties[0].kind, FLOE_INVARIANT);
  ck_assert_str_eq(m->properties[0].description, "d");
  ck_assert_int_eq(m->properties[1].kind, FLOE_REACHABLE);
  ck_assert_int_eq(m->properties[2].kind, FLOE_NEVER);
  ck_assert_uint_eq(m->expect_count, 2);
  const struct expectation *e = m->expects;
  ck_assert_uint_eq(e->constant_count, 2);
  ck_assert_int_eq(e->states, 16);
  ck_assert_int_eq(e->deadlocks, 0);
  ck_assert_int_eq(e[1].states, -1);
  ck_assert_int_eq(e->verdicts[0].value, FLOE_HOLDS);
  ck_assert_int_eq(e->verdicts[0].depth, -1);
  ck_assert_int_eq(e->verdicts[1].value, FLOE_IS_REACHABLE);
  ck_assert_int_eq(e->verdicts[1].depth, 4);
  ck_assert_int_eq(e[1].verdicts[0].value, FLOE_VIOLATED);
  reading_free(&r);
}
END_TEST

START_TEST(device_team_errors_in_one_run) {
  static const char text[] = "<model name='m' colour='red'>\n"
                             "  <variable name='v'/>\n"
                             "  <process name='P' instances='1 +'>\n"
                             "    <location name='a' initial='yes'/>\n"
                             "    <transition from='a' guard='v ='/>\n"
                             "  </process>\n</model>\n";
  struct reading r;
  struct syntax_model *model = NULL;
  reading_init(&r, text, sizeof text - 1);
  ck_assert_int_eq(syntax_read(&r.source, NULL, &r.arena, r.log, &model), FLOE_ERROR_MODEL);
  ck_assert_ptr_null(model);
  ck_assert_uint_eq(floe_log_errors(r.log), 5);
  reading_free(&r);
}
END_TEST

/* ---- reader and schema --------------------------------------------------------------- */

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
  *length = (size_t)ftell(file);
  rewind(file);
  char *text = mem_alloc(*length + 1);
  ck_assert_uint_eq(fread(text, 1, *length, file), *length);
  fclose(file);
  return text;
}

static bool reads(const char *text, size_t length) {
  struct reading r;
  struct syntax_model *model;
  reading_init(&r, text, length);
  floe_status status = syntax_read(&r.source, NULL, &r.arena, r.log, &model);
  reading_free(&r);
  return status == FLOE_OK;
}

static bool validates(const char *text, size_t length) {
  struct reading r;
  reading_init(&r, text, length);
  floe_status status = xml_validate(&r.source, r.log);
  ck_assert_int_eq(floe_log_errors(r.log), status != FLOE_OK);
  reading_free(&r);
  return status == FLOE_OK;
}

/* Checks reader and schema for all files of a pattern under the source folder; at least `least` of them. */
static void assert_agree(const char *pattern, bool accepted_by_reader, bool accepted_by_schema, size_t least) {
  const char *top = getenv("top_srcdir");
  char path[1000];
  glob_t files;
  snprintf(path, sizeof path, "%s/%s", top ? top : ".", pattern);
  ck_assert_int_eq(glob(path, 0, NULL, &files), 0);
  ck_assert_uint_ge(files.gl_pathc, least);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    size_t length;
    char *text = read_file(files.gl_pathv[i], &length);
    ck_assert_msg(reads(text, length) == accepted_by_reader, "reader: %s", files.gl_pathv[i]);
    ck_assert_msg(validates(text, length) == accepted_by_schema, "schema: %s", files.gl_pathv[i]);
    mem_free(text);
  }
  globfree(&files);
}

START_TEST(models_are_accepted_by_reader_and_schema) { assert_agree("models/*.xml", true, true, 8); }
END_TEST

START_TEST(wrong_shapes_are_rejected_by_reader_and_schema) { assert_agree("tests/bad/shape_*.xml", false, false, 30); }
END_TEST

START_TEST(wrong_expressions_pass_the_schema) {
  assert_agree("tests/bad/expr_*.xml", false, true, 30);
  assert_agree("tests/bad/text_*.xml", false, true, 2);
}
END_TEST

START_TEST(wrong_names_pass_the_reader) { assert_agree("tests/bad/check_*.xml", true, true, 1); }
END_TEST

/* ---- memory -------------------------------------------------------------------------- */

/* True if an injected failure is still pending. */
static bool failure_pending(void) {
  for (int i = 0; i < 1000; i++) {
    void *p = mem_alloc(1);
    mem_free(p);
    if (!p)
      return true;
  }
  return false;
}

/* Makes the n-th allocation fail, for n = 1, 2, ... until no allocation fails. */
static void assert_survives(const char *text, size_t length, floe_status otherwise) {
  for (long n = 1;; n++) {
    struct reading r;
    struct syntax_model *model = NULL;
    reading_init(&r, text, length);
    mem_fail_after(n);
    floe_status status = syntax_read(&r.source, NULL, &r.arena, r.log, &model);
    bool pending = failure_pending(); /* the failure is still to come */
    mem_fail_after(0);
    ck_assert(status == otherwise || status == FLOE_ERROR_MEMORY);
    ck_assert((status == FLOE_OK) == (model != NULL));
    reading_free(&r);
    if (pending)
      return;
  }
}

START_TEST(any_allocation_may_fail) {
  static const char bad[] = "<model name='m' colour='red'><variable name='v'/>"
                            "<process name='P' instances='1 +'/></model>";
  assert_survives(example, sizeof example - 1, FLOE_OK);
  assert_survives(bad, sizeof bad - 1, FLOE_ERROR_MODEL);
}
END_TEST

/* 20000 transitions: quadratic time would be minutes. */
START_TEST(large_models_are_fast) {
  static const char unit[] = "<transition from='a b' guard='x &lt; 3 and y[1] == 2' effect='x = 1'/>\n";
  static const char start[] = "<model name='m'><process name='P'><location name='a' initial='true'/>\n";
  const size_t n = 20000;
  char *text = mem_alloc(sizeof start + n * sizeof unit + 100);
  char *out = stpcpy(text, start);
  for (size_t i = 0; i < n; i++)
    out = stpcpy(out, unit);
  out = stpcpy(out, "</process></model>");
  ck_assert(reads(text, (size_t)(out - text)));
  mem_free(text);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  return run_tests("reader", CK_NOFORK, model_level, process_level, transitions_as_attributes_and_elements,
                   properties_and_expectations, device_team_errors_in_one_run, models_are_accepted_by_reader_and_schema,
                   wrong_shapes_are_rejected_by_reader_and_schema, wrong_expressions_pass_the_schema,
                   wrong_names_pass_the_reader, any_allocation_may_fail, large_models_are_fast, nothing_leaks);
}
