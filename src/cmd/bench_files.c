/* floe bench: files that would take each other's place. */
#define _GNU_SOURCE
#include "cmd/bench.h"
#include "cmd/message.h"
#include "cmd/output.h"
#include "cmd/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named {
  const char *option, *path; /* path NULL: not given */
};

static bool differ(const struct named *a, const struct named *b) {
  if (!a->path || !b->path || !is_same_file(a->path, b->path))
    return true;
  complain("give each a file of its own", "--%s and --%s are the same file, %s", a->option,
           b->option, a->path);
  return false;
}

/* What --plot writes, beside what the other options name. */
static bool plots_differ(const struct named *others, size_t n, const char *folder,
                         const char *preset) {
  static const char *const suffixes[] = {"dat", "gp", "svg", "png"};
  bool sound = true;
  for (size_t s = 0; sound && s < sizeof suffixes / sizeof *suffixes; s++) {
    char *path;
    if (asprintf(&path, "%s/%s.%s", folder, *preset ? preset : "bench", suffixes[s]) < 0) {
      complain(NULL, "out of memory");
      return false;
    }
    const struct named drawn = {"plot", path};
    for (size_t i = 0; sound && i < n; i++)
      sound = differ(&others[i], &drawn);
    free(path);
  }
  return sound;
}

bool files_differ(const struct options *options, const char *preset) {
  const bool json = options->json.given && !json_instead(options);
  const struct named files[] = {{"csv", options->csv},
                                {"json", json ? options->json.text : NULL},
                                {"keys", options->keys}};
  enum { FILES = sizeof files / sizeof *files };
  for (size_t i = 0; i < FILES; i++)
    for (size_t j = 0; j < i; j++)
      if (!differ(&files[j], &files[i]))
        return false;
  return !options->plot || plots_differ(files, FILES, options->plot, preset);
}
