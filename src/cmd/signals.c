#define _GNU_SOURCE
#include "cmd/signals.h"

#include "cmd/clock.h"
#include "cmd/command.h"
#include "floe.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A signal this soon after the last one is the same request: timeout(1) sends its signal to its child and again to the
   child's process group, and a terminal's Ctrl-C may come with one from a parent. */
#define SAME_REQUEST 0.3 /* s */
/* Time for parsing and checking to finish after a request to end. */
#define GRACE 0.3       /* s */
#define LEAST_TIME 1e-6 /* s */
#define LONG_TIME 1000  /* s */
#define SHORT_TIME 0.2  /* s */

static struct {
  sigset_t set;
  bool watched;
  atomic_bool received;
  /* Before the exploration */
  atomic_bool reading, loading, searching;
  double began;
  const char *answer; /* signals_begin_reading_for */
  /* Used by the thread only */
  double last;      /* time of the last signal that was a request; 0: none yet */
  bool ends_traces; /* the signals so far end the traces */
  double deadline;  /* of reading; 0: none */
  bool in_grace;    /* the deadline is the end of the grace time */
} signals;

/* ---- the thread ------------------------------------------------------------------------------ */

static void start_grace(double now) {
  signals.in_grace = true;
  signals.deadline = now + GRACE;
}

/* Restores the default actions, because the process may hang. */
static void stop_watching(void) {
  for (int number = 1; number < NSIG; number++)
    if (sigismember(&signals.set, number) == 1)
      signal(number, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals.set, NULL);
}

/* The first deadline is that of --timeout; the second is the end of the grace time after it or after a signal. An
   exploration that begins in between has no time left, and reports that itself. */
static void handle_deadline(double now) {
  static const char ended[] = "floe: ended before the exploration began\n";
  if (signals.in_grace) {
    ssize_t written = write(STDERR_FILENO, ended, sizeof ended - 1);
    if (signals.answer)
      written = write(STDOUT_FILENO, signals.answer, strlen(signals.answer));
    (void)written;
    stop_watching();
    floe_mpi_finalize(EXIT_UNDECIDED);
    _exit(EXIT_UNDECIDED);
  }
  if (signals.loading)
    floe_interrupt();
  start_grace(now);
}

static void print_first_signal(void) {
  static const char text[] = "\r\033[Kfloe: ending the search; traces of violations found so far follow; "
                             "interrupt again to end floe\n";
  if (!signals.searching || signals.ends_traces || !isatty(STDERR_FILENO))
    return;
  ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
  (void)written;
}

/* The signal that ends the search does not end the traces after it. In an MPI job a launcher passes each signal on to
   all processes, and the phase may have changed in another process already. */
static bool is_request(void) {
  const bool any = signals.received, running = floe_traces_running() || floe_mpi_job_size() > 1;
  return !any || (!signals.ends_traces && running);
}

static void handle_request(double now) {
  signals.ends_traces = signals.received || floe_traces_running();
  signals.received = true;
  floe_interrupt();
  print_first_signal();
  if (signals.reading)
    start_grace(now);
}

/* A signal ends a run that does not react to the ones before. */
static void handle_signal(int number, double now) {
  if (signals.last && now - signals.last <= SAME_REQUEST)
    return;
  signals.last = now;
  if (is_request()) {
    handle_request(now);
    return;
  }
  signal(number, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals.set, NULL);
  raise(number);
}

static struct timespec time_to_wait(double now) {
  /* With several processes this thread starts before reading begins, and must notice the deadline set later. */
  double left = signals.reading && signals.deadline ? signals.deadline - now
                : floe_mpi_job_size() > 1           ? SHORT_TIME
                                                    : LONG_TIME;
  left = left > 0 ? left : 0;
  return (struct timespec){.tv_sec = (time_t)left, .tv_nsec = (long)(1e9 * (left - (double)(time_t)left))};
}

static void *watch(void *unused) {
  for (;;) {
    const struct timespec wait = time_to_wait(clock_now());
    int number = sigtimedwait(&signals.set, NULL, &wait);
    double now = clock_now();
    if (number > 0)
      handle_signal(number, now);
    else if (signals.reading && signals.deadline && now >= signals.deadline)
      handle_deadline(now);
  }
  return unused;
}

/* ---- interface ------------------------------------------------------------------------------- */

static void add_unless_ignored(int number) {
  struct sigaction action;
  if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
    sigaddset(&signals.set, number);
}

/* Blocks the signals here, and so in all threads that start later; they stay pending until the thread receives them. If
   the thread cannot start, the default actions apply. */
void signals_catch(void) {
  pthread_t thread;
  if (signals.watched)
    return;
  sigemptyset(&signals.set);
  add_unless_ignored(SIGINT);
  add_unless_ignored(SIGTERM);
  add_unless_ignored(SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals.set, NULL);
  signals.watched = pthread_create(&thread, NULL, watch, NULL) == 0;
  if (signals.watched)
    pthread_detach(thread);
  else
    pthread_sigmask(SIG_UNBLOCK, &signals.set, NULL);
}

void signals_begin_reading(double timeout) {
  signals.began = clock_now();
  signals.deadline = timeout > 0 ? signals.began + timeout : 0;
  signals.reading = true;
  signals_catch();
}

void signals_begin_reading_for(const char *answer, double timeout) {
  signals.answer = answer;
  signals_begin_reading(timeout);
}

void signals_loading(bool loading) { signals.loading = loading; }
void signals_end_reading(void) { signals.reading = false; }
void signals_searching(bool searching) { signals.searching = searching; }

double signals_time_left(double timeout) {
  double left = timeout - (signals.reading ? clock_now() - signals.began : 0);
  return timeout <= 0 ? 0 : left > LEAST_TIME ? left : LEAST_TIME;
}

bool signals_received(void) { return signals.received; }
