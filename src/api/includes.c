#define _GNU_SOURCE
#include "api/includes.h"

#include "base/whole_io.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file of the model. */
struct included {
  const struct source *source;
  const char *folder; /* paths in its text are relative to it */
  const char *path;   /* canonical; NULL: not read from a file */
  source_at at;       /* where it is included; NOWHERE: the model's own file */
  unsigned depth;     /* of inclusion; 0: the model's own file */
};

/* An `include` that is executed. */
struct request {
  const char *href, *name; /* as written; from the current folder */
  bool attached;           /* a file in another format */
  source_at at;
  char path[PATH_MAX]; /* canonical */
  struct stat info;
};

/* An error at the place of the request. */
#define REPORT(includes, request, hint, ...)                                                                           \
  diag_error((includes)->log, (includes)->first, (request)->at, (hint), __VA_ARGS__)
#define REFUSE(...) (REPORT(__VA_ARGS__), FLOE_ERROR_MODEL)

const char *include_folder(const char *path, struct arena *arena) {
  const char *slash = strrchr(path, '/');
  if (!slash)
    return ".";
  return arena_copy(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

static const char *join(const char *folder, const char *name, struct arena *arena) {
  return strcmp(folder, ".") == 0 ? name : arena_printf(arena, "%s/%s", folder, name);
}

struct source source_copy(const struct source *source, struct arena *arena) {
  return (struct source){.name = arena_copy(arena, source->name, strlen(source->name)),
                         .text = arena_copy(arena, source->text, source->length),
                         .length = source->length};
}

/* ---- rules ------------------------------------------------------------------------------------- */

static const struct included *file_at(const struct includes *self, source_at at) {
  const struct source *source = source_find(self->first, at);
  size_t i = 0;
  while (self->files[i].source != source)
    i++;
  return &self->files[i];
}

static floe_status check_counts(const struct includes *self, const struct request *request) {
  if (self->count > MOST_INCLUDES)
    return REFUSE(self, request, NULL, "the model includes more than %d files", MOST_INCLUDES);
  if (file_at(self, request->at)->depth == DEEPEST_INCLUDE)
    return REFUSE(self, request, NULL, "files are included more than %d deep", DEEPEST_INCLUDE);
  return FLOE_OK;
}

static floe_status check_href(const struct includes *self, const struct request *request) {
  static const char hint[] = "name it relative to the folder of this file";
  if (!request->href[0])
    return REFUSE(self, request, hint, "'%s' names no file", request->attached ? "automaton" : "href");
  if (request->href[0] == '/')
    return REFUSE(self, request, hint, "'%.200s' is an absolute path", request->href);
  return FLOE_OK;
}

static floe_status cannot_open(const struct includes *self, const struct request *request) {
  const int error = errno;
  return REFUSE(self, request,
                error == EACCES ? "floe needs the permission to read it"
                                : "the path is relative to the folder of this file",
                "%s cannot be opened: %s", request->name, strerror(error));
}

static bool is_below(const char *path, const char *folder) {
  const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* The file must be in the root, after all symbolic links. */
static floe_status find_path(struct includes *self, struct request *request) {
  char root[PATH_MAX];
  if (!self->root && realpath(self->rules.root, root))
    self->root = arena_copy(self->arena, root, strlen(root));
  if (!self->root || !realpath(request->name, request->path))
    return cannot_open(self, request);
  if (!is_below(request->path, self->root))
    return REFUSE(self, request, "a model includes files of its own folder and of folders in it",
                  "%s is outside the folder of the model", request->name);
  return FLOE_OK;
}

static bool is_ancestor(const struct includes *self, const struct included *file, source_at at) {
  const struct included *current = file_at(self, at);
  while (current != file && current->depth > 0)
    current = file_at(self, current->at);
  return current == file;
}

static floe_status check_once(const struct includes *self, const struct request *request) {
  for (size_t i = 0; i < self->count; i++) {
    const struct included *file = &self->files[i];
    if (!file->path || strcmp(file->path, request->path) != 0)
      continue;
    if (is_ancestor(self, file, request->at))
      REPORT(self, request, NULL, "%s includes itself", file->source->name);
    else
      REPORT(self, request, "include it once: its parts are known in the whole model", "%s is included twice",
             file->source->name);
    if (file->at != NOWHERE)
      diag_note(self->log, self->first, file->at, NULL, "%s is first included here", file->source->name);
    return FLOE_ERROR_MODEL;
  }
  return FLOE_OK;
}

/* ---- reading ----------------------------------------------------------------------------------- */

static floe_status check_file(const struct includes *self, struct request *request) {
  const size_t used = source_end(self->first);
  if (stat(request->path, &request->info) != 0)
    return cannot_open(self, request);
  if (!S_ISREG(request->info.st_mode))
    return REFUSE(self, request, "name a file", "%s is %s", request->name,
                  S_ISDIR(request->info.st_mode) ? "a folder" : "not a regular file");
  if (request->info.st_size > (off_t)(LARGEST_MODEL - (used < LARGEST_MODEL ? used : LARGEST_MODEL)))
    return REFUSE(self, request, NULL, "with %s the model is larger than %zu MiB", request->name, LARGEST_MODEL >> 20);
  return FLOE_OK;
}

static bool is_same_file(int file, const struct stat *expected) {
  struct stat found;
  return fstat(file, &found) == 0 && found.st_dev == expected->st_dev && found.st_ino == expected->st_ino &&
         found.st_size == expected->st_size;
}

/* The path is canonical and its file regular, or it changed since: then nothing is read. */
static floe_status read_text(struct includes *self, const struct request *request, struct source *out) {
  out->length = (size_t)request->info.st_size;
  char *text = arena_alloc(self->arena, out->length + 1);
  int file = open(request->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0)
    return cannot_open(self, request);
  const bool same = is_same_file(file, &request->info);
  const bool read = same && read_whole(file, text, out->length);
  const int error = errno;
  close(file);
  if (!read)
    return REFUSE(self, request, NULL, "%s cannot be read: %s", request->name,
                  same && error ? strerror(error) : "it changed meanwhile");
  text[out->length] = '\0';
  out->text = text;
  return FLOE_OK;
}

/* ---- the list ---------------------------------------------------------------------------------- */

static void append(struct includes *self, struct source *source, const struct request *request) {
  const struct included file = {.source = source,
                                .folder = include_folder(source->name, self->arena),
                                .path = arena_copy(self->arena, request->path, strlen(request->path)),
                                .at = request->at,
                                .depth = file_at(self, request->at)->depth + 1};
  source->base = source_end(self->first);
  source->next = NULL;
  self->last->next = source;
  self->last = source;
  *ARENA_PUSH(self->arena, self->files, self->count, self->room) = file;
}

static floe_status read_source(struct includes *self, struct request *request, struct source *out) {
  if (!self->rules.root)
    return REFUSE(self, request, self->rules.hint, "'%.200s' cannot be included: %s", request->href,
                  self->rules.refusal);
  FLOE_TRY(check_counts(self, request));
  FLOE_TRY(check_href(self, request));
  request->name = join(file_at(self, request->at)->folder, request->href, self->arena);
  FLOE_TRY(find_path(self, request));
  if (!request->attached)
    FLOE_TRY(check_once(self, request));
  FLOE_TRY(check_file(self, request));
  FLOE_TRY(read_text(self, request, out));
  out->name = request->name;
  return FLOE_OK;
}

static floe_status execute(struct includes *self, struct request *request, const struct source **out) {
  struct source *source = arena_alloc(self->arena, sizeof *source);
  if (self->given) {
    *source = source_copy(self->given, self->arena);
    self->given = self->given->next;
  } else {
    FLOE_TRY(read_source(self, request, source));
  }
  append(self, source, request);
  *out = source;
  return FLOE_OK;
}

static floe_status include(struct includer *includer, const char *href, source_at at, const struct source **out) {
  struct request request = {.href = href, .at = at};
  return execute((struct includes *)includer, &request, out);
}

static floe_status attach(struct includer *includer, const char *href, source_at at, const struct source **out) {
  struct request request = {.href = href, .at = at, .attached = true};
  return execute((struct includes *)includer, &request, out);
}

/* In an MPI job the given texts have it first: a language that reads properties includes no files before. */
static floe_status properties(struct includer *includer, const struct source **out) {
  struct includes *self = (struct includes *)includer;
  const struct source *given = self->given ? self->given : self->properties;
  const struct request request = {.at = self->first->base, .path = ""};
  *out = NULL;
  if (!given)
    return FLOE_OK;
  if (self->given)
    self->given = self->given->next;
  struct source *source = arena_alloc(self->arena, sizeof *source);
  *source = source_copy(given, self->arena);
  append(self, source, &request);
  *out = source;
  return FLOE_OK;
}

void includes_init(struct includes *self, const struct include_rules *rules, struct source *first, struct arena *arena,
                   floe_log *log) {
  char path[PATH_MAX];
  assert(!first->next);
  *self = (struct includes){.includer = {include, attach, properties},
                            .rules = *rules,
                            .first = first,
                            .last = first,
                            .arena = arena,
                            .log = log};
  *ARENA_PUSH(arena, self->files, self->count, self->room) = (struct included){
      .source = first,
      .folder = rules->folder,
      .path = realpath(first->name, path) ? arena_copy(arena, path, strlen(path)) : NULL,
      .at = NOWHERE,
  };
}
