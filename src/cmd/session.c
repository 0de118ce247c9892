#include "cmd/session.h"

#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "cmd/signals.h"

#include <stdlib.h>
#include <string.h>

void make_load_settings(const struct options *options, floe_load_options *settings) {
  floe_load_options_init(settings);
  settings->no_includes = options->no_include;
  settings->properties = options->properties;
  if (GIVEN(options, deadlock))
    settings->deadlocks = (floe_deadlocks)(FLOE_DEADLOCKS_OFF + options->deadlock);
}

int session_open(struct session *session, const char *path, const struct options *options) {
  floe_load_options settings;
  memset(session, 0, sizeof *session);
  floe_status status = floe_log_create(&session->log);
  if (status != FLOE_OK) {
    print_error(NULL, "%s", floe_status_name(status));
    return EXIT_UNDECIDED;
  }
  make_load_settings(options, &settings);
  signals_loading(true);
  status = floe_model_load_with(path, &settings, session->log, &session->model);
  signals_loading(false);
  return status == FLOE_OK ? EXIT_SATISFIED : print_failure(status, session->log);
}

static int define_one(struct session *session, const char *definition) {
  const char *equals = strchr(definition, '=');
  if (!equals || equals == definition || !equals[1]) {
    print_error("use -D NAME=VALUE, for example -D N=3", "'%s' is not a valid value for -D", definition);
    return EXIT_USAGE;
  }
  char *name = strndup(definition, (size_t)(equals - definition));
  if (!name) {
    print_error(NULL, "out of memory");
    return EXIT_UNDECIDED;
  }
  floe_status status = floe_model_define(session->model, name, equals + 1, session->log);
  free(name);
  return status == FLOE_OK ? EXIT_SATISFIED : print_failure(status, session->log);
}

int64_t definition_value(const char *text) {
  return strcmp(text, "true") == 0 ? 1 : strcmp(text, "false") == 0 ? 0 : strtoll(text, NULL, 10);
}

/* True if two definitions give one constant different values. Malformed definitions are reported elsewhere. */
static bool definitions_conflict(const char *one, const char *other) {
  size_t length = strcspn(one, "=");
  if (length != strcspn(other, "=") || strncmp(one, other, length) != 0 || !one[length] || !other[length])
    return false;
  return definition_value(one + length + 1) != definition_value(other + length + 1);
}

/* Repeating a constant with the same value is allowed, because scripts append options. */
static bool check_definitions(const struct list *definitions) {
  for (size_t i = 1; i < definitions->n; i++)
    for (size_t j = 0; j < i; j++)
      if (definitions_conflict(definitions->items[j], definitions->items[i])) {
        print_error("use --sweep=NAME=VALUES for several values", "-D %s contradicts -D %s", definitions->items[i],
                    definitions->items[j]);
        return false;
      }
  return true;
}

int session_define(struct session *session, const struct list *definitions) {
  int code = check_definitions(definitions) ? EXIT_SATISFIED : EXIT_USAGE;
  for (size_t i = 0; i < definitions->n && code == EXIT_SATISFIED; i++)
    code = define_one(session, definitions->items[i]);
  return code;
}

int session_check(struct session *session) {
  floe_status status = floe_model_check(session->model, session->log);
  if (status != FLOE_OK)
    return print_failure(status, session->log);
  print_log(session->log);
  return EXIT_SATISFIED;
}

int session_widen(struct session *session) {
  const floe_status status = floe_model_widen(session->model, session->log);
  return status == FLOE_OK ? EXIT_SATISFIED : print_failure(status, session->log);
}

int session_begin(struct session *session, const char *path, const struct options *options) {
  int code = session_open(session, path, options);
  if (code == EXIT_SATISFIED)
    code = session_define(session, &options->define);
  return code == EXIT_SATISFIED ? session_check(session) : code;
}

static bool put_code(FILE *stream, const void *text) { return fputs(text, stream) != EOF; }

int session_dump_code(struct session *session, const struct optional *where) {
  const char *text;
  floe_status status = floe_model_generated_code(session->model, session->log, &text);
  if (status != FLOE_OK)
    return print_failure(status, session->log);
  return write_file(where->text, put_code, text) ? EXIT_SATISFIED : EXIT_OUTPUT;
}

static void begin_search(void) {
  signals_catch();
  signals_end_reading();
  signals_searching(true);
}

static void end_search(void) {
  signals_searching(false);
  progress_end();
}

floe_status session_explore_logged(struct session *session, const floe_options *settings, floe_result **result) {
  begin_search();
  floe_status status = floe_explore(session->model, settings, session->log, result);
  end_search();
  return status;
}

int session_explore(struct session *session, const floe_options *settings, floe_result **result) {
  floe_status status = session_explore_logged(session, settings, result);
  return status == FLOE_OK ? EXIT_SATISFIED : print_failure(status, session->log);
}

int session_resume(struct session *session, const char *file, const floe_options *settings, floe_result **result) {
  begin_search();
  floe_status status = floe_resume(session->model, file, settings, session->log, result);
  end_search();
  return status == FLOE_OK ? EXIT_SATISFIED : print_failure(status, session->log);
}

int session_graph(struct session *session, const floe_options *settings, floe_graph **graph) {
  begin_search();
  floe_status status = floe_graph_create(session->model, settings, session->log, graph);
  end_search();
  return status == FLOE_OK ? EXIT_SATISFIED : print_failure(status, session->log);
}

void session_close(struct session *session) {
  floe_model_free(session->model);
  floe_log_free(session->log);
}

uint64_t memory_limit(const struct options *options) {
  if (options->memory.bytes)
    return options->memory.bytes;
  double share = options->memory.share > 0 ? options->memory.share : 1;
  return (uint64_t)(share * (double)floe_memory_available());
}

void make_settings(const struct options *options, floe_options *settings) {
  floe_options_init(settings);
  settings->engine = (floe_engine)options->engine;
  settings->threads = (unsigned)options->threads;
  if (options->table)
    settings->table = options->table;
  settings->permutation = options->permutation;
  settings->slot_bits = options->slot_bits.values[0];
  settings->bucket_slots = options->bucket_slots.values[0];
  settings->encoding = (floe_encoding)options->encoding;
  settings->symmetry = (floe_symmetry)options->symmetry;
  settings->initial_slots = options->initial_slots;
  settings->expected_states = options->expected_states;
  if (GIVEN(options, memory))
    settings->memory = memory_limit(options);
  settings->gpu_device = (unsigned)options->device;
  settings->devices = options->devices;
  settings->gpu_memory = options->gpu_memory.bytes;
  settings->gpu_share = options->gpu_memory.share;
  if (GIVEN(options, max_depth))
    settings->max_depth = (uint32_t)options->max_depth;
  if (GIVEN(options, max_states))
    settings->max_states = options->max_states;
  settings->timeout = signals_time_left(options->timeout);
  settings->trace_timeout = options->trace_timeout;
  settings->fairness = options->fair;
  settings->ignore_finite_runs = options->finite == 1;
  settings->keep_going = options->keep_going;
  settings->traces = !options->no_trace;
  settings->explain_unfired = options->explain_unfired;
  settings->properties = options->property.n ? options->property.items : NULL;
  settings->property_count = options->property.n;
  settings->cache_dir = options->cache_dir;
  settings->compiler = options->compiler;
  settings->visited_order = options->visited_order;
  settings->order_kind = (floe_order_kind)options->order_kind;
  settings->order_compress = options->order_compress;
  settings->checkpoint = options->checkpoint;
  if (GIVEN(options, checkpoint_every))
    settings->checkpoint_every = options->checkpoint_every;
  progress_begin(options, settings);
}
