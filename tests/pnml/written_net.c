#include "tests/pnml/written_net.h"

#include "base/splitmix64.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

unsigned below(uint64_t *seed, unsigned n) { return (unsigned)(splitmix64_next(seed) % n); }

static void write_file(char *name, write_text *write, uint64_t *seed) {
  const int file = mkstemp(name);
  FILE *f = file < 0 ? NULL : fdopen(file, "w");
  ck_assert_ptr_nonnull(f);
  write(f, seed);
  ck_assert_int_eq(fclose(f), 0);
}

floe_model *load_written(write_text *net, write_text *formulas, uint64_t seed) {
  char net_file[] = "test-net-XXXXXX", formulas_file[] = "test-formulas-XXXXXX";
  floe_load_options how;
  floe_model *model;
  floe_log *log;
  write_file(net_file, net, &seed);
  write_file(formulas_file, formulas, &seed);
  floe_load_options_init(&how);
  how.properties = formulas_file;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  const floe_status status = floe_model_load_with(net_file, &how, log, &model);
  ck_assert_msg(status == FLOE_OK, "%s", status ? floe_log_at(log, 0)->message : "");
  floe_log_free(log);
  remove(net_file);
  remove(formulas_file);
  return model;
}
