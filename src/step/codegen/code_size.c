/* A function of the generated text begins with its prototype, from FLOE_DEVICE at the start of a line, and ends with
   the first "}" at the start of a line, or in the line of its prototype. It calls functions before it only. */
#include "step/codegen/code_size.h"

#include "core/mem.h"

#include <stdbool.h>
#include <string.h>

struct function {
  const char *name;
  size_t length;
  uint64_t operators;
};

enum { BUCKETS = 1 << 12, MOST = BUCKETS / 2 }; /* a text has a hundred or two; further ones count as no operators */

struct counting {
  const char *text;
  struct function functions[BUCKETS];
  size_t count;
};

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_operator(char c) { return c && strchr("+-*/%<>=!&|^~?", c); }

static uint64_t sum(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

/* The entry of the name, or the free one for it. */
static struct function *find(struct counting *self, const char *name, size_t length) {
  uint32_t hash = 2166136261u; /* FNV-1a */
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)name[i]) * 16777619u;
  for (uint32_t at = hash % BUCKETS;; at = (at + 1) % BUCKETS) {
    struct function *function = &self->functions[at];
    if (!function->name || (function->length == length && memcmp(function->name, name, length) == 0))
      return function;
  }
}

static const char *end_of_word(const char *at) {
  while (is_letter(*at) || is_digit(*at))
    at++;
  return at;
}

static uint64_t count_between(struct counting *self, const char *at, const char *end) {
  uint64_t operators = 0;
  while (at < end) {
    const char *const from = at;
    if (at[0] == '/' && at[1] == '*') {
      const char *const close = strstr(at, "*/");
      at = close ? close + 2 : end;
    } else if (is_letter(*at)) {
      at = end_of_word(at);
      operators = sum(operators, find(self, from, (size_t)(at - from))->operators);
    } else if (is_operator(*at)) {
      while (is_operator(*at))
        at++;
      operators = sum(operators, 1);
    } else {
      at = is_digit(*at) ? end_of_word(at) : at + 1;
    }
  }
  return operators;
}

/* Counts the function whose prototype is at `line`. */
static void add_function(struct counting *self, const char *line) {
  const char *open = strchr(line, '('), *name = open, *body = open ? strpbrk(open, "{;") : NULL;
  if (!body || *body == ';' || self->count == MOST)
    return;
  const char *const end_of_line = body + strcspn(body, "\n");
  while (name > line && (is_letter(name[-1]) || is_digit(name[-1])))
    name--;
  const char *end = end_of_line[-1] == '}' ? end_of_line : strstr(body, "\n}");
  struct function *function = find(self, name, (size_t)(open - name));
  function->operators = count_between(self, body, end ? end : body + strlen(body));
  function->name = name;
  function->length = (size_t)(open - name);
  self->count++;
}

static void count_all(struct counting *self) {
  static const char begin[] = "FLOE_DEVICE ";
  for (const char *line = self->text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, begin, sizeof begin - 1) == 0)
      add_function(self, line);
  }
}

floe_status code_operators(const char *text, uint64_t *out) {
  static const char successors[] = "floe_successors", properties[] = "floe_properties";
  struct counting *self = mem_alloc(sizeof *self);
  if (!self)
    return FLOE_ERROR_MEMORY;
  self->text = text;
  count_all(self);
  *out = sum(find(self, successors, sizeof successors - 1)->operators,
             find(self, properties, sizeof properties - 1)->operators);
  mem_free(self);
  return FLOE_OK;
}
