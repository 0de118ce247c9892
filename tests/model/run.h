/* A model from a text in a toy language, explored through the public interface. */
#ifndef FLOE_TESTS_MODEL_RUN_H
#define FLOE_TESTS_MODEL_RUN_H

#include "core/mem.h"
#include "floe.h"
#include "tests/suite.h"

#include <string.h>

struct run {
  floe_log *log;
  floe_model *model; /* NULL: the text has errors */
  floe_result *result;
};

static inline void open_run(struct run *run, const char *name, const char *text) {
  *run = (struct run){0};
  ck_assert_int_eq(floe_log_create(&run->log), FLOE_OK);
  floe_model_parse(name, text, strlen(text), run->log, &run->model);
}

static inline void explore(struct run *run, floe_engine engine) {
  floe_options options;
  floe_options_init(&options);
  options.engine = engine;
  options.keep_going = true;
  options.explain_unfired = true;
  ck_assert_int_eq(floe_explore(run->model, &options, run->log, &run->result), FLOE_OK);
}

static inline void close_run(struct run *run) {
  floe_result_free(run->result);
  floe_model_free(run->model);
  floe_log_free(run->log);
  ck_assert_uint_eq(mem_live(), 0);
}

#endif
