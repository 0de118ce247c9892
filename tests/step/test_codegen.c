/* Generated code agrees with the interpreter: on random models, random states, and the models of models/. */
#include "compare.h"
#include "random_model.h"
#include "tests/suite.h"

#include "step/codegen/code_size.h"
#include "step/codegen/codegen_line_wrap.h"
#include "step/codegen/codegen_merge.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* Unoptimised code takes half the time to compile. Soaks also use FLOE_TEST_CC="cc -O2", "clang"
   or, with a build for sanitizers, "cc -O0 -fsanitize=undefined". */
static struct compile_options quick = {"cc -O0", "", NULL};

static size_t states, edges, failures, triggers, by_changes, models;

static void compare(struct loaded *loaded, const char *name, size_t max_states, uint64_t seed) {
  struct comparison comparison = {.loaded = loaded, .max_states = max_states, .random_states = 100, .seed = seed};
  floe_status status = compiled_create(loaded->model, loaded->layout, &quick, loaded->log, &comparison.other);
  ck_assert_msg(status == FLOE_OK, "%s: %s", name, loaded_message(loaded));
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &comparison.reference), FLOE_OK);
  bool same = compare_steppers(&comparison);
  ck_assert_msg(same, "%s: %s", name, comparison.difference);
  comparison.other->free(comparison.other);
  comparison.reference->free(comparison.reference);
  states += comparison.states;
  edges += comparison.edges;
  failures += comparison.failures;
  triggers += comparison.triggers;
  by_changes += comparison.by_changes;
  models++;
}

static void compare_random(struct random_model *model) { compare(&model->loaded, model->name, 500, model->seed); }

/* A soak runs more: FLOE_TEST_SEEDS=5000 FLOE_TEST_FIRST=1000 */
START_TEST(random_models_agree) {
  each_random_model("plain", random_seeds(at_length() ? 40 : 9), compare_random);
  each_random_model("wide", random_seeds(at_length() ? 40 : 9) / 3, compare_random);
}
END_TEST

/* Checks that the random models cover the cases they are for. */
START_TEST(random_models_cover) {
  ck_assert_uint_gt(states, 10 * models);
  ck_assert_uint_gt(edges, states);
  ck_assert_uint_gt(failures, 0);
  ck_assert_uint_gt(triggers, 0);
  ck_assert_uint_gt(by_changes, 0);
}
END_TEST

/* `make check`: a quarter, by the first character of the name. */
START_TEST(shipped_models_agree) {
  const char *root = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/models", root ? root : ".");
  DIR *folder = opendir(path);
  ck_assert_ptr_nonnull(folder);
  size_t before = models;
  for (struct dirent *entry; (entry = readdir(folder));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".xml") != 0 || (!at_length() && entry->d_name[0] % 4 != 'p' % 4))
      continue;
    snprintf(path, sizeof path, "%s/models/%.200s", root ? root : ".", entry->d_name);
    struct loaded loaded;
    ck_assert_msg(loaded_from_file(&loaded, path, NULL, 0), "%s: %s", path, loaded_message(&loaded));
    compare(&loaded, entry->d_name, 2000, 1);
    loaded_free(&loaded);
  }
  closedir(folder);
  ck_assert_uint_gt(models, before);
}
END_TEST

/* A label is free text: it must never become code. */
START_TEST(a_label_is_not_code) {
  static const char text[] = "<model name='m'><process name='P'><location name='l' initial='true'/>"
                             "<transition from='l' label='*/ #error injected&#10;#error /*'/>"
                             "<transition from='l' label='?\?/&#10; \\&#10; // /* */ injected'/></process></model>";
  struct loaded loaded;
  ck_assert_msg(loaded_from_text(&loaded, "label", text, sizeof text - 1, NULL, 0), "%s", loaded_message(&loaded));
  compare(&loaded, "label", 10, 1);
  loaded_free(&loaded);
}
END_TEST

START_TEST(long_names) {
  enum { LENGTH = 3000 };
  char name[LENGTH + 1], *text;
  size_t length;
  memset(name, 'n', LENGTH);
  name[LENGTH] = '\0';
  FILE *file = open_memstream(&text, &length);
  fprintf(file,
          "<model name='%s'><variable name='v%s' range='0..3' size='2'/><process name='p%s'>"
          "<location name='l%s' initial='true'/><location name='m%s'/>"
          "<transition from='l%s' to='m%s' label='%s' effect='v%s[1] = 2'/></process>"
          "<property id='%s' kind='never'>v%s[1] == 2</property></model>",
          name, name, name, name, name, name, name, name, name, name, name);
  fclose(file);
  struct loaded loaded;
  ck_assert_msg(loaded_from_text(&loaded, "long", text, length, NULL, 0), "%s", loaded_message(&loaded));
  compare(&loaded, "long", 10, 1);
  loaded_free(&loaded);
  free(text);
}
END_TEST

/* From 400 ground transitions on the code is compact (kernel/emitter.h). */
START_TEST(many_transitions) {
  char *text;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  fprintf(file, "<model name='many'><variable name='x' range='0..5' size='4'/>"
                "<process name='P' instances='6'><variable name='y' range='0..2'/>");
  for (int l = 0; l < 70; l++)
    fprintf(file,
            "<location name='l%d'%s/><transition from='l%d' to='l%d' select='i in 0..%d' "
            "effect='x[y + i] += i; y = (y + %d) %% 3'/>",
            l, l ? "" : " initial='true'", l, (l * 7 + 1) % 70, l % 3, l);
  fprintf(file, "</process></model>");
  fclose(file);
  struct loaded loaded;
  ck_assert_msg(loaded_from_text(&loaded, "many", text, length, NULL, 0), "%s", loaded_message(&loaded));
  ck_assert_uint_eq(loaded.model->transition_count, 420);
  compare(&loaded, "many", 3000, 1);
  loaded_free(&loaded);
  free(text);
}
END_TEST

/* Conjuncts of a guard are tested before the loops of selects that they do not use, unless a conjunct can fail. */
START_TEST(guards_outside_loops) {
  static const struct {
    const char *guard;
    bool before; /* x is tested before the loop */
  } cases[] = {{"i != y and x == 2", true},
               {"x == 2 and i != y", true},
               {"6 / y == i and x == 2", false},
               {"i != y or x == 2", false}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[512];
    const int length = snprintf(text, sizeof text,
                                "<model name='m'><variable name='x' range='0..2'/><variable name='y' range='0..2'/>"
                                "<process name='P'><location name='l' initial='true'/>"
                                "<transition from='l' select='i in 0..2' guard='%s' effect='y = i'/>"
                                "<transition from='l' guard='x != 2' effect='x = x + 1'/></process></model>",
                                cases[k].guard);
    struct loaded loaded;
    const char *code;
    ck_assert_msg(loaded_from_text(&loaded, "guards", text, (size_t)length, NULL, 0), "%s", loaded_message(&loaded));
    ck_assert_int_eq(codegen_text(loaded.model, loaded.layout, CODEGEN_CPU, NULL, &loaded.arena, &code), FLOE_OK);
    const char *loop = strstr(code, "for (int32_t select0"), *test = strstr(code, "(s) == 2");
    ck_assert_ptr_nonnull(loop);
    ck_assert_ptr_nonnull(test);
    ck_assert_msg((test < loop) == cases[k].before, "%s", cases[k].guard);
    compare(&loaded, cases[k].guard, 100, 1);
    loaded_free(&loaded);
  }
}
END_TEST

/* Each case contains x == 2 twice. */
START_TEST(repeated_conjuncts_are_written_once) {
  static const struct {
    const char *guard;
    int times;
  } cases[] = {{"x == 2 and x == 2", 1},
               {"y == 1 and x == 2 and x == 2", 1},
               {"not (x == 2 or x == 2)", 1},
               {"y != (x == 2 and x == 2 ? 1 : 0)", 1},
               {"x == 2 and (y == 1 and x == 2)", 2},
               {"(x == 2 or y == 0) and (x == 2 or y == 1)", 2},
               {"a[x] == 0 and a[x] == 0 and (x == 2 or x == 2)", 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[512];
    const int length = snprintf(text, sizeof text,
                                "<model name='m'><variable name='x' range='0..2'/><variable name='y' range='0..2'/>"
                                "<variable name='a' range='0..1' size='2'/>"
                                "<process name='P'><location name='l' initial='true'/>"
                                "<transition from='l' guard='%s' effect='y = (y + 1) %% 3; a[0] = 1 - a[0]'/>"
                                "<transition from='l' effect='x = (x + 1) %% 3'/></process></model>",
                                cases[k].guard);
    struct loaded loaded;
    const char *code;
    int times = 0;
    ck_assert_msg(loaded_from_text(&loaded, "twice", text, (size_t)length, NULL, 0), "%s", loaded_message(&loaded));
    ck_assert_int_eq(codegen_text(loaded.model, loaded.layout, CODEGEN_CPU, NULL, &loaded.arena, &code), FLOE_OK);
    for (const char *at = code; (at = strstr(at, "(s) == 2")); at++)
      times++;
    ck_assert_msg(times == cases[k].times, "%s: %d times", cases[k].guard, times);
    compare(&loaded, cases[k].guard, 100, 1);
    loaded_free(&loaded);
  }
}
END_TEST

/* Operators of called functions count at each call. */
START_TEST(operators_are_counted) {
  static const char text[] =
      "FLOE_DEVICE int floe_min32(int a, int b) { return a < b ? a : b; }\n"
      "FLOE_DEVICE int twice(int a) {\n  /* a + a - a */\n  return floe_min32(2 * a, 9) + 1;\n}\n"
      "int other(int a) {\n  return a + a;\n}\n"
      "FLOE_DEVICE int floe_properties(int s) { return ~s; }\n"
      "FLOE_DEVICE void floe_successors(int s) {\n  twice(s), twice(s + 1);\n  other(s);\n}\n";
  uint64_t operators;
  ck_assert_int_eq(code_operators(text, &operators), FLOE_OK);
  ck_assert_uint_eq(operators, 1 + 2 * 4 + 1);
  ck_assert_int_eq(code_operators("", &operators), FLOE_OK);
  ck_assert_uint_eq(operators, 0);
}
END_TEST

/* Number of firings in the text: identical firings of several locations are written once. The interpreter has each
   transition separately. */
struct merging {
  const char *name, *text;
  size_t transitions, firings;
};

static void check_merging(const struct merging *merging, struct loaded *loaded) {
  const char *code;
  size_t firings = 0;
  ck_assert_uint_eq(loaded->model->transition_count, merging->transitions);
  ck_assert_int_eq(codegen_text(loaded->model, loaded->layout, CODEGEN_CPU, NULL, &loaded->arena, &code), FLOE_OK);
  for (const char *at = code; (at = strstr(at, "FLOE_EMIT(")); at++)
    firings++;
  for (const char *line = code; *line; line += strcspn(line, "\n") + 1)
    ck_assert_msg(strcspn(line, "\n") <= CODEGEN_COLUMNS, "%s: %.200s", merging->name, line);
  ck_assert_msg(firings == merging->firings, "%s: %zu firings", merging->name, firings);
  compare(loaded, merging->name, 2000, 1);
}

#define LOCATIONS                                                                                                      \
  "<location name='a' initial='true'/><location name='b'/><location name='c'/>"                                        \
  "<location name='d'/><location name='e'/>"
#define STEPS                                                                                                          \
  "<transition from='a' to='b' guard='x != 3' effect='x = (x + 1) % 6'/>"                                              \
  "<transition from='b' to='c'/><transition from='c' to='d'/><transition from='d' to='e'/>"
#define MODEL(process)                                                                                                 \
  "<model name='m'><variable name='x' range='0..5'/><variable name='y' range='0..2'/>" process "</model>"
#define PROCESS(name, transitions) "<process name='" name "'>" LOCATIONS transitions "</process>"
#define HANDSHAKE(transitions)                                                                                         \
  "<model name='m'><variable name='x' range='0..5'/><variable name='y' range='0..2'/>"                                 \
  "<channel name='h'/><process name='S'><location name='s' initial='true'/>"                                           \
  "<transition from='s' send='h' effect='y = (y + 1) % 3'/></process>" PROCESS("R", STEPS transitions) "</model>"

static const struct merging mergings[] = {
    {"behind", MODEL(PROCESS("P", STEPS "<transition from='*' to='a' effect='y = x / 2'/>")), 9, 5},
    {"in front", MODEL(PROCESS("P", "<transition from='*' to='c' effect='y = x / 2'/>" STEPS)), 9, 5},
    {"between",
     MODEL(PROCESS("P", STEPS "<transition from='*' effect='y = 1'/>"
                              "<transition from='c' effect='y = 2'/>")),
     10, 10},
    {"labels",
     MODEL(PROCESS("P", "<transition from='a' to='e'/><transition from='a' to='c'/>"
                        "<transition from='e b c' to='a' effect='x = (x + 1) % 6'/>"
                        "<transition from='c b' select='i in 0..2' effect='y = i'/>"
                        "<transition from='*' to='b' guard='x lt 2'/>")),
     12, 6},
    {"errors",
     MODEL(PROCESS("P", STEPS "<transition from='*' to='a' select='i in 0..2' "
                              "guard='6 / y != i' effect='y = x - i'/>")),
     9, 5},
    {"errors without selects",
     MODEL(PROCESS("P", STEPS "<transition from='*' to='a' guard='6 / y != 3' effect='y = x'/>")), 9, 5},
    {"receiver", HANDSHAKE("<transition from='*' to='b' receive='h' effect='x = (x + 1) % 6'/>"), 9, 5},
    {"receiver at some",
     HANDSHAKE("<transition from='e b a' to='b' receive='h' effect='x = y'/>"
               "<transition from='c d' receive='h' effect='x = 6 / y'/>"),
     9, 6},
    {"committed",
     MODEL("<process name='Q'><location name='q' initial='true'/>"
           "<transition from='q' effect='y = (y + 1) % 3'/></process>"
           "<process name='P'><location name='a' initial='true'/>"
           "<location name='b' committed='true'/><location name='c'/>"
           "<transition from='a' to='b'/><transition from='b' to='c'/>"
           "<transition from='*' to='a' effect='x = 1'/></process>"),
     6, 6},
};

START_TEST(equal_locations_share_a_body) {
  for (size_t k = 0; k < sizeof mergings / sizeof *mergings; k++) {
    struct loaded loaded;
    const char *text = mergings[k].text;
    ck_assert_msg(loaded_from_text(&loaded, "merging", text, strlen(text), NULL, 0), "%s", loaded_message(&loaded));
    check_merging(&mergings[k], &loaded);
    loaded_free(&loaded);
  }
}
END_TEST

/* With its first constants, 2 devices. A device's report to its manager is written once for all locations of the
   manager, and so is dropping an old message. */
START_TEST(havi_has_few_bodies) {
  static const struct merging havi = {"havi", NULL, 66, 36};
  const char *root = getenv("top_srcdir");
  char path[4096];
  struct loaded loaded;
  snprintf(path, sizeof path, "%s/models/havi.xml", root ? root : ".");
  ck_assert_msg(loaded_from_file(&loaded, path, NULL, 0), "%s", loaded_message(&loaded));
  check_merging(&havi, &loaded);
  loaded_free(&loaded);
}
END_TEST

/* ---- lines -------------------------------------------------------------------------------------- */

#define A40 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void wrap(void *data) {
  struct text_buffer *texts = data;
  codegen_wrap(&texts[1], texts[0].bytes);
}

START_TEST(long_lines_are_broken) {
  static const struct {
    const char *from, *to;
  } cases[] = {
      {"", ""},
      {"  x;\n\n}\n", "  x;\n\n}\n"},
      /* outside of brackets where that is beyond a third */
      {"  if (" A40 " && f(" A40 ", x) || g(" A40 ", y)) z;",
       "  if (" A40 " && f(" A40 ", x) ||\n      g(" A40 ", y)) z;"},
      {"  x = f(a, g(" A40 ", " A40 ", " A40 ", b));", "  x = f(a, g(" A40 ", " A40 ",\n        " A40 ", b));"},
      {"#define x(y) f(" A40 ", " A40 ", " A40 ")", "#define x(y) f(" A40 ", " A40 ", \\\n    " A40 ")"},
      {"  /* " A40 " " A40 " " A40 " */ \n", "  /* " A40 " " A40 "\n     " A40 " */ \n"},
      /* no place to break at */
      {"  " A40 A40 A40 " + 1;\n", "  " A40 A40 A40 " + 1;\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct arena arena;
    arena_init(&arena);
    struct text_buffer texts[2] = {{.bytes = (char *)(uintptr_t)cases[i].from}, {.arena = &arena}};
    ck_assert_int_eq(arena_guard(&arena, wrap, texts), 0);
    ck_assert_str_eq(texts[1].length ? texts[1].bytes : "", cases[i].to);
    arena_free(&arena);
  }
}
END_TEST

/* Two transitions that differ only in their first location, and differences that must keep them separate. */
struct pair {
  struct expr guards[2], values[2], targets[2];
  const struct expr *guard_lists[2][1];
  struct select selects[2];
  struct location_test tests[2][2];
  struct participant participants[2];
  struct statement statements[2][2]; /* an assignment, the move to location 2 */
  struct transition transitions[2];
};

static void make_pair(struct pair *pair) {
  memset(pair, 0, sizeof *pair);
  for (uint32_t i = 0; i < 2; i++) {
    pair->guards[i] = pair->values[i] = (struct expr){.op = EXPR_CONST, .site = NO_SITE, .value = 1};
    pair->targets[i] = (struct expr){.op = EXPR_CONST, .site = NO_SITE, .value = 2};
    pair->guard_lists[i][0] = &pair->guards[i];
    pair->selects[i] = (struct select){.name = "s", .hi = 3};
    pair->tests[i][0] = (struct location_test){7, 0, i};
    pair->tests[i][1] = (struct location_test){8, 1, 1};
    pair->statements[i][0] = (struct statement){.op = ST_ASSIGN, .id = 3, .site = 5, .value = &pair->values[i]};
    pair->statements[i][1] = (struct statement){.op = ST_ASSIGN, .id = 7, .site = NO_SITE, .value = &pair->targets[i]};
    pair->transitions[i] = (struct transition){.tests = pair->tests[i],
                                               .test_count = 2,
                                               .selects = &pair->selects[i],
                                               .select_count = 1,
                                               .guards = pair->guard_lists[i],
                                               .guard_count = 1,
                                               .statements = pair->statements[i],
                                               .statement_count = 2,
                                               .participants = &pair->participants[i],
                                               .participant_count = 1};
  }
}

#define APART(change)                                                                                                  \
  do {                                                                                                                 \
    make_pair(&pair);                                                                                                  \
    change;                                                                                                            \
    ck_assert_msg(codegen_shared_body(pair.transitions, 2, &varying) == 1, "%s", #change);                             \
  } while (0)

START_TEST(different_transitions_are_not_merged) {
  struct pair pair;
  size_t varying;
  make_pair(&pair);
  ck_assert_uint_eq(codegen_shared_body(pair.transitions, 1, &varying), 1);
  ck_assert_uint_eq(codegen_shared_body(pair.transitions, 2, &varying), 2);
  ck_assert_uint_eq(varying, 0);
  APART(pair.guards[1].value = 0);
  APART(pair.transitions[1].guard_count = 0);
  APART(pair.values[1].value = 0);
  APART(pair.values[1].hi = 9);
  APART(pair.targets[1].value = 3);
  APART(pair.statements[1][0].site = 6);
  APART(pair.statements[1][0].id = 4);
  APART(pair.statements[1][0].op = ST_LET);
  APART(pair.selects[1].hi = 4);
  APART(pair.transitions[1].select_count = 0);
  APART(pair.participants[1].edge = 1);
  APART(pair.transitions[1].temp_count = 1);
  APART(pair.tests[1][0].location = 0);
  APART(pair.tests[1][0].element = 1);
  APART(pair.tests[1][1].location = 2);
  APART(pair.transitions[1].test_count = 1);
  APART(pair.transitions[1].statement_count = 1); /* it stays, at 1 */
  APART(pair.transitions[1].statement_count = 0);
  pair.transitions[0].statement_count = pair.transitions[1].statement_count = 1; /* both stay */
  ck_assert_uint_eq(codegen_shared_body(pair.transitions, 2, &varying), 2);
  make_pair(&pair);
  pair.tests[1][0].location = 2; /* where the other goes: it stays there */
  pair.transitions[1].statement_count = 1;
  ck_assert_uint_eq(codegen_shared_body(pair.transitions, 2, &varying), 2);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  if (getenv("FLOE_TEST_CC"))
    quick.compiler = getenv("FLOE_TEST_CC");
  TCase *tests = tcase_create("codegen");
  if (random_models_possible())
    add_tests(tests, random_models_agree, random_models_cover);
  add_tests(tests, operators_are_counted, shipped_models_agree, a_label_is_not_code, long_names, many_transitions,
            guards_outside_loops, repeated_conjuncts_are_written_once, equal_locations_share_a_body,
            havi_has_few_bodies, long_lines_are_broken, different_transitions_are_not_merged, nothing_leaks);
  const int status = run_suite("codegen", CK_NOFORK, tests);
  printf("%zu models, %zu states, %zu firings, %zu of them failing, %zu triggers\n", models, states, edges, failures,
         triggers);
  return status;
}
