/* floe bench: adds the files of --plot to those of other options. */
#define _GNU_SOURCE
#include "cmd/bench/bench.h"
#include "cmd/console/message.h"
#include "cmd/files.h"

#include <stdio.h>
#include <stdlib.h>

bool add_plots(struct files *files, const struct options *options, char *const *operands, int count) {
  static const char *const suffixes[] = {"dat", "gp", "svg", "png"};
  for (size_t i = 0; options->plot && i < sizeof suffixes / sizeof *suffixes; i++) {
    char *path;
    if (asprintf(&path, "%s/%s.%s", options->plot, count > 0 ? operands[0] : "bench", suffixes[i]) < 0) {
      print_error(NULL, "out of memory");
      return false;
    }
    files_add_output(files, "--plot", path);
    free(path);
  }
  return true;
}
