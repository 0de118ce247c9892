#include "cmd/session.h"

#include "cmd/command.h"
#include "cmd/message.h"
#include "cmd/output.h"
#include "cmd/progress.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* A signal this soon after the first is the same request: timeout(1) sends its signal to its child
 * and again to the child's process group, and a terminal's Ctrl-C may come with one from a parent.
 */
#define SAME_REQUEST 300000000 /* ns */
#define LEAST_TIME 1e-6        /* s */

/* When the first signal came, in ns of the monotonic clock; 0: none has come. Handlers may run in
 * several threads at once. */
static _Atomic int64_t interrupted;

bool session_interrupted(void) { return interrupted != 0; }

static int64_t nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + 1;
}

/* ---- before the exploration --------------------------------------------------------------------
 */

/* A large model takes long to parse and to check, which floe_interrupt does not end: where that is not over soon after
   floe was asked to end there is nothing to be told or lost, and the process ends. */
#define GRACE 0.3 /* s */

static struct {
  volatile sig_atomic_t reading; /* no exploration has begun */
  volatile sig_atomic_t loading; /* the file is being read, which floe_interrupt ends */
  volatile sig_atomic_t late;    /* the next alarm is the last */
  double began;
} before;

static double seconds(void) { return 1e-9 * (double)nanoseconds(); }

/* setitimer is one system call, so that a handler may call it; 0 takes the alarm back. */
static void alarm_in(double time) {
  const time_t whole = (time_t)time;
  const struct itimerval timer = {
      .it_value = {.tv_sec = whole, .tv_usec = (suseconds_t)(1e6 * (time - (double)whole))}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void be_late(void) {
  before.late = 1;
  alarm_in(GRACE);
}

/* The first alarm is that of --timeout, the second one that of its grace, or of a signal's. An exploration that begins
   in between has no time left, and says so itself. */
static void on_alarm(int signal_number) {
  static const char ended[] = "floe: ended before the exploration began\n";
  (void)signal_number;
  if (!before.reading)
    return;
  if (before.late) {
    ssize_t written = write(STDERR_FILENO, ended, sizeof ended - 1);
    (void)written;
    _exit(EXIT_UNDECIDED);
  }
  if (before.loading)
    floe_interrupt();
  be_late();
}

void session_begin_reading(double timeout) {
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  before.reading = 1;
  before.began = seconds();
  sigaction(SIGALRM, &action, NULL);
  if (timeout > 0)
    alarm_in(timeout);
  session_catch();
}

void session_end_reading(void) {
  if (!before.reading)
    return;
  before.reading = 0;
  alarm_in(0);
}

/* ---- signals -----------------------------------------------------------------------------------
 */

/* Calls nothing but what is async-signal-safe. A run that does not end can still be ended: a later
 * signal finds the default action, once this handler has returned. */
static void interrupt(int signal_number) {
  int64_t first = 0, now = nanoseconds();
  if (atomic_compare_exchange_strong(&interrupted, &first, now)) {
    floe_interrupt();
    if (before.reading)
      be_late();
  } else if (now - first > SAME_REQUEST) {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
}

/* A shell that starts floe in the background has it ignore SIGINT, and that is to stay. */
static void watch(int signal_number) {
  struct sigaction action;
  if (sigaction(signal_number, NULL, &action) != 0 || action.sa_handler == SIG_IGN)
    return;
  memset(&action, 0, sizeof action);
  action.sa_handler = interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(signal_number, &action, NULL);
}

void session_catch(void) {
  watch(SIGINT);
  watch(SIGTERM);
  watch(SIGHUP);
}

int session_open(struct session *session, const char *path) {
  memset(session, 0, sizeof *session);
  floe_status status = floe_log_create(&session->log);
  if (status != FLOE_OK) {
    complain(NULL, "%s", floe_status_name(status));
    return EXIT_UNDECIDED;
  }
  before.loading = 1;
  status = floe_model_load(path, session->log, &session->model);
  before.loading = 0;
  return status == FLOE_OK ? EXIT_AS_WANTED : explain(status, session->log);
}

static int define_one(struct session *session, const char *definition) {
  const char *equals = strchr(definition, '=');
  if (!equals || equals == definition || !equals[1]) {
    complain("-D NAME=VALUE sets a constant, as in -D N=3", "'%s' is no value for -D", definition);
    return EXIT_USAGE;
  }
  char *name = strndup(definition, (size_t)(equals - definition));
  if (!name) {
    complain(NULL, "out of memory");
    return EXIT_UNDECIDED;
  }
  floe_status status = floe_model_define(session->model, name, equals + 1, session->log);
  free(name);
  return status == FLOE_OK ? EXIT_AS_WANTED : explain(status, session->log);
}

int session_define(struct session *session, const struct list *definitions) {
  int code = EXIT_AS_WANTED;
  for (size_t i = 0; i < definitions->n && code == EXIT_AS_WANTED; i++)
    code = define_one(session, definitions->items[i]);
  return code;
}

int session_check(struct session *session) {
  floe_status status = floe_model_check(session->model, session->log);
  if (status != FLOE_OK)
    return explain(status, session->log);
  print_log(session->log);
  return EXIT_AS_WANTED;
}

int session_begin(struct session *session, const char *path, const struct list *definitions) {
  int code = session_open(session, path);
  if (code == EXIT_AS_WANTED)
    code = session_define(session, definitions);
  return code == EXIT_AS_WANTED ? session_check(session) : code;
}

static bool put_text(FILE *stream, const void *text) { return fputs(text, stream) != EOF; }

int session_dump_code(struct session *session, const struct optional *where) {
  const char *text;
  floe_status status = floe_model_code(session->model, session->log, &text);
  if (status != FLOE_OK)
    return explain(status, session->log);
  return write_file(where->text, put_text, text) ? EXIT_AS_WANTED : EXIT_OUTPUT;
}

floe_status session_try(struct session *session, const floe_options *settings,
                        floe_result **result) {
  session_catch();
  session_end_reading();
  floe_status status = floe_explore(session->model, settings, session->log, result);
  progress_end();
  return status;
}

int session_explore(struct session *session, const floe_options *settings, floe_result **result) {
  floe_status status = session_try(session, settings, result);
  return status == FLOE_OK ? EXIT_AS_WANTED : explain(status, session->log);
}

void session_close(struct session *session) {
  floe_model_free(session->model);
  floe_log_free(session->log);
}

/* Of --timeout, for the first exploration: the time that reading took is of it. The others have it whole. */
double session_time_left(double timeout) {
  double gone = before.reading ? seconds() - before.began : 0;
  return timeout <= 0 ? 0 : timeout - gone > LEAST_TIME ? timeout - gone : LEAST_TIME;
}

uint64_t memory_allowed(const struct options *options) {
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
  settings->initial_slots = options->initial_slots;
  settings->expected_states = options->expected_states;
  if (GIVEN(options, memory))
    settings->memory = memory_allowed(options);
  settings->gpu_device = (unsigned)options->device;
  settings->gpu_memory = options->gpu_memory.bytes;
  settings->gpu_share = options->gpu_memory.share;
  if (GIVEN(options, max_depth))
    settings->max_depth = (uint32_t)options->max_depth;
  if (GIVEN(options, max_states))
    settings->max_states = options->max_states;
  settings->timeout = session_time_left(options->timeout);
  settings->go_on = options->go_on;
  settings->traces = !options->no_trace;
  settings->why_never = options->why_never;
  settings->properties = options->property.n ? options->property.items : NULL;
  settings->property_count = options->property.n;
  settings->cache_dir = options->cache_dir;
  settings->compiler = options->compiler;
  settings->visited_order = options->visited_order;
  settings->order_kind = (floe_order_kind)options->order_kind;
  settings->order_compress = options->order_compress;
  progress_begin(options, settings);
}
