/* Functions are made from the largest to the smallest, so one that encloses another comes first: then the holes of its
   first place, which becomes its body, are parameters already when the enclosed one is called there. The other places
   of the enclosing one vanish. */
#include "step/codegen/outline/outline.h"

#include "step/codegen/outline/repeats.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_FUNCTION UINT32_MAX

struct parameter {
  uint32_t hole;   /* of the function's first place, the first hole with it */
  bool by_address; /* the function changes it, or may */
  bool inside;     /* a temporary that nothing outside uses: no parameter, but a local variable */
  bool assigned;
};

struct function {
  struct sequence body; /* its first place */
  struct parameter *parameters;
  size_t parameter_count, parameter_capacity;
  bool fails, reads_state, reads_successor;
  bool used;
};

struct call {
  size_t begin, end;         /* what it replaces */
  uint32_t function, within; /* within: the function whose body has the call, or NO_FUNCTION */
  const char *arguments, *fail, *jump;
};

/* What stands in a hole: name + plus. */
struct shown {
  const char *name; /* NULL: nothing, a number */
  int64_t plus;
  bool known, is_parameter;
};

struct outline {
  const struct parts *parts;
  const char *text;
  struct arena *arena;
  struct shown *shown; /* [hole] in the function whose body it is in */
  bool *vanished;      /* [part] */
  uint32_t *within;    /* [part] as in struct call */
  struct repeats repeats;
  struct function *functions;
  size_t count;
  struct call *calls;
  size_t call_count, call_capacity;
};

/* ---- holes ----------------------------------------------------------------------------------- */

static const struct hole *hole_of(const struct outline *self, uint32_t hole) { return &self->parts->holes[hole]; }

static bool is_number(const struct outline *self, uint32_t hole) {
  const enum hole_kind kind = hole_of(self, hole)->kind;
  return kind == HOLE_NUMBER || kind == HOLE_FAILURE || kind == HOLE_NAME;
}

static struct shown *shown_at(struct outline *self, uint32_t number) {
  const struct hole *hole = hole_of(self, number);
  struct shown *shown = &self->shown[number];
  if (shown->known)
    return shown;
  shown->known = true;
  if (hole->kind == HOLE_NUMBER || hole->kind == HOLE_FAILURE)
    shown->plus = hole->number;
  else
    shown->name = arena_copy(self->arena, self->text + hole->begin, hole->end - hole->begin);
  return shown;
}

static const char *show(struct outline *self, uint32_t number) {
  const struct shown *shown = shown_at(self, number);
  if (shown->name && !shown->plus)
    return shown->name;
  if (shown->name)
    return arena_printf(self->arena, "(%s %c %" PRId64 ")", shown->name, shown->plus < 0 ? '-' : '+',
                        shown->plus < 0 ? -shown->plus : shown->plus);
  if (shown->plus == INT32_MIN)
    return "(-2147483647 - 1)";
  return arena_printf(self->arena, shown->plus < 0 ? "(%" PRId64 ")" : "%" PRId64, shown->plus);
}

/* True if they differ by a constant only, or not at all. */
static bool same_name(const struct shown *a, const struct shown *b) {
  return a->name == b->name || (a->name && b->name && strcmp(a->name, b->name) == 0);
}

static bool is_constant(const struct outline *self, uint32_t hole) {
  return is_number(self, hole) && !self->shown[hole].is_parameter;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* The places of a function that have not vanished. */
struct places {
  struct sequence *at;
  size_t count;
};

/* The hole of place `i` that corresponds to `hole` of the first place. */
static uint32_t hole_at(const struct places *places, size_t i, uint32_t hole) {
  return hole - places->at[0].first_hole + places->at[i].first_hole;
}

/* True if b is equal to a at each place, or greater by the same number. */
static bool same_column(struct outline *self, const struct places *places, uint32_t a, uint32_t b) {
  const struct hole *x = hole_of(self, a), *y = hole_of(self, b);
  const int64_t more = shown_at(self, b)->plus - shown_at(self, a)->plus;
  if (is_number(self, a) != is_number(self, b) || (more && x->kind != y->kind) || x->is_64bit != y->is_64bit)
    return false;
  for (size_t i = 0; i < places->count; i++) {
    const struct shown *one = shown_at(self, hole_at(places, i, a)), *other = shown_at(self, hole_at(places, i, b));
    if (!same_name(one, other) || other->plus - one->plus != more)
      return false;
  }
  return true;
}

static bool varies(struct outline *self, const struct places *places, uint32_t hole) {
  const struct shown *first = shown_at(self, hole);
  for (size_t i = 0; i < places->count; i++) {
    const uint32_t here = hole_at(places, i, hole);
    const struct shown *other = shown_at(self, here);
    if (!is_constant(self, here) || !same_name(first, other) || first->plus != other->plus)
      return true;
  }
  return false;
}

static bool needs_parameter(struct outline *self, const struct places *places, uint32_t hole) {
  const struct hole *found = hole_of(self, hole);
  if (found->kind == HOLE_STATE || declared_inside(self->parts, &places->at[0], found))
    return false;
  return !is_number(self, hole) || varies(self, places, hole);
}

/* Number of the parameter of a hole, a new one if necessary. */
static size_t parameter_of(struct outline *self, struct function *function, const struct places *places,
                           uint32_t hole) {
  for (size_t i = 0; i < function->parameter_count; i++)
    if (same_column(self, places, function->parameters[i].hole, hole)) {
      function->parameters[i].assigned |= hole_of(self, hole)->assigned;
      return i;
    }
  *ARENA_PUSH(self->arena, function->parameters, function->parameter_count, function->parameter_capacity) =
      (struct parameter){.hole = hole, .assigned = hole_of(self, hole)->assigned};
  return function->parameter_count - 1;
}

/* True if both can be the same variable at some place, which two variables that the enclosing function has by address
   can be, too. */
static bool may_be_same(struct outline *self, const struct places *places, uint32_t a, uint32_t b) {
  for (size_t i = 0; i < places->count; i++) {
    const char *x = show(self, hole_at(places, i, a)), *y = show(self, hole_at(places, i, b));
    if (strcmp(x, y) == 0 || (strncmp(x, "(*", 2) == 0 && strncmp(y, "(*", 2) == 0))
      return true;
  }
  return false;
}

/* True if the hole is a temporary that nothing outside of the place uses, at each place. */
static bool is_used_inside(const struct outline *self, const struct places *places, uint32_t hole) {
  for (size_t i = 0; i < places->count; i++) {
    const struct hole *here = hole_of(self, hole_at(places, i, hole));
    if (here->kind != HOLE_TEMP || !used_inside(&self->repeats, &places->at[i], here))
      return false;
  }
  return true;
}

/* A variable is passed by address if it is assigned, or if another parameter by which it is assigned may be the same
   variable. A temporary can be a local variable if it is never the same as another one. */
static void classify(struct outline *self, struct function *function, const struct places *places) {
  for (size_t i = 0; i < function->parameter_count; i++) {
    struct parameter *own = &function->parameters[i];
    bool alone = true;
    own->by_address = own->assigned;
    for (size_t k = 0; !is_number(self, own->hole) && k < function->parameter_count; k++) {
      if (k == i || !may_be_same(self, places, own->hole, function->parameters[k].hole))
        continue;
      alone = false;
      own->by_address |= function->parameters[k].assigned;
    }
    own->inside = alone && own->by_address && is_used_inside(self, places, own->hole);
  }
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool successor_at(const struct outline *self, const struct hole *hole) { return self->text[hole->begin] == 't'; }

static void note_holes(struct outline *self, struct function *function) {
  for (uint32_t h = function->body.first_hole; h < function->body.end_hole; h++) {
    const struct hole *hole = hole_of(self, h);
    function->fails |= hole->kind == HOLE_FAILURE;
    function->reads_state |= hole->kind == HOLE_STATE && !successor_at(self, hole);
    function->reads_successor |= hole->kind == HOLE_STATE && successor_at(self, hole);
  }
}

static const char *arguments_at(struct outline *self, const struct function *function, const struct places *places,
                                size_t i) {
  struct text_buffer list = {.arena = self->arena};
  const char *const address = self->within[places->at[i].first_part] == NO_FUNCTION ? "&" : "";
  const char *comma = "";
  text_buffer_printf(&list, "%s", "");
  if (function->reads_state) {
    text_buffer_printf(&list, "%ss", address);
    comma = ", ";
  }
  if (function->reads_successor) {
    text_buffer_printf(&list, "%s%st", comma, address);
    comma = ", ";
  }
  for (size_t p = 0; p < function->parameter_count; p++) {
    const struct parameter *parameter = &function->parameters[p];
    if (parameter->inside)
      continue;
    text_buffer_printf(&list, "%s%s%s", comma, parameter->by_address ? "&" : "",
                       show(self, hole_at(places, i, parameter->hole)));
    comma = ", ";
  }
  return list.bytes;
}

static void add_calls(struct outline *self, uint32_t number, const struct places *places) {
  for (size_t i = 0; i < places->count; i++) {
    const struct sequence *at = &places->at[i];
    const struct part *part = &self->parts->parts[at->first_part];
    *ARENA_PUSH(self->arena, self->calls, self->call_count, self->call_capacity) =
        (struct call){.begin = at->begin,
                      .end = at->end,
                      .function = number,
                      .within = self->within[at->first_part],
                      .arguments = arguments_at(self, &self->functions[number], places, i),
                      .fail = part->fail,
                      .jump = part->jump};
  }
}

/* From now on the first place is the function's body, and the others are no more. */
static void move_body(struct outline *self, uint32_t number, const struct places *places, const size_t *parameters) {
  struct function *function = &self->functions[number];
  int64_t *base = arena_array(self->arena, function->parameter_count + 1, sizeof *base);
  for (size_t p = 0; p < function->parameter_count; p++)
    base[p] = shown_at(self, function->parameters[p].hole)->plus;
  for (uint32_t h = function->body.first_hole; h < function->body.end_hole; h++) {
    const size_t p = parameters[h - function->body.first_hole];
    if (p == SIZE_MAX)
      continue;
    const struct parameter *parameter = &function->parameters[p];
    struct shown *shown = shown_at(self, h);
    shown->plus -= base[p];
    shown->name = arena_printf(self->arena, parameter->inside ? "l%zu" : parameter->by_address ? "(*p%zu)" : "p%zu", p);
    shown->is_parameter = true;
  }
  for (uint32_t p = function->body.first_part; p < function->body.end_part; p++)
    self->within[p] = number;
  for (size_t i = 1; i < places->count; i++)
    for (uint32_t p = places->at[i].first_part; p < places->at[i].end_part; p++)
      self->vanished[p] = true;
}

static void make_function(struct outline *self, uint32_t number, const struct repeat *repeat) {
  struct function *function = &self->functions[number];
  struct places places = {.at = arena_array(self->arena, repeat->count, sizeof *places.at)};
  for (size_t i = 0; i < repeat->count; i++)
    if (!self->vanished[repeat->at[i].first_part])
      places.at[places.count++] = repeat->at[i];
  if (places.count < 2)
    return;
  function->used = true;
  function->body = places.at[0];
  note_holes(self, function);
  const uint32_t holes = function->body.end_hole - function->body.first_hole;
  size_t *parameters = arena_array(self->arena, (size_t)holes + 1, sizeof *parameters);
  for (uint32_t h = 0; h < holes; h++) {
    const uint32_t hole = function->body.first_hole + h;
    parameters[h] = needs_parameter(self, &places, hole) ? parameter_of(self, function, &places, hole) : SIZE_MAX;
  }
  classify(self, function, &places);
  add_calls(self, number, &places);
  move_body(self, number, &places, parameters);
}

/* ---- text ------------------------------------------------------------------------------------ */

static int compare_calls(const void *a, const void *b) {
  const struct call *x = a, *y = b;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return (x->end < y->end) - (x->end > y->end); /* the enclosing one first */
}

/* Copies text with `less` spaces less at the start of each line. */
static void copy_lines(const struct outline *self, struct text_buffer *out, size_t begin, size_t end, size_t less) {
  while (begin < end) {
    const char *const line = memchr(self->text + begin, '\n', end - begin);
    const size_t until = line ? (size_t)(line - self->text) + 1 : end;
    text_buffer_printf(out, "%.*s", (int)(until - begin), self->text + begin);
    begin = until;
    for (size_t i = 0; line && i < less && begin < end && self->text[begin] == ' '; i++)
      begin++;
  }
}

static void write_return(struct outline *self, struct text_buffer *out, uint32_t hole) {
  const struct shown *shown = shown_at(self, hole);
  text_buffer_printf(out, "return ");
  if (shown->name)
    text_buffer_printf(out, "%s + ", shown->name);
  text_buffer_printf(out, "%" PRId64 ";", shown->plus + 1);
}

/* Copies text without calls, of the function's body or of none. */
static void copy_holes(struct outline *self, struct text_buffer *out, size_t begin, size_t end, uint32_t function,
                       size_t less) {
  if (function == NO_FUNCTION) {
    text_buffer_printf(out, "%.*s", (int)(end - begin), self->text + begin);
    return;
  }
  const struct sequence *body = &self->functions[function].body;
  uint32_t low = body->first_hole, high = body->end_hole;
  while (low < high) { /* the first hole from `begin` on */
    const uint32_t middle = low + (high - low) / 2;
    if (hole_of(self, middle)->begin < begin)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < body->end_hole && hole_of(self, low)->begin < end; low++) {
    const struct hole *hole = hole_of(self, low);
    copy_lines(self, out, begin, hole->begin, less);
    if (hole->kind == HOLE_FAILURE)
      write_return(self, out, low);
    else
      text_buffer_printf(out, hole->kind == HOLE_STATE ? "(*%s)" : "%s", show(self, low));
    begin = hole->end;
  }
  copy_lines(self, out, begin, end, less);
}

static size_t indent_at(const struct outline *self, size_t at) {
  return self->text[at] == '\n' ? strspn(self->text + at + 1, " ") : 0;
}

static void write_call(const struct outline *self, struct text_buffer *out, const struct call *call, size_t less) {
  const size_t indent = indent_at(self, call->begin);
  text_buffer_printf(out, "\n%*s", (int)(indent < less ? 0 : indent - less), "");
  if (!self->functions[call->function].fails) {
    text_buffer_printf(out, "floe_part_%" PRIu32 "(%s);", call->function, call->arguments);
    return;
  }
  text_buffer_printf(out, "{ const uint32_t failed_ = floe_part_%" PRIu32 "(%s); if (failed_) ", call->function,
                     call->arguments);
  if (call->within == NO_FUNCTION)
    text_buffer_printf(out, "{ %sfailed_ - 1); %s; } }", call->fail, call->jump);
  else
    text_buffer_printf(out, "return failed_; }");
}

/* Writes the text with its calls; `function`: of which it is the body. */
static void write_range(struct outline *self, struct text_buffer *out, size_t begin, size_t end, uint32_t function,
                        size_t less) {
  size_t low = 0, high = self->call_count, at = begin;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (self->calls[middle].begin < begin)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < self->call_count && self->calls[low].begin < end; low++) {
    const struct call *call = &self->calls[low];
    if (call->within != function || call->begin < at)
      continue;
    copy_holes(self, out, at, call->begin, function, less);
    write_call(self, out, call, less);
    at = call->end;
  }
  copy_holes(self, out, at, end, function, less);
}

static void write_parameters(const struct outline *self, struct text_buffer *out, const struct function *function) {
  const char *comma = "";
  if (function->reads_state)
    text_buffer_printf(out, "const floe_state *const s");
  if (function->reads_state && function->reads_successor)
    comma = ", ";
  if (function->reads_successor)
    text_buffer_printf(out, "%sfloe_state *const t", comma);
  comma = function->reads_state || function->reads_successor ? ", " : "";
  for (size_t p = 0; p < function->parameter_count; p++) {
    const struct parameter *parameter = &function->parameters[p];
    if (parameter->inside)
      continue;
    text_buffer_printf(out, "%s%s%s %sp%zu", comma, parameter->by_address ? "" : "const ",
                       hole_of(self, parameter->hole)->is_64bit ? "int64_t" : "int32_t",
                       parameter->by_address ? "*const " : "", p);
    comma = ", ";
  }
}

static void write_function(struct outline *self, struct text_buffer *out, uint32_t number) {
  const struct function *function = &self->functions[number];
  const size_t indent = indent_at(self, function->body.begin);
  text_buffer_printf(out, "\nFLOE_DEVICE_SPLIT %s floe_part_%" PRIu32 "(", function->fails ? "uint32_t" : "void",
                     number);
  write_parameters(self, out, function);
  text_buffer_printf(out, ") {");
  for (size_t p = 0; p < function->parameter_count; p++)
    if (function->parameters[p].inside)
      text_buffer_printf(out, "\n  %s l%zu = 0;",
                         hole_of(self, function->parameters[p].hole)->is_64bit ? "int64_t" : "int32_t", p);
  write_range(self, out, function->body.begin, function->body.end, number, indent < 2 ? 0 : indent - 2);
  text_buffer_printf(out, "%s\n}\n", function->fails ? "\n  return 0;" : "");
}

bool outline_parts(const struct parts *parts, const struct text_buffer *text, bool any, struct text_buffer *out) {
  struct outline self = {.parts = parts, .text = text->bytes, .arena = text->arena};
  find_repeats(parts, text->bytes, any, text->arena, &self.repeats);
  if (!self.repeats.count)
    return false;
  self.shown = arena_array(text->arena, parts->hole_count + 1, sizeof *self.shown);
  self.vanished = arena_array(text->arena, parts->count + 1, sizeof *self.vanished);
  self.within = arena_array(text->arena, parts->count + 1, sizeof *self.within);
  memset(self.within, 0xff, (parts->count + 1) * sizeof *self.within); /* NO_FUNCTION */
  self.functions = arena_array(text->arena, self.repeats.count, sizeof *self.functions);
  for (uint32_t i = 0; i < self.repeats.count; i++)
    make_function(&self, i, &self.repeats.items[i]);
  qsort(self.calls, self.call_count, sizeof *self.calls, compare_calls);
  write_range(&self, out, 0, parts->from, NO_FUNCTION, 0);
  text_buffer_printf(out, "\n#define FLOE_PARTS /* repeated parts of the text, as functions */");
  for (uint32_t i = (uint32_t)self.repeats.count; i-- > 0;)
    if (self.functions[i].used)
      write_function(&self, out, i);
  write_range(&self, out, parts->from, text->length, NO_FUNCTION, 0);
  return true;
}
