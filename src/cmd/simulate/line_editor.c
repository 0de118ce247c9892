#define _GNU_SOURCE
#include "cmd/simulate/line_editor.h"

#include "cmd/message.h"
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

/* ---- what TAB offers ------------------------------------------------------------------------- */

struct line_offers {
  const char *typed;
  char **lines; /* [count], each of its own memory */
  size_t count;
};

/* Without memory it is not offered. */
void line_offer(struct line_offers *offers, const char *line) {
  if (strncmp(line, offers->typed, strlen(offers->typed)) != 0)
    return;
  char **lines = realloc(offers->lines, (offers->count + 1) * sizeof *lines);
  if (!lines)
    return;
  offers->lines = lines;
  lines[offers->count] = strdup(line);
  offers->count += lines[offers->count] != NULL;
}

static bool is_folder(DIR *folder, const char *name) {
  struct stat status;
  return fstatat(dirfd(folder), name, &status, 0) == 0 && S_ISDIR(status.st_mode);
}

/* Files whose names could not be typed, or begin with a dot that was not typed, are left out. */
static void offer_file(struct line_offers *offers, const char *lead, DIR *folder, const char *name, bool hidden) {
  char *line;
  if (printable(name) != name || (*name == '.' && !hidden) || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
    return;
  if (asprintf(&line, "%s%s%s", lead, name, is_folder(folder, name) ? "/" : "") < 0)
    return;
  line_offer(offers, line);
  free(line);
}

void line_offer_files(struct line_offers *offers, const char *before, const char *path) {
  const char *slash = strrchr(path, '/');
  const int length = slash ? (int)(slash + 1 - path) : 0;
  char *lead = NULL;
  if (asprintf(&lead, "%s%.*s", before, length, path) < 0)
    return;
  DIR *folder = opendir(length ? lead + strlen(before) : ".");
  for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
    offer_file(offers, lead, folder, entry->d_name, path[length] == '.');
  if (folder)
    closedir(folder);
  free(lead);
}

/* ---- the library ----------------------------------------------------------------------------- */

/* readline's functions and variables, which libedit has by the same names. Opened only for a dialogue on a terminal, so
   that floe is built and runs without any, and with no headers of theirs. */
static struct {
  bool tried;
  char *(*readline)(const char *prompt); /* NULL: there is no library */
  int (*add_history)(const char *line);
  char **(*matches)(const char *text, char *(*next)(const char *text, int state));
  int *over;              /* set: what is not offered here is not completed otherwise, as the name of a file */
  const char **breaks[2]; /* characters that end a word: none, as whole lines are offered */
  int *append;            /* character behind what is completed: none */
  char **(**attempt)(const char *text, int start, int end);
} editor;

/* Whose line is read now: the library's functions are given nothing to tell it by. */
static struct {
  line_completer *complete;
  void *user;
  struct line_offers offers;
  char *last; /* that was typed */
} reading;

/* The library's protocol: state 0 begins, it frees what it is given, NULL is the end. */
static char *next_offer(const char *text, int state) {
  struct line_offers *offers = &reading.offers;
  static size_t at;
  if (state == 0) {
    at = 0;
    *offers = (struct line_offers){.typed = text};
    reading.complete(reading.user, text, offers);
  }
  if (at < offers->count)
    return offers->lines[at++];
  free(offers->lines);
  *offers = (struct line_offers){0};
  return NULL;
}

static char **attempt(const char *text, int start, int end) {
  (void)end;
  *editor.over = 1;
  *editor.append = 0; /* readline forgets it each time */
  return start == 0 ? editor.matches(text, next_offer) : NULL;
}

/* Each of them, or none is used. */
static bool find_functions(void *library) {
  const struct {
    const char *name;
    void *address; /* of a pointer */
  } symbols[] = {{"add_history", &editor.add_history},
                 {"rl_completion_matches", &editor.matches},
                 {"rl_attempted_completion_over", &editor.over},
                 {"rl_basic_word_break_characters", &editor.breaks[0]},
                 {"rl_completer_word_break_characters", &editor.breaks[1]},
                 {"rl_completion_append_character", &editor.append},
                 {"rl_attempted_completion_function", &editor.attempt},
                 {"readline", &editor.readline}};
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
    if (!(*(void **)symbols[i].address = dlsym(library, symbols[i].name)))
      return false;
  return true;
}

/* The first of the libraries that is there; it stays open. */
static void *open_library(void) {
  char names[] = FLOE_LINE_EDITORS;
  void *library = NULL;
  char *rest;
  for (char *name = strtok_r(names, " ", &rest); name && !library; name = strtok_r(NULL, " ", &rest))
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  return library;
}

static void open_editor(void) {
  void *library = open_library();
  editor.tried = true;
  if (!library || !find_functions(library)) {
    editor.readline = NULL;
    return;
  }
  setlocale(LC_CTYPE, ""); /* letters of several bytes are one to be rubbed out */
  *editor.breaks[0] = *editor.breaks[1] = "";
  *editor.attempt = attempt;
}

/* A terminal without a cursor (Emacs's, dumb) shows what an editor sends. */
static bool is_for_a_person(void) {
  const char *kind = getenv("TERM");
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
}

/* A line that is typed twice in a row is one of the history. */
static void keep(char *typed) {
  if (*typed && (!reading.last || strcmp(typed, reading.last) != 0))
    editor.add_history(typed);
  free(reading.last);
  reading.last = typed;
}

static bool edit(const char *prompt, char *line, size_t size) {
  char *typed = editor.readline(prompt);
  if (!typed)
    return false;
  snprintf(line, size, "%s", typed);
  keep(typed);
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

bool line_read(const char *prompt, line_completer *complete, void *user, char *line, size_t size) {
  const bool person = is_for_a_person();
  reading.complete = complete;
  reading.user = user;
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
