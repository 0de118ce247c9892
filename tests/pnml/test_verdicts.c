/* Verdicts on temporal properties of random nets where only verdicts matter (decide_all without traces): those of the
   ordinary search, whatever the bounds of the rounds. */
#include "api/explore/explore.h"
#include "core/mem.h"
#include "floe.h"
#include "tests/pnml/written_net.h"
#include "tests/suite.h"

#include <stdio.h>

enum { PLACES = 6, TRANSITIONS = 7, FORMULAS = 8, NETS = 16 };

static size_t holding, violated;

/* Tokens move, alone or two together, so their number stays. */
static void write_net(FILE *f, uint64_t *seed) {
  fputs("<pnml><net id='n'><page id='g'>", f);
  for (unsigned p = 0; p < PLACES; p++)
    fprintf(f, "<place id='p%u'><initialMarking><text>%u</text></initialMarking></place>", p, p < 2);
  for (unsigned t = 0; t < TRANSITIONS; t++) {
    fprintf(f, "<transition id='t%u'/>", t);
    for (unsigned k = below(seed, 2) + 1; k > 0; k--) {
      fprintf(f, "<arc id='i%u_%u' source='p%u' target='t%u'/>", t, k, below(seed, PLACES), t);
      fprintf(f, "<arc id='o%u_%u' source='t%u' target='p%u'/>", t, k, t, below(seed, PLACES));
    }
    if (below(seed, 5) == 0)
      fprintf(f, "<arc id='h%u' source='p%u' target='t%u' type='inhibitor'/>", t, below(seed, PLACES), t);
  }
  fputs("</page></net></pnml>", f);
}

static void write_formula(FILE *f, uint64_t *seed, unsigned depth) {
  static const char *const unary[] = {"globally", "finally", "next", "negation"};
  const unsigned kind = depth == 0 ? 0 : below(seed, 8);
  if (kind < 2) {
    fprintf(f,
            "<integer-le><integer-constant>%u</integer-constant><tokens-count><place>p%u</place></tokens-count></"
            "integer-le>",
            below(seed, 2) + 1, below(seed, PLACES));
  } else if (kind == 2) {
    fprintf(f, "<is-fireable><transition>t%u</transition></is-fireable>", below(seed, TRANSITIONS));
  } else if (kind == 3) {
    fputs("<until><before>", f);
    write_formula(f, seed, depth - 1);
    fputs("</before><reach>", f);
    write_formula(f, seed, depth - 1);
    fputs("</reach></until>", f);
  } else {
    fprintf(f, "<%s>", unary[kind - 4]);
    write_formula(f, seed, depth - 1);
    fprintf(f, "</%s>", unary[kind - 4]);
  }
}

static void write_formulas(FILE *f, uint64_t *seed) {
  fputs("<property-set>", f);
  for (unsigned i = 0; i < FORMULAS; i++) {
    fprintf(f, "<property><id>f%u</id><formula><all-paths><%s>", i, i % 2 ? "globally" : "finally");
    write_formula(f, seed, 3);
    fprintf(f, "</%s></all-paths></formula></property>", i % 2 ? "globally" : "finally");
  }
  fputs("</property-set>", f);
}

static void find_verdicts(floe_model *model, bool only_verdicts, uint64_t first_round, floe_verdict_value *verdicts) {
  static const char *const ids[FORMULAS] = {"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"};
  floe_options options;
  floe_result *result;
  floe_options_init(&options);
  options.memory = 64 << 20;
  options.threads = 1;
  options.traces = false;
  options.engine = FLOE_ENGINE_CPU;
  options.compiler = options.cache_dir = "";
  options.properties = ids;
  options.property_count = FORMULAS;
  options.decide_all = only_verdicts;
  options.keep_going = !only_verdicts;
  liveness_first_round = first_round;
  ck_assert_int_eq(floe_explore(model, &options, NULL, &result), FLOE_OK);
  ck_assert_uint_eq(floe_result_verdicts(result), FORMULAS);
  for (size_t i = 0; i < FORMULAS; i++)
    verdicts[i] = floe_result_verdict(result, i).value;
  floe_result_free(result);
}

START_TEST(rounds_do_not_matter) {
  static const uint64_t first_rounds[] = {1, 5, 20, UINT64_C(1) << 16};
  floe_verdict_value right[FORMULAS], found[FORMULAS];
  for (uint64_t seed = 0; seed < NETS; seed++) {
    floe_model *model = load_written(write_net, write_formulas, seed);
    find_verdicts(model, false, UINT64_MAX / 2, right);
    for (size_t i = 0; i < FORMULAS; i++) {
      ck_assert(right[i] == FLOE_HOLDS || right[i] == FLOE_VIOLATED);
      holding += right[i] == FLOE_HOLDS;
      violated += right[i] == FLOE_VIOLATED;
    }
    for (size_t k = 0; k < sizeof first_rounds / sizeof *first_rounds; k++) {
      find_verdicts(model, true, first_rounds[k], found);
      for (size_t i = 0; i < FORMULAS; i++)
        ck_assert_msg(found[i] == right[i], "net %llu, f%zu, %llu states first: %s instead of %s",
                      (unsigned long long)seed, i, (unsigned long long)first_rounds[k], floe_verdict_name(found[i]),
                      floe_verdict_name(right[i]));
    }
    floe_model_free(model);
  }
  ck_assert_uint_gt(holding, NETS);
  ck_assert_uint_gt(violated, NETS);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) { return run_tests("verdicts", CK_NOFORK, rounds_do_not_matter, nothing_leaks); }
