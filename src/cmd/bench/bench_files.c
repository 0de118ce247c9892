/* floe bench: files of --plot, and the run of gnuplot. */
#define _GNU_SOURCE
#include "cmd/bench/bench.h"
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/files.h"
#include "cmd/output.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

/* free() the result. NULL after a message. */
static char *plot_path(const char *folder, const char *preset, const char *suffix) {
  char *path;
  if (asprintf(&path, "%s/%s.%s", folder, plot_name(preset), suffix) >= 0)
    return path;
  print_error(NULL, "out of memory");
  return NULL;
}

bool add_plots(struct files *files, const struct options *options, char *const *operands, int count) {
  static const char *const suffixes[] = {"dat", "gp", "svg", "png"};
  for (size_t i = 0; options->plot && i < sizeof suffixes / sizeof *suffixes; i++) {
    char *path = plot_path(options->plot, count > 0 ? operands[0] : "", suffixes[i]);
    if (!path)
      return false;
    files_add_output(files, "--plot", path);
    free(path);
  }
  return true;
}

bool create_plot_folder(const char *preset, const char *folder) {
  struct stat status;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    print_error(NULL, "%s cannot be created: %s", folder, strerror(errno));
    return false;
  }
  if (stat(folder, &status) == 0 && !S_ISDIR(status.st_mode)) {
    print_error(NULL, "%s is not a folder", folder);
    return false;
  }
  char *path = plot_path(folder, preset, "dat");
  bool may = path && can_write_file(path);
  free(path);
  return may;
}

/* The exit code; 127: no gnuplot. The child receives the signals that floe waits for. A picture gets its name when it
   is complete. */
static int run_gnuplot(const char *folder, const char *name) {
  static const char script[] =
      "trap : INT TERM HUP; CDPATH= cd -- \"$1\" || exit 1; command -v gnuplot >/dev/null || exit 127\n"
      "gnuplot -e \"suffix='.new'\" \"$2.gp\" && [ -s \"$2.svg.new\" ] && [ -s \"$2.png.new\" ] &&\n"
      "mv -f \"$2.svg.new\" \"$2.svg\" && mv -f \"$2.png.new\" \"$2.png\" && exit\n"
      "rm -f \"$2.svg.new\" \"$2.png.new\"; exit 1";
  const char *arguments[] = {"sh", "-c", script, "sh", folder, name, NULL};
  posix_spawnattr_t attributes;
  sigset_t none;
  pid_t child;
  int state = -1;
  sigemptyset(&none);
  if (posix_spawnattr_init(&attributes) != 0)
    return 127;
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  if (posix_spawn(&child, "/bin/sh", NULL, &attributes, (char *const *)arguments, environ) == 0)
    waitpid(child, &state, 0);
  posix_spawnattr_destroy(&attributes);
  return state == -1 ? 127 : WIFEXITED(state) ? WEXITSTATUS(state) : 1;
}

static bool draw(const char *folder, const char *name) {
  const int code = run_gnuplot(folder, name);
  if (code == 127)
    fprintf(stderr, "floe: gnuplot is not installed: %s/%s.gp and %s.dat are written but not drawn\n",
            printable(folder), name, name);
  if (code == 0 || code == 127)
    return true;
  print_error("see its messages above", "gnuplot did not draw %s/%s.gp", folder, name);
  return false;
}

static bool write_one(const struct bench_report *report, const char *folder, const char *suffix,
                      bool (*write)(FILE *, const void *)) {
  char *path = plot_path(folder, report->preset, suffix);
  const bool sound = path && write_file(path, write, report);
  free(path);
  return sound;
}

bool write_bench_plot(const struct bench_report *report, const char *folder) {
  size_t i = 0;
  while (i < report->count && !(plot_value(report, &report->rows[i]) > 0))
    i++;
  if (i == report->count) {
    fprintf(stderr, "floe: no results to draw\n");
    return true;
  }
  return write_one(report, folder, "dat", put_plot_data) && write_one(report, folder, "gp", put_plot_script) &&
         draw(folder, plot_name(report->preset));
}
