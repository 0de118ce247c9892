#include "cmd/files.h"

#include "cmd/console/message.h"
#include "cmd/output.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than any command has: operands, options that name files, added outputs, streams */
#define MAX_FILES 32

enum use {
  USE_READ,   /* input: two inputs may be the same file */
  USE_CREATE, /* output, created under its name */
  USE_STREAM, /* standard stream: two may lead to the same file */
};

struct file {
  char label[32]; /* "--json", "MODEL", "standard output" */
  enum use use;
  bool identified; /* false: neither the file nor its folder exists */
  bool exists;     /* `status` is that of the file, otherwise that of its folder */
  struct stat status;
  char name[256]; /* in that folder, if the file does not exist */
};

struct files {
  struct file files[MAX_FILES];
  size_t count;
};

/* ---- collecting ------------------------------------------------------------------------------ */

static struct file *add_file(struct files *files, const char *label, enum use use) {
  assert(files->count < MAX_FILES);
  struct file *file = &files->files[files->count++];
  *file = (struct file){.use = use};
  snprintf(file->label, sizeof file->label, "%s", label);
  return file;
}

static bool find_folder(const char *path, struct stat *out) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  bool found = folder && stat(folder, out) == 0;
  free(folder);
  return found;
}

static void add_path(struct files *files, const char *label, enum use use, const char *path) {
  struct file *file = add_file(files, label, use);
  const char *slash = strrchr(path, '/');
  file->exists = stat(path, &file->status) == 0;
  file->identified = file->exists || find_folder(path, &file->status);
  snprintf(file->name, sizeof file->name, "%s", slash ? slash + 1 : path);
}

static void add_stream(struct files *files, const char *label, enum use use, int descriptor) {
  struct file *file = add_file(files, label, use);
  file->identified = file->exists = fstat(descriptor, &file->status) == 0;
}

void files_add_output(struct files *files, const char *label, const char *path) {
  add_path(files, label, USE_CREATE, path);
}

/* The n-th word of "MODEL TRACE". */
static void operand_name(const char *words, int n, char name[32]) {
  for (; n > 0; n--)
    words += strcspn(words, " ") + 1;
  snprintf(name, 32, "%.*s", (int)strcspn(words, " "), words);
}

static void add_operands(struct files *files, const struct command *command, char *const *operands, int count) {
  for (int i = 0; i < command->input_operands && i < count; i++) {
    char name[32];
    operand_name(command->operands, i, name);
    if (strcmp(operands[i], "-") == 0)
      add_stream(files, name, USE_READ, STDIN_FILENO);
    else
      add_path(files, name, USE_READ, operands[i]);
  }
}

/* ---- files of options ------------------------------------------------------------------------ */

static const char *option_path(const struct options *options, const struct option_row *row) {
  const void *field = (const char *)options + row->offset;
  if (row->kind == WRITES_OPTIONAL)
    return ((const struct optional *)field)->text;
  return *(const char *const *)field;
}

static bool is_written(const struct option_row *row) {
  return row->kind == WRITES || row->kind == WRITES_OPTIONAL || row->kind == WRITES_REGULAR;
}

static void add_options(struct files *files, const struct options *options) {
  for (int i = 0; i < OPTION_COUNT; i++) {
    const struct option_row *row = &option_rows[i];
    char label[32];
    snprintf(label, sizeof label, "--%s", row->name);
    if (!option_given(options, (unsigned)i))
      continue;
    if (row->kind == READS)
      add_path(files, label, USE_READ, option_path(options, row));
    else if (is_written(row) && !is_standard_output(option_path(options, row)))
      add_path(files, label, USE_CREATE, option_path(options, row));
  }
}

/* Two outputs on standard output could not be separated. */
static bool at_most_one_on_stdout(const struct options *options) {
  const struct option_row *first = NULL;
  for (int i = 0; i < OPTION_COUNT; i++) {
    const struct option_row *row = &option_rows[i];
    if (!option_given(options, (unsigned)i) || !is_written(row) || !is_standard_output(option_path(options, row)))
      continue;
    if (first) {
      print_error("name a file for one of them", "--%s and --%s both write to standard output", first->name, row->name);
      return false;
    }
    first = row;
  }
  return true;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool is_same_file(const struct file *a, const struct file *b) {
  if (!a->identified || !b->identified || a->exists != b->exists || a->status.st_dev != b->status.st_dev ||
      a->status.st_ino != b->status.st_ino)
    return false;
  return a->exists ? S_ISREG(a->status.st_mode) : strcmp(a->name, b->name) == 0;
}

static bool may_share(const struct file *a, const struct file *b) { return a->use == b->use && a->use != USE_CREATE; }

static bool are_distinct(const struct file *a, const struct file *b) {
  if (may_share(a, b) || !is_same_file(a, b))
    return true;
  print_error("an output replaces the file: use different files", "%s and %s are the same file", a->label, b->label);
  return false;
}

static bool all_distinct(const struct files *files) {
  for (size_t i = 0; i < files->count; i++)
    for (size_t j = 0; j < i; j++)
      if (!are_distinct(&files->files[j], &files->files[i]))
        return false;
  return true;
}

/* ---- writable -------------------------------------------------------------------------------- */

/* Checkpoints and orders are completed by seeking back to their beginning. */
static bool can_write_seekable(const char *path) {
  struct stat status;
  bool device = is_standard_output(path) || (stat(path, &status) == 0 && !S_ISREG(status.st_mode));
  if (!device || (!is_standard_output(path) && S_ISDIR(status.st_mode)))
    return can_write_file(path);
  print_error("name a regular file", "%s cannot be written: it is not a regular file", path);
  return false;
}

static bool all_writable(const struct options *options) {
  for (int i = 0; i < OPTION_COUNT; i++) {
    const struct option_row *row = &option_rows[i];
    if (!option_given(options, (unsigned)i) || !is_written(row))
      continue;
    const char *path = option_path(options, row);
    if (row->kind == WRITES_REGULAR ? !can_write_seekable(path) : !is_standard_output(path) && !can_write_file(path))
      return false;
  }
  return true;
}

bool files_check(const struct options *options, const struct command *command, char *const *operands, int count) {
  struct files files = {.count = 0};
  add_operands(&files, command, operands, count);
  add_options(&files, options);
  if (command->add_outputs && !command->add_outputs(&files, options, operands, count))
    return false;
  add_stream(&files, "standard output", USE_STREAM, STDOUT_FILENO);
  add_stream(&files, "standard error", USE_STREAM, STDERR_FILENO);
  return at_most_one_on_stdout(options) && all_distinct(&files) && all_writable(options);
}
