/* A trace as a sequence chart: a column per active instance and used channel, a row per step. */
#include "cmd/report/html_sequence.h"

#include "cmd/report/html.h"

#include <stdlib.h>
#include <string.h>

/* In pixels: a wide chart scrolls and is not scaled. */
#define COLUMN 124
#define LEFT 92
#define RIGHT 116
#define HEAD 30
#define ROW 40
#define LABEL 18        /* characters of a label; the title of the row has the full text */
#define MOST_STEPS 1000 /* rows; the chart omits the first steps of a longer trace */
#define MOST_COLUMNS 48

struct sequence {
  FILE *out;
  const floe_trace *trace;
  size_t first, steps; /* rows are steps first..steps - 1 */
  const char *names[MOST_COLUMNS];
  size_t count;
  bool more; /* the chart omits columns */
};

/* ---- columns --------------------------------------------------------------------------------- */

static size_t column_of(const struct sequence *s, const char *name) {
  size_t i = 0;
  while (i < s->count && strcmp(s->names[i], name) != 0)
    i++;
  return i;
}

static void add_column(struct sequence *s, const char *name) {
  if (column_of(s, name) < s->count)
    return;
  if (s->count < MOST_COLUMNS)
    s->names[s->count++] = name;
  else
    s->more = true;
}

/* Only contents of channels are in brackets. */
static bool is_channel(const floe_change *change) { return change->before[0] == '['; }

static bool is_used(const struct sequence *s, const char *name) {
  for (size_t i = s->first; i < s->steps; i++) {
    floe_step step = floe_trace_step(s->trace, i);
    for (size_t j = 0; j < step.participants; j++)
      if (strcmp(step.participant_list[j].name, name) == 0)
        return true;
    for (size_t j = 0; j < step.changes; j++)
      if (is_channel(&step.change_list[j]) && strcmp(step.change_list[j].name, name) == 0)
        return true;
  }
  return false;
}

/* In the order of the model; instances with a single location, which states do not show, come last. */
static void find_columns(struct sequence *s) {
  for (size_t i = 0; i < floe_trace_variables(s->trace); i++) {
    floe_change value = floe_trace_initial_value(s->trace, i);
    if (is_used(s, value.name))
      add_column(s, value.name);
  }
  for (size_t i = s->first; i < s->steps; i++) {
    floe_step step = floe_trace_step(s->trace, i);
    for (size_t j = 0; j < step.participants; j++)
      add_column(s, step.participant_list[j].name);
  }
}

static size_t column_x(size_t column) { return LEFT + column * COLUMN; }

static size_t width_of(const struct sequence *s) { return column_x(s->count - 1) + RIGHT; }

static void put_column_heads(const struct sequence *s) {
  fprintf(s->out, "<svg class=\"heads\" width=\"%zu\" height=\"%d\" aria-hidden=\"true\">\n", width_of(s), HEAD);
  for (size_t i = 0; i < s->count; i++) {
    fprintf(s->out, "<text x=\"%zu\" y=\"20\" text-anchor=\"middle\">", column_x(i));
    html_cut(s->out, s->names[i], LABEL - 2);
    fputs("</text>\n", s->out);
  }
  fputs("</svg>\n", s->out);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void put_arrow(const struct sequence *s, size_t from, size_t to, size_t y, const char *class) {
  if (from >= s->count || to >= s->count || from == to)
    return;
  size_t a = column_x(from), b = column_x(to), tip = to > from ? b - 8 : b + 8;
  fprintf(s->out, "<line class=\"%s\" x1=\"%zu\" x2=\"%zu\" y1=\"%zu\" y2=\"%zu\"/>", class, a, b, y, y);
  fprintf(s->out, "<path class=\"tip\" d=\"M%zu %zuL%zu %zuL%zu %zuz\"/>", b, y, tip, y - 4, tip, y + 4);
}

/* A message was sent if the old content is a prefix of the new content. */
static bool was_sent(const floe_change *change) {
  size_t length = strlen(change->before) - 1;
  return strlen(change->after) > length + 1 && strncmp(change->before, change->after, length) == 0;
}

/* Arrows from the sender to each receiver, to the channel, or from the channel. Returns their number; *left is the
   leftmost column. */
static size_t put_arrows(const struct sequence *s, const floe_step *step, size_t actor, size_t y, size_t *left) {
  size_t arrows = 0;
  for (size_t i = 1; i < step->participants; i++, arrows++) {
    size_t to = column_of(s, step->participant_list[i].name);
    put_arrow(s, actor, to, y, "message");
    *left = to < *left ? to : *left;
  }
  for (size_t i = 0; i < step->changes; i++) {
    const floe_change *change = &step->change_list[i];
    size_t channel = column_of(s, change->name);
    if (!is_channel(change) || channel == s->count)
      continue;
    bool sent = was_sent(change);
    put_arrow(s, sent ? actor : channel, sent ? channel : actor, y, "message kept");
    *left = channel < *left ? channel : *left;
    arrows++;
  }
  return arrows;
}

static void put_label(const struct sequence *s, const floe_step *step, size_t x, size_t y) {
  const floe_participant *actor = &step->participant_list[0];
  fprintf(s->out, "<text x=\"%zu\" y=\"%zu\">", x, y);
  if (actor->label[0])
    html_cut(s->out, actor->label, LABEL);
  else {
    fputs("→ ", s->out);
    html_cut(s->out, actor->to, LABEL - 2);
  }
  fputs("</text>", s->out);
}

static void put_step_lane(const struct sequence *s, size_t i) {
  floe_step step = floe_trace_step(s->trace, i);
  size_t y = (i - s->first) * ROW + ROW / 2 + 6, actor = column_of(s, step.participant_list[0].name), left = actor;
  fprintf(s->out, "<g data-step=\"%zu\"><title>", i + 1);
  html_text(s->out, step.action);
  fprintf(s->out, "</title><rect class=\"row\" x=\"0\" y=\"%zu\" width=\"%zu\" height=\"%d\"/>", (i - s->first) * ROW,
          width_of(s), ROW);
  fprintf(s->out, "<text x=\"6\" y=\"%zu\">%zu</text>", y + 4, i + 1);
  if (actor < s->count) {
    size_t arrows = put_arrows(s, &step, actor, y, &left);
    const char *class = step.cause[0] ? "mark fails" : "mark";
    fprintf(s->out, "<circle class=\"%s\" cx=\"%zu\" cy=\"%zu\" r=\"4\"/>", class, column_x(actor), y);
    put_label(s, &step, column_x(left) + (arrows ? 14 : 10), arrows ? y - 6 : y + 4);
  }
  fputs("</g>\n", s->out);
}

static void put_rows(const struct sequence *s) {
  size_t height = (s->steps - s->first) * ROW;
  fprintf(s->out, "<svg class=\"rows\" width=\"%zu\" height=\"%zu\" role=\"img\" aria-label=\"Sequence chart\">\n",
          width_of(s), height);
  for (size_t i = 0; i < s->count; i++)
    fprintf(s->out, "<line class=\"life\" x1=\"%zu\" x2=\"%zu\" y1=\"0\" y2=\"%zu\"/>\n", column_x(i), column_x(i),
            height);
  for (size_t i = s->first; i < s->steps; i++)
    put_step_lane(s, i);
  fputs("</svg>\n", s->out);
}

void html_sequence(FILE *out, const floe_trace *trace) {
  struct sequence s = {.out = out, .trace = trace, .steps = floe_trace_steps(trace)};
  s.first = s.steps > MOST_STEPS ? s.steps - MOST_STEPS : 0;
  if (s.steps)
    find_columns(&s);
  if (s.count == 0)
    return;
  fputs("<div class=\"sequence\" tabindex=\"0\">\n", out);
  put_column_heads(&s);
  put_rows(&s);
  if (s.first)
    fprintf(out, "<p class=\"faint\">The table lists the first %zu steps, which the chart omits.</p>\n", s.first);
  if (s.more)
    fprintf(out, "<p class=\"faint\">The chart shows the first %d columns only.</p>\n", MOST_COLUMNS);
  fputs("</div>\n", out);
}
