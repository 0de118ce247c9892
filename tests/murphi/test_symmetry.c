/* Symmetry reduction of Murphi against brute force (tests/model/brute_symmetry.h), on random models. */
#include "tests/model/brute_symmetry.h"

/* ---- random models ------------------------------------------------------------------------------- */

#define PICK(list) list[pick(sizeof list / sizeof *list)]

static const char *const guards[] = {
    "x[i] = p",
    "x[i] != r",
    "x[j] = q",
    "i != j",
    "!isundefined(y[i])",
    "isundefined(y[i])",
    "isundefined(w)",
    "!isundefined(w) & w = i",
    "z[k][i]",
    "!z[k][i]",
    "c < 2",
    "v = k",
    "!ismember(v, b)",
    "m[i][j]",
    "!m[i][j]",
    "exists l: a do x[l] = r end",
    "forall l: a do z[k][l] | l = i end",
    "g[k].n = c",
    "isundefined(g[k].o)",
    "exists l: b do !isundefined(g[l].o) & g[l].o = i end",
    "forall l: a do isundefined(y[l]) | y[l] != i end",
    "exists l: a do y[l] = j end", /* may fail */
};
static const char *const actions[] = {
    "x[i] := q;",
    "x[i] := p;",
    "x[j] := x[i];",
    "y[i] := j;",
    "y[j] := i;",
    "undefine y[i];",
    "w := i;",
    "undefine w;",
    "z[k][i] := !z[k][i];",
    "z[k][j] := x[i] = p;",
    "c := (c + 1) % 3;",
    "v := k;",
    "v := s;",
    "m[i][j] := true;",
    "m[i][j] := !m[j][i];",
    "x[y[i]] := r;",
    "g[k].n := c;",
    "g[k].o := i;",
    "undefine g[k];",
    "g[k].n := 0;",
    "for l: a do if x[l] = p then x[l] := q end end;",
    "for l: a do z[k][l] := false end;",
    "for l: a do if l != i then undefine y[l] end end;",
    "for l: a do m[l][i] := x[l] = q end;",
    "for l: a do if x[l] = r then c := 0 end end;",
    "for l: b do g[l].n := 1 end;",
    "h[i] := i = j ? q : x[i];",
    "h[s] := x[i];",
    "h[i] := h[s];",
    "if !isundefined(w) then y[w] := i end;",
};
static const char *const bag_actions[] = {
    "multisetadd(i, bag[k]);",
    "multisetadd(j, bag[k]);",
    "multisetremovepred(l: bag[k], bag[k][l] = i);",
    "if multisetcount(l: bag[k], bag[k][l] = j) = 1 then x[i] := q end;",
    "d.n := c; d.o := i; multisetadd(d, net);",
    "d.n := 1; if x[i] = p then d.o := j end; multisetadd(d, net);",
    "for l: a do if x[l] = p then multisetadd(l, bag[k]) end end;",
    "multisetremovepred(l: net, net[l].n = c);",
};
static const char *const properties[] = {
    "forall l: a do x[l] != r end",
    "exists l: a do x[l] = p end",
    "isundefined(w) | x[w] != q",
    "forall l: a; n: a do l = n | !m[l][n] | !m[n][l] end",
    "c != 2",
};

#define LONGEST 8192

struct text {
  char bytes[LONGEST];
  size_t length;
};

static void add(struct text *text, const char *more) {
  ck_assert_uint_lt(text->length + strlen(more), LONGEST);
  strcpy(text->bytes + text->length, more);
  text->length += strlen(more);
}

static void add_rule(struct text *text, bool bags) {
  add(text, "  rule ");
  for (unsigned i = 0, n = 1 + pick(2); i < n; i++) {
    add(text, i ? " & (" : "(");
    add(text, PICK(guards));
    add(text, ")");
  }
  add(text, bags ? " ==> var d: message; begin " : " ==> begin ");
  for (unsigned i = 0, n = 1 + pick(2); i < n; i++)
    add(text, bags && pick(2) ? PICK(bag_actions) : PICK(actions));
  add(text, " end;\n");
}

static void make_text(uint64_t number, struct text *text) {
  char line[200];
  seed = number * 77 + 5;
  pick(2);
  text->length = 0;
  const bool bags = pick(3) == 0; /* of few values, as places have permutations, too */
  snprintf(line, sizeof line, "type a: scalarset(%u); b: scalarset(%u);\n", 2 + pick(bags ? 2 : 3), 1 + pick(2));
  add(text, line);
  add(text, "e: enum { p, q, r }; f: enum { s }; u: union { f, b }; t: union { a, f };\n"
            "var x: array [a] of e; y: array [a] of a; z: array [b] of array [a] of boolean; w: a; v: u; c: 0..2;\n"
            "m: array [a] of array [a] of boolean; g: array [b] of record n: 0..2; o: a end; h: array [t] of e;\n");
  if (bags)
    add(text, "type message: record n: 0..2; o: a end;\n"
              "var bag: array [b] of multiset [2] of a; net: multiset [2] of message;\n");
  add(text, pick(2) ? "ruleset i0: a do startstate begin w := i0; " : "startstate begin ");
  add(text, "for i: a do x[i] := p; h[i] := p; for k: b do z[k][i] := false end; for j: a do m[i][j] := false end end;"
            " h[s] := q; v := s; c := 0; for k: b do g[k].n := 0 end; end;");
  add(text, strstr(text->bytes, "i0") ? " end;\n" : "\n");
  add(text, "ruleset i: a; j: a; k: b do\n");
  for (unsigned i = 0, n = 2 + pick(4); i < n; i++)
    add_rule(text, bags);
  if (bags)
    add(text, "  choose l: bag[k] do rule x[i] = p ==> begin y[i] := bag[k][l]; multisetremove(l, bag[k]) end end;\n"
              "  choose l: net do rule net[l].n != c & i = j ==> begin undefine net[l].o; c := net[l].n end end;\n");
  add(text, "end;\n");
  if (pick(4) == 0)
    add(text, "ruleset i: a; k: b do assume z[k][i] | x[i] != r | c < 2 end;\n");
  for (unsigned i = 0; i < 2; i++) {
    snprintf(line, sizeof line, "invariant %s;\n", PICK(properties));
    add(text, line);
  }
}

/* More: FLOE_TEST_SEEDS=1000 FLOE_TEST_FIRST=100 */
START_TEST(random_models) {
  static struct text text;
  struct totals totals = {0};
  const char *seeds = getenv("FLOE_TEST_SEEDS"), *from = getenv("FLOE_TEST_FIRST");
  const unsigned first = from ? (unsigned)atoi(from) : 0, n = seeds ? (unsigned)atoi(seeds) : at_length() ? 200 : 24;
  for (unsigned i = first; i < first + n; i++) {
    make_text(i, &text);
    check_model("random.m", text.bytes, &totals, i % 20 == 1, 1000);
  }
  printf("%zu models: %zu states, %zu orbits, %zu transitions, %zu violations, %zu with failing steps, %zu too large\n",
         totals.models, totals.states, totals.orbits, totals.transitions, totals.violated, totals.failing,
         totals.large);
  ck_assert_uint_lt(2 * totals.large, totals.models);
  ck_assert_uint_gt(totals.states, 2 * totals.orbits);
  ck_assert_uint_gt(totals.violated, 0);
  ck_assert_uint_gt(totals.failing, 0);
}
END_TEST

/* Those of tests/murphi/symmetric, whose numbers of states and transitions cases.sh has. */
START_TEST(cases) {
  static char text[1 << 16];
  static const char *const names[] = {"errors", "multisets", "owners", "priorities", "ring", "wide"};
  struct totals totals = {0};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/murphi/symmetric/cases/%s.m", getenv("top_srcdir"), names[i]);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file, "%s", path);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    check_model("random.m", text, &totals, false, MOST_STATES);
  }
  ck_assert_uint_eq(totals.large, 0);
}
END_TEST

int main(void) { return suite_end(run_tests("symmetry reduction", CK_NOFORK, random_models, cases)); }
