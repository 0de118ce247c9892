#include "core/diag.h"

#include "base/edit_distance.h"
#include "base/message_kind.h"
#include "base/splitmix64.h"
#include "base/utf8.h"
#include "core/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const size_t limits[] = {[FLOE_NOTE] = 100, [FLOE_WARNING] = 100, [FLOE_ERROR] = 20};
#define MAX_ENTRIES (100 + 100 + 20)

/* An excerpt is the start of the source line, so that a message's column is also a column of its excerpt: at most
   EXCERPT characters, and none for a column beyond. */
#define EXCERPT 200

/* Messages quote names from the file, which may have any length and content. */
#define LONGEST_MESSAGE 4000

struct entry {
  floe_message message; /* its strings follow in `bytes`, except NULL ones */
  source_at at;
  size_t similar; /* warnings of the kind that are not kept, if this is the first one */
  char bytes[];
};

struct floe_log {
  struct entry *entries[MAX_ENTRIES];
  size_t count;
  size_t kept[FLOE_ERROR + 1]; /* by severity */
  size_t errors;               /* kept or only counted */
  size_t reported;             /* including repeated messages */

  /* Fingerprints of warnings that are not kept: a repeated one counts once. Open addressing; 0: free. */
  uint64_t *omitted;
  size_t omitted_count, omitted_slots;
};

floe_status floe_log_create(floe_log **out) {
  if (!out)
    return FLOE_ERROR_USAGE;
  floe_log *log = mem_alloc(sizeof *log);
  if (!log)
    return FLOE_ERROR_MEMORY;
  *out = log;
  return FLOE_OK;
}

void floe_log_free(floe_log *log) {
  if (!log)
    return;
  floe_log_clear(log);
  mem_free(log);
}

void floe_log_clear(floe_log *log) {
  if (!log)
    return;
  for (size_t i = 0; i < log->count; i++)
    mem_free(log->entries[i]);
  mem_free(log->omitted);
  memset(log, 0, sizeof *log);
}

size_t floe_log_count(const floe_log *log) { return log ? log->count : 0; }

const floe_message *floe_log_at(const floe_log *log, size_t i) {
  if (i >= floe_log_count(log))
    return NULL;
  return &log->entries[i]->message;
}

size_t floe_log_errors(const floe_log *log) { return log ? log->errors : 0; }
size_t floe_log_dropped(const floe_log *log) { return log ? log->errors - log->kept[FLOE_ERROR] : 0; }
size_t floe_log_similar(const floe_log *log, size_t i) {
  return i < floe_log_count(log) ? log->entries[i]->similar : 0;
}
size_t diag_errors(const floe_log *log) { return log ? log->reported : 0; }

/* ---- places ---------------------------------------------------------------------------------- */

source_at source_end(const struct source *source) {
  while (source->next)
    source = source->next;
  return source->base + (source_at)source->length + 1;
}

const struct source *source_find(const struct source *source, source_at at) {
  while (source->next && source->next->base <= at)
    source = source->next;
  return source;
}

const char *source_included_file(const struct source *first, source_at at) {
  const struct source *source = source_find(first, at);
  return at == NOWHERE || source == first ? "" : source->name;
}

/* A byte order mark is not a character of the first line. */
static const char *first_line(const struct source *source) {
  bool mark = source->length >= 3 && memcmp(source->text, "\xEF\xBB\xBF", 3) == 0;
  return source->text + (mark ? 3 : 0);
}

static const char *byte_at(const struct source *source, source_at at) {
  const size_t offset = at - source->base;
  return source->text + (offset < source->length ? offset : source->length);
}

static const char *line_start(const struct source *source, source_at at, unsigned *line) {
  const char *start = first_line(source), *end = byte_at(source, at);
  *line = 1;
  while (start < end) {
    const char *newline = memchr(start, '\n', (size_t)(end - start));
    if (!newline)
      break;
    start = newline + 1;
    ++*line;
  }
  return start;
}

void source_position(const struct source *first, source_at at, unsigned *line, unsigned *column) {
  const struct source *source = source_find(first, at);
  const char *end = byte_at(source, at);
  *column = 1;
  for (const char *p = line_start(source, at, line); p < end; p += utf8_step(p, (size_t)(end - p)))
    ++*column;
}

static size_t excerpt_of(const struct source *source, source_at at, char *out) {
  unsigned line;
  const char *start = line_start(source, at, &line);
  const char *end = source->text + source->length;
  const char *newline = start < end ? memchr(start, '\n', (size_t)(end - start)) : NULL;
  if (newline)
    end = newline;
  if (end > start && end[-1] == '\r')
    end--;
  return utf8_printable(out, start, (size_t)(end - start), EXCERPT);
}

/* ---- adding ---------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static bool check_known_name(const floe_log *log, const struct entry *entry) {
  for (size_t i = 0; i < log->count; i++) {
    const struct entry *other = log->entries[i];
    if (other->at == entry->at && other->message.severity == entry->message.severity &&
        same_text(other->message.message, entry->message.message) &&
        same_text(other->message.file, entry->message.file))
      return true;
  }
  return false;
}

static const char *append(char **p, const char *text, size_t length) {
  char *start = *p;
  memcpy(start, text, length);
  start[length] = '\0';
  *p += length + 1;
  return start;
}

struct report {
  floe_severity severity;
  const struct source *source;
  source_at at;
  const char *hint;
};

/* Formats the message, printable and shortened if necessary; returns its length. */
static size_t format_message(char *out, const char *format, va_list args) {
  char text[LONGEST_MESSAGE + 1];
  int length = vsnprintf(text, sizeof text, format, args);
  return utf8_printable(out, text, length < 0 ? 0 : strlen(text), LONGEST_MESSAGE);
}

/* One allocation holds the message and all its strings. NULL: no memory. */
static struct entry *entry_create(const struct report *report, const char *format, va_list args) {
  char text[LONGEST_MESSAGE], excerpt[EXCERPT * 4];
  bool placed = report->source && report->at != NOWHERE;
  const struct source *source = placed ? source_find(report->source, report->at) : report->source;
  size_t length = format_message(text, format, args);
  size_t excerpt_bytes = placed ? excerpt_of(source, report->at, excerpt) : 0;
  size_t file_bytes = source ? strlen(source->name) : 0;
  size_t hint_bytes = report->hint ? strlen(report->hint) : 0;
  struct entry *entry = mem_alloc(sizeof *entry + length + file_bytes + hint_bytes + excerpt_bytes + 4);
  if (!entry)
    return NULL;
  floe_message *message = &entry->message;
  char *p = entry->bytes;
  entry->at = report->at;
  message->severity = report->severity;
  message->message = append(&p, text, length);
  message->file = source ? append(&p, source->name, file_bytes) : NULL;
  message->hint = report->hint ? append(&p, report->hint, hint_bytes) : NULL;
  if (placed)
    source_position(source, report->at, &message->line, &message->column);
  if (placed && message->column <= EXCERPT + 1)
    message->excerpt = append(&p, excerpt, excerpt_bytes);
  return entry;
}

/* ---- warnings that are not kept --------------------------------------------------------------- */

static uint64_t fingerprint(const struct entry *entry) {
  uint64_t hash = entry->at;
  for (const char *p = entry->message.message; *p; p++)
    hash = splitmix64_mix(hash + (unsigned char)*p);
  return hash | 1;
}

/* Where it is, or belongs. */
static uint64_t *slot_of(uint64_t *slots, size_t count, uint64_t print) {
  size_t i = (size_t)print & (count - 1);
  while (slots[i] && slots[i] != print)
    i = (i + 1) & (count - 1);
  return &slots[i];
}

/* False: no memory. */
static bool grow_omitted(struct floe_log *log) {
  const size_t slots = log->omitted_slots ? 2 * log->omitted_slots : 256;
  uint64_t *grown = mem_array(slots, sizeof *grown);
  if (!grown)
    return false;
  for (size_t i = 0; i < log->omitted_slots; i++)
    if (log->omitted[i])
      *slot_of(grown, slots, log->omitted[i]) = log->omitted[i];
  mem_free(log->omitted);
  log->omitted = grown;
  log->omitted_slots = slots;
  return true;
}

/* False: it is there already. Without memory it may be added again. */
static bool add_omitted(struct floe_log *log, uint64_t print) {
  if (2 * log->omitted_count >= log->omitted_slots && !grow_omitted(log))
    return true;
  uint64_t *const slot = slot_of(log->omitted, log->omitted_slots, print);
  if (*slot)
    return false;
  *slot = print;
  log->omitted_count++;
  return true;
}

static bool is_like(const struct entry *a, const struct entry *b) {
  return a->message.severity == b->message.severity && same_text(a->message.file, b->message.file) &&
         message_same_kind(a->message.message, b->message.message);
}

/* The first kept one of its kind; NULL: none is kept. */
static struct entry *first_like(const struct floe_log *log, const struct entry *entry) {
  for (size_t i = 0; i < log->count; i++)
    if (log->entries[i] == entry || is_like(log->entries[i], entry))
      return log->entries[i] == entry ? NULL : log->entries[i];
  return NULL;
}

/* Removes the last warning that has a similar one before it; false: there is none. */
static bool make_room(struct floe_log *log) {
  for (size_t i = log->count; i-- > 0;) {
    struct entry *const last = log->entries[i];
    struct entry *const first = last->message.severity == FLOE_WARNING ? first_like(log, last) : NULL;
    if (!first)
      continue;
    first->similar += add_omitted(log, fingerprint(last));
    memmove(log->entries + i, log->entries + i + 1, (--log->count - i) * sizeof *log->entries);
    log->kept[FLOE_WARNING]--;
    mem_free(last);
    return true;
  }
  return false;
}

/* The log is full of warnings. True: there is room now, as this one is the first of its kind. */
static bool omit_similar(struct floe_log *log, const struct entry *entry) {
  struct entry *const first = first_like(log, entry);
  if (!first)
    return make_room(log);
  first->similar += add_omitted(log, fingerprint(entry));
  return false;
}

/* Without a log nothing is reported. */
static void add(floe_log *log, const struct report *report, const char *format, va_list args) {
  if (!log)
    return;
  log->reported += report->severity == FLOE_ERROR;
  const bool full = log->kept[report->severity] == limits[report->severity], warning = report->severity == FLOE_WARNING;
  struct entry *entry = full && !warning ? NULL : entry_create(report, format, args);
  if (entry && (check_known_name(log, entry) || (full && !omit_similar(log, entry)))) {
    mem_free(entry);
    return;
  }
  log->errors += report->severity == FLOE_ERROR;
  if (!entry)
    return;
  log->kept[report->severity]++;
  log->entries[log->count++] = entry;
}

void diag_error(floe_log *log, const struct source *source, source_at at, const char *hint, const char *format, ...) {
  va_list args;
  va_start(args, format);
  add(log, &(struct report){FLOE_ERROR, source, at, hint}, format, args);
  va_end(args);
}

void diag_warning(floe_log *log, const struct source *source, source_at at, const char *hint, const char *format, ...) {
  va_list args;
  va_start(args, format);
  add(log, &(struct report){FLOE_WARNING, source, at, hint}, format, args);
  va_end(args);
}

void diag_note(floe_log *log, const struct source *source, source_at at, const char *hint, const char *format, ...) {
  va_list args;
  va_start(args, format);
  add(log, &(struct report){FLOE_NOTE, source, at, hint}, format, args);
  va_end(args);
}

floe_status no_memory(floe_log *log) {
  diag_error(log, NULL, NOWHERE, NULL, "out of memory");
  return FLOE_ERROR_MEMORY;
}

/* ---- suggestions ----------------------------------------------------------------------------- */

const char *most_similar_name(const char *name, const char *const *candidates, size_t count) {
  size_t length = strlen(name);
  size_t limit = length < 6 ? 1 : length / 3;
  const char *best = NULL;
  for (size_t i = 0; i < count; i++)
    if (strcasecmp(candidates[i], name) == 0)
      return candidates[i];
  if (length > EDIT_LONGEST || length < 2) /* one-letter names are similar to all others */
    return NULL;
  for (size_t i = 0; i < count; i++) {
    size_t other = strlen(candidates[i]);
    if (other > EDIT_LONGEST)
      continue;
    size_t distance = edit_distance(name, length, candidates[i], other);
    if (distance <= limit && (!best || distance < limit)) {
      best = candidates[i];
      limit = distance;
    }
  }
  return best;
}

static void pass_on(const floe_message *message, bool as_warning, floe_log *to) {
  const bool error = message->severity == FLOE_ERROR;
  void (*say)(floe_log *, const struct source *, source_at, const char *, const char *, ...) =
      message->severity == FLOE_NOTE ? diag_note
      : error && !as_warning         ? diag_error
                                     : diag_warning;
  say(to, NULL, NOWHERE, error && as_warning ? NULL : message->hint, "%s", message->message);
}

void diag_pass_on(const floe_log *from, floe_log *to) {
  for (size_t i = 0; i < floe_log_count(from); i++)
    pass_on(floe_log_at(from, i), false, to);
}

void diag_pass_on_as_warnings(const floe_log *from, floe_log *to) {
  for (size_t i = 0; i < floe_log_count(from); i++)
    pass_on(floe_log_at(from, i), true, to);
}
