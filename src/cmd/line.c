#define _GNU_SOURCE
#include "cmd/line.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- libedit --------------------------------------------------------------------------------- */

/* Its functions that have readline's names. Opened only for a dialogue on a terminal, so that floe is built and runs
   without it, and with none of its headers. */
static struct {
  bool tried;
  char *(*readline)(const char *prompt);
  int (*add_history)(const char *line);
  char **(*matches)(const char *text, char *(*next)(const char *text, int state));
} editor;

static const char *const *completions;

/* The word after the last one that was given for this text; readline's protocol: state 0 begins, strings are freed. */
static char *next_word(const char *text, int state) {
  static size_t at;
  if (state == 0)
    at = 0;
  while (completions && completions[at]) {
    const char *word = completions[at++];
    if (strncmp(word, text, strlen(text)) == 0)
      return strdup(word);
  }
  return NULL;
}

/* Of a first word; what comes after one is left to libedit, which completes files. */
static char **complete(const char *text, int start, int end) {
  (void)end;
  return start == 0 ? editor.matches(text, next_word) : NULL;
}

static void *find(void *library, const char *name) { return dlsym(library, name); }

/* It stays open. */
static void open_editor(void) {
  void *library = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  editor.tried = true;
  if (!library)
    return;
  *(void **)&editor.add_history = find(library, "add_history");
  *(void **)&editor.matches = find(library, "rl_completion_matches");
  char **(**attempt)(const char *, int, int) = find(library, "rl_attempted_completion_function");
  if (!editor.add_history || !editor.matches || !attempt)
    return;
  *attempt = complete;
  *(void **)&editor.readline = find(library, "readline");
}

static bool is_for_a_person(void) { return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO); }

static bool edit(const char *prompt, char *line, size_t size) {
  char *typed = editor.readline(prompt);
  if (!typed)
    return false;
  if (*typed)
    editor.add_history(typed);
  snprintf(line, size, "%s", typed);
  free(typed);
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

bool line_read(const char *prompt, const char *const *words, char *line, size_t size) {
  const bool person = is_for_a_person();
  completions = words;
  if (person && !editor.tried)
    open_editor();
  fflush(stdout);
  if (!(person && editor.readline ? edit : read_plain)(prompt, line, size)) {
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
