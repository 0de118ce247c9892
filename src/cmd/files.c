#include "cmd/files.h"

#include "cmd/message.h"
#include "cmd/output.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than any command has: operands, options that name files, what it adds, streams */
#define MOST_FILES 32

enum use {
  READ,   /* files that are read may be the same */
  MADE,   /* written under its name */
  STREAM, /* written where it leads: several may lead to the same place */
};

struct file {
  char what[32]; /* "--json", "MODEL", "standard output" */
  enum use use;
  bool known; /* else nothing can be said of it: it is not there, and neither is its folder */
  bool there; /* `status` is its own, else its folder's */
  struct stat status;
  char name[256]; /* in that folder, where it is not there */
};

struct files {
  struct file files[MOST_FILES];
  size_t count;
};

/* ---- which there are ------------------------------------------------------------------------- */

static struct file *add(struct files *files, const char *what, enum use use) {
  assert(files->count < MOST_FILES);
  struct file *file = &files->files[files->count++];
  *file = (struct file){.use = use};
  snprintf(file->what, sizeof file->what, "%s", what);
  return file;
}

static bool find_folder(const char *path, struct stat *out) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  bool found = folder && stat(folder, out) == 0;
  free(folder);
  return found;
}

static void add_path(struct files *files, const char *what, enum use use, const char *path) {
  struct file *file = add(files, what, use);
  const char *slash = strrchr(path, '/');
  file->there = stat(path, &file->status) == 0;
  file->known = file->there || find_folder(path, &file->status);
  snprintf(file->name, sizeof file->name, "%s", slash ? slash + 1 : path);
}

static void add_stream(struct files *files, const char *what, enum use use, int descriptor) {
  struct file *file = add(files, what, use);
  file->known = file->there = fstat(descriptor, &file->status) == 0;
}

void files_add_drawn(struct files *files, const char *what, const char *path) { add_path(files, what, MADE, path); }

/* The n-th word of "MODEL TRACE". */
static void operand_name(const char *words, int n, char name[32]) {
  for (; n > 0; n--)
    words += strcspn(words, " ") + 1;
  snprintf(name, 32, "%.*s", (int)strcspn(words, " "), words);
}

static void add_operands(struct files *files, const struct command *command, char *const *operands, int count) {
  for (int i = 0; i < command->reads && i < count; i++) {
    char name[32];
    operand_name(command->operands, i, name);
    if (strcmp(operands[i], "-") == 0)
      add_stream(files, name, READ, STDIN_FILENO);
    else
      add_path(files, name, READ, operands[i]);
  }
}

/* ---- what options do with them --------------------------------------------------------------- */

static const char *path_of(const struct options *options, const struct option_row *row) {
  const void *field = (const char *)options + row->offset;
  if (row->kind == WRITES_OPTIONAL)
    return ((const struct optional *)field)->text;
  return *(const char *const *)field;
}

static bool is_written(const struct option_row *row) {
  return row->kind == WRITES || row->kind == WRITES_OPTIONAL || row->kind == RECORDS;
}

static void add_options(struct files *files, const struct options *options) {
  for (int i = 0; i < OPTION_COUNT; i++) {
    const struct option_row *row = &option_rows[i];
    char what[32];
    snprintf(what, sizeof what, "--%s", row->name);
    if (!option_given(options, (unsigned)i))
      continue;
    if (row->kind == READS)
      add_path(files, what, READ, path_of(options, row));
    else if (is_written(row) && !is_standard_output(path_of(options, row)))
      add_path(files, what, MADE, path_of(options, row));
  }
}

/* Standard output is one place: of two that are to stand there neither could be told from the
 * other. */
static bool one_at_most_on_standard_output(const struct options *options) {
  const struct option_row *first = NULL;
  for (int i = 0; i < OPTION_COUNT; i++) {
    const struct option_row *row = &option_rows[i];
    if (!option_given(options, (unsigned)i) || !is_written(row) || !is_standard_output(path_of(options, row)))
      continue;
    if (first) {
      complain("give one of them a file", "--%s and --%s both go to standard output", first->name, row->name);
      return false;
    }
    first = row;
  }
  return true;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool is_same(const struct file *a, const struct file *b) {
  if (!a->known || !b->known || a->there != b->there || a->status.st_dev != b->status.st_dev ||
      a->status.st_ino != b->status.st_ino)
    return false;
  return a->there ? S_ISREG(a->status.st_mode) : strcmp(a->name, b->name) == 0;
}

static bool may_be_same(const struct file *a, const struct file *b) { return a->use == b->use && a->use != MADE; }

static bool differ(const struct file *a, const struct file *b) {
  if (may_be_same(a, b) || !is_same(a, b))
    return true;
  complain("an output takes the place of what is there: give each a file of its own", "%s and %s are the same file",
           a->what, b->what);
  return false;
}

static bool all_differ(const struct files *files) {
  for (size_t i = 0; i < files->count; i++)
    for (size_t j = 0; j < i; j++)
      if (!differ(&files->files[j], &files->files[i]))
        return false;
  return true;
}

/* ---- can they be written? -------------------------------------------------------------------- */

/* A record is finished by going back to its beginning. */
static bool may_record(const char *path) {
  struct stat status;
  bool device = is_standard_output(path) || (stat(path, &status) == 0 && !S_ISREG(status.st_mode));
  if (!device || (!is_standard_output(path) && S_ISDIR(status.st_mode)))
    return may_write_file(path);
  complain(NULL, "%s cannot be written: it is no regular file", path);
  return false;
}

static bool can_be_written(const struct options *options) {
  for (int i = 0; i < OPTION_COUNT; i++) {
    const struct option_row *row = &option_rows[i];
    if (!option_given(options, (unsigned)i) || !is_written(row))
      continue;
    const char *path = path_of(options, row);
    if (row->kind == RECORDS ? !may_record(path) : !is_standard_output(path) && !may_write_file(path))
      return false;
  }
  return true;
}

bool files_fit(const struct options *options, const struct command *command, char *const *operands, int count) {
  struct files files = {.count = 0};
  add_operands(&files, command, operands, count);
  add_options(&files, options);
  if (command->add_outputs && !command->add_outputs(&files, options, operands, count))
    return false;
  add_stream(&files, "standard output", STREAM, STDOUT_FILENO);
  add_stream(&files, "standard error", STREAM, STDERR_FILENO);
  return one_at_most_on_standard_output(options) && all_differ(&files) && can_be_written(options);
}
