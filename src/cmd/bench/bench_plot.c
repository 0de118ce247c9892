/* floe bench --plot: writes data and script for gnuplot, and runs it. */
#define _GNU_SOURCE
#include "cmd/bench/bench_panels.h"
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/output.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- files ----------------------------------------------------------------------------------- */

/* The folder's path, a slash, the name of the plot and `suffix`; free() it. NULL after a message. */
static char *path_in(const char *folder, const char *name, const char *suffix) {
  char *path;
  if (asprintf(&path, "%s/%s%s", folder, name, suffix) >= 0)
    return path;
  print_error(NULL, "out of memory");
  return NULL;
}

static bool write_one(const struct plot *plot, const char *folder, const char *suffix,
                      bool (*write)(FILE *, const void *)) {
  char *path = path_in(folder, plot->name, suffix);
  bool sound = path && write_file(path, write, plot);
  free(path);
  return sound;
}

/* Unblocks the signals that floe waits for in the child. */
static int spawn_in(const char *folder, char *const *arguments, pid_t *child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  if (posix_spawn_file_actions_init(&actions) != 0)
    return -1;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return -1;
  }
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  int failed = posix_spawn_file_actions_addchdir_np(&actions, folder);
  if (!failed)
    failed = posix_spawnp(child, arguments[0], &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

/* gnuplot's exit code; -1: it did not exit. */
static int run_gnuplot(const char *folder, const char *script) {
  char program[] = "gnuplot", flag[] = "-e", suffix[] = "suffix='.new'";
  char *arguments[] = {program, flag, suffix, (char *)script, NULL};
  pid_t child;
  int state;
  if (spawn_in(folder, arguments, &child) != 0 || waitpid(child, &state, 0) != child)
    return -1;
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128;
}

/* A picture gets its final name when it is complete. */
static bool name_picture(const struct plot *plot, const char *folder, const char *suffix, bool whole) {
  char *path = path_in(folder, plot->name, suffix), *new = NULL;
  bool sound = path && asprintf(&new, "%s.new", path) >= 0;
  struct stat status;
  if (sound && (!whole || stat(new, &status) != 0 || status.st_size == 0)) {
    unlink(new);
    sound = false;
  } else if (sound) {
    sound = rename(new, path) == 0;
  }
  free(path);
  free(new);
  return sound;
}

static bool draw(const struct plot *plot, const char *folder) {
  char script[64];
  snprintf(script, sizeof script, "%s.gp", plot->name);
  int code = run_gnuplot(folder, script);
  bool svg = name_picture(plot, folder, ".svg", code == 0);
  bool png = name_picture(plot, folder, ".png", code == 0);
  if (code < 0 || code == 127) {
    fprintf(stderr, "floe: gnuplot is not installed: %s/%s.gp and %s.dat are written but not drawn\n",
            printable(folder), plot->name, plot->name);
    return true;
  }
  if (svg && png)
    return true;
  print_error("see its messages above", "gnuplot did not draw %s/%s.gp", folder, plot->name);
  return false;
}

bool create_plot_folder(const char *name, const char *folder) {
  struct stat status;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    print_error(NULL, "%s cannot be created: %s", folder, strerror(errno));
    return false;
  }
  if (stat(folder, &status) == 0 && !S_ISDIR(status.st_mode)) {
    print_error(NULL, "%s is not a folder", folder);
    return false;
  }
  char *path = path_in(folder, *name ? name : "bench", ".dat");
  bool may = path && can_write_file(path);
  free(path);
  return may;
}

bool write_bench_plot(const struct bench_report *report, const char *folder) {
  bool gpu = floe_bench_engine(report->bench) == FLOE_ENGINE_GPU;
  struct plot plot = {.report = report,
                      .name = *report->preset ? report->preset : "bench",
                      .unit = gpu ? 1e9 : 1e6,
                      .unit_name = gpu ? "G keys/s" : "M keys/s"};
  if (report->grid->quantity == BENCH_OVERFLOW) {
    plot.unit = 1;
    plot.unit_name = "fill factor";
  }
  double low, high;
  if (!plot_range(&plot, plot_x, &low, &high)) {
    fprintf(stderr, "floe: no results to draw\n");
    return true;
  }
  plot.bars = !(high > low);
  if (!write_one(&plot, folder, ".dat", put_plot_data) || !write_one(&plot, folder, ".gp", put_plot_script))
    return false;
  return draw(&plot, folder);
}
