#define _GNU_SOURCE
#include "cmd/simulate/line_editor.h"

#include "cmd/console/message.h"
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- completions ----------------------------------------------------------------------------- */

struct completions {
  const char *typed;
  char **lines; /* [count], each of its own memory */
  size_t count;
};

/* Omits the candidate if out of memory. */
void completion_add(struct completions *completions, const char *line) {
  if (strncmp(line, completions->typed, strlen(completions->typed)) != 0)
    return;
  char **lines = realloc(completions->lines, (completions->count + 1) * sizeof *lines);
  if (!lines)
    return;
  completions->lines = lines;
  lines[completions->count] = strdup(line);
  completions->count += lines[completions->count] != NULL;
}

static bool is_folder(DIR *folder, const char *name) {
  struct stat status;
  return fstatat(dirfd(folder), name, &status, 0) == 0 && S_ISDIR(status.st_mode);
}

/* Omits names with control characters, and hidden files unless a dot was typed. */
static void offer_file(struct completions *completions, const char *lead, DIR *folder, const char *name, bool hidden) {
  char *line;
  if (printable(name) != name || (*name == '.' && !hidden) || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
    return;
  if (asprintf(&line, "%s%s%s", lead, name, is_folder(folder, name) ? "/" : "") < 0)
    return;
  completion_add(completions, line);
  free(line);
}

void completion_add_files(struct completions *completions, const char *before, const char *path) {
  const char *slash = strrchr(path, '/');
  const int length = slash ? (int)(slash + 1 - path) : 0;
  char *lead = NULL;
  if (asprintf(&lead, "%s%.*s", before, length, path) < 0)
    return;
  DIR *folder = opendir(length ? lead + strlen(before) : ".");
  for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
    offer_file(completions, lead, folder, entry->d_name, path[length] == '.');
  if (folder)
    closedir(folder);
  free(lead);
}

/* ---- the library ----------------------------------------------------------------------------- */

/* Functions and variables of readline, which libedit provides under the same names. Loaded only for interactive use, so
   that floe needs neither the library nor its headers. */
static struct {
  bool tried;
  char *(*readline)(const char *prompt); /* NULL: no library */
  int (*add_history)(const char *line);
  char **(*matches)(const char *text, char *(*next)(const char *text, int state));
  int *completion_over;        /* set: no fallback to file names */
  const char **word_breaks[2]; /* characters that end a word: none, because whole lines are completed */
  int *append_character;       /* character after a completion: none */
  char **(**complete_line_start)(const char *text, int start, int end);
} editor;

/* The line being read. Global, because the library's callbacks have no user argument. */
static struct {
  completion_callback *complete;
  void *user;
  struct completions completions;
  char *last; /* the line before */
} current_line;

/* The library's protocol: state 0 begins; the library frees the results; NULL is the end. */
static char *next_completion(const char *text, int state) {
  struct completions *completions = &current_line.completions;
  static size_t at;
  if (state == 0) {
    at = 0;
    *completions = (struct completions){.typed = text};
    current_line.complete(current_line.user, text, completions);
  }
  if (at < completions->count)
    return completions->lines[at++];
  free(completions->lines);
  *completions = (struct completions){0};
  return NULL;
}

static char **complete_line_start(const char *text, int start, int end) {
  (void)end;
  *editor.completion_over = 1;
  *editor.append_character = 0; /* readline resets it for each completion */
  return start == 0 ? editor.matches(text, next_completion) : NULL;
}

/* False if a symbol is missing: the library is not used then. */
static bool find_functions(void *library) {
  const struct {
    const char *name;
    void *address; /* of a pointer */
  } symbols[] = {{"add_history", &editor.add_history},
                 {"rl_completion_matches", &editor.matches},
                 {"rl_attempted_completion_over", &editor.completion_over},
                 {"rl_basic_word_break_characters", &editor.word_breaks[0]},
                 {"rl_completer_word_break_characters", &editor.word_breaks[1]},
                 {"rl_completion_append_character", &editor.append_character},
                 {"rl_attempted_completion_function", &editor.complete_line_start},
                 {"readline", &editor.readline}};
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
    if (!(*(void **)symbols[i].address = dlsym(library, symbols[i].name)))
      return false;
  return true;
}

/* Loads the first library that is installed, permanently. */
static void *load_library(void) {
  char names[] = FLOE_LINE_EDITORS;
  void *library = NULL;
  char *rest;
  for (char *name = strtok_r(names, " ", &rest); name && !library; name = strtok_r(NULL, " ", &rest))
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  return library;
}

static void load_editor(void) {
  void *library = load_library();
  editor.tried = true;
  if (!library || !find_functions(library)) {
    editor.readline = NULL;
    return;
  }
  setlocale(LC_CTYPE, ""); /* the editor deletes multibyte characters as a whole */
  *editor.word_breaks[0] = *editor.word_breaks[1] = "";
  *editor.complete_line_start = complete_line_start;
}

/* False for a terminal without a cursor (dumb, as in Emacs), which would print escape sequences. */
static bool is_interactive_terminal(void) {
  const char *kind = getenv("TERM");
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
}

/* Adds a line to the history unless it repeats the previous one. */
static void add_to_history(char *typed) {
  if (*typed && (!current_line.last || strcmp(typed, current_line.last) != 0))
    editor.add_history(typed);
  free(current_line.last);
  current_line.last = typed;
}

static bool read_edited(const char *prompt, char *line, size_t size) {
  char *typed = editor.readline(prompt);
  if (!typed)
    return false;
  snprintf(line, size, "%s", typed);
  add_to_history(typed);
  return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool read_plain(const char *prompt, char *line, size_t size) {
  fputs(prompt, stdout);
  fflush(stdout);
  if (!fgets(line, (int)size, stdin))
    return false;
  line[strcspn(line, "\n")] = 0;
  return true;
}

bool line_read(const char *prompt, completion_callback *complete, void *user, char *line, size_t size) {
  const bool interactive = is_interactive_terminal();
  current_line.complete = complete;
  current_line.user = user;
  if (interactive && !editor.tried)
    load_editor();
  fflush(stdout);
  if (!(interactive && editor.readline ? read_edited : read_plain)(prompt, line, size)) {
    putchar('\n');
    return false;
  }
  for (char *at = line; *at; at++)
    if (iscntrl((unsigned char)*at))
      *at = ' ';
  if (!isatty(STDIN_FILENO))
    puts(line);
  return true;
}
