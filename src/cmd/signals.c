#define _GNU_SOURCE
#include "cmd/signals.h"

#include "cmd/command.h"
#include "floe.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A signal this soon after the first is the same request: timeout(1) sends its signal to its child and again to the
   child's process group, and a terminal's Ctrl-C may come with one from a parent. */
#define SAME_REQUEST 0.3 /* s */
/* What parsing and checking have left when floe was asked to end. */
#define GRACE 0.3       /* s */
#define LEAST_TIME 1e-6 /* s */
#define LONG_TIME 1000  /* s */
#define SHORT_TIME 0.2  /* s */

static struct {
  sigset_t set;
  bool watched;
  atomic_bool came;
  /* Before the exploration */
  atomic_bool reading, loading;
  double began;
  /* The thread's own */
  double first;    /* when the first signal came; 0: none has */
  double deadline; /* of reading; 0: none */
  bool late;       /* the deadline is the last */
} signals;

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void be_late(double now) {
  signals.late = true;
  signals.deadline = now + GRACE;
}

/* A signal while something may hang does what it does by default. */
static void stop_watching(void) {
  for (int number = 1; number < NSIG; number++)
    if (sigismember(&signals.set, number) == 1)
      signal(number, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals.set, NULL);
}

/* The first deadline is that of --timeout, the second one that of its grace, or of a signal's. An exploration that
   begins in between has no time left, and says so itself. */
static void on_deadline(double now) {
  static const char ended[] = "floe: ended before the exploration began\n";
  if (signals.late) {
    ssize_t written = write(STDERR_FILENO, ended, sizeof ended - 1);
    (void)written;
    stop_watching();
    floe_mpi_finalize(EXIT_UNDECIDED);
    _exit(EXIT_UNDECIDED);
  }
  if (signals.loading)
    floe_interrupt();
  be_late(now);
}

/* A run that does not end can still be ended. */
static void on_signal(int number, double now) {
  if (!signals.first) {
    signals.first = now;
    signals.came = true;
    floe_interrupt();
    if (signals.reading)
      be_late(now);
  } else if (now - signals.first > SAME_REQUEST) {
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &signals.set, NULL);
    raise(number);
  }
}

static struct timespec time_to_wait(double now) {
  /* One of several processes waits for signals before it reads: its deadline comes later. */
  double left = signals.reading && signals.deadline ? signals.deadline - now
                : floe_mpi_started() > 1          ? SHORT_TIME
                                                    : LONG_TIME;
  left = left > 0 ? left : 0;
  return (struct timespec){.tv_sec = (time_t)left, .tv_nsec = (long)(1e9 * (left - (double)(time_t)left))};
}

static void *watch(void *unused) {
  for (;;) {
    const struct timespec wait = time_to_wait(seconds());
    int number = sigtimedwait(&signals.set, NULL, &wait);
    double now = seconds();
    if (number > 0)
      on_signal(number, now);
    else if (signals.reading && signals.deadline && now >= signals.deadline)
      on_deadline(now);
  }
  return unused;
}

/* ---- the command's side ---------------------------------------------------------------------- */

static void add_unless_ignored(int number) {
  struct sigaction action;
  if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
    sigaddset(&signals.set, number);
}

/* Blocked here, and so in all threads that begin later: they stay pending until the thread takes them. Without a thread
   they do what they do by default. */
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
  signals.began = seconds();
  signals.deadline = timeout > 0 ? signals.began + timeout : 0;
  signals.reading = true;
  signals_catch();
}

void signals_loading(bool loading) { signals.loading = loading; }
void signals_end_reading(void) { signals.reading = false; }

double signals_time_left(double timeout) {
  double left = timeout - (signals.reading ? seconds() - signals.began : 0);
  return timeout <= 0 ? 0 : left > LEAST_TIME ? left : LEAST_TIME;
}

bool signals_came(void) { return signals.came; }
