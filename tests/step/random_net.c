#include "random_net.h"

#include "tests/suite.h"

#include "base/splitmix64.h"
#include "frontend/pnml/pnml_language.h"

#include <stdlib.h>
#include <string.h>

struct writing {
  char *text;
  size_t length;
  uint64_t stream;
  unsigned places, transitions, arcs;
};

static unsigned below(struct writing *w, unsigned n) { return (unsigned)(splitmix64_next(&w->stream) % n); }

static void arc(FILE *out, struct writing *w, bool from_place, unsigned place, unsigned transition, const char *more) {
  fprintf(out, "<arc id='a%u' source='%c%u' target='%c%u'%s</arc>\n", w->arcs++, from_place ? 'p' : 't',
          from_place ? place : transition, from_place ? 't' : 'p', from_place ? transition : place, more);
}

/* Mostly one or two places on each side, so that transitions fire. */
static void arcs_of(FILE *out, struct writing *w, unsigned t) {
  static const char *const weights[] = {">", ">", "><inscription><text>2</text></inscription>",
                                        "><inscription><text>3</text></inscription>"};
  const unsigned kind = below(w, 12), place = below(w, w->places);
  for (unsigned i = 0, n = below(w, 3); i <= n && i < 2; i++)
    arc(out, w, true, (place + i * 7) % w->places, t, weights[below(w, 4) * (below(w, 3) == 0)]);
  for (unsigned i = 0, n = below(w, 3); i < n; i++)
    arc(out, w, false, (below(w, w->places) + i) % w->places, t, weights[below(w, 4) * (below(w, 3) == 0)]);
  if (kind == 0)
    arc(out, w, true, below(w, w->places), t, " type='inhibitor'><inscription><text>2</text></inscription>");
  if (kind == 1)
    arc(out, w, true, below(w, w->places), t, " type='inhibitor'>");
  if (kind == 2)
    arc(out, w, true, below(w, w->places), t, " type='reset'>");
  if (kind == 3)
    arc(out, w, true, below(w, w->places), t, " type='test'>");
}

static void write_net(struct writing *w, unsigned tokens) {
  FILE *out = open_memstream(&w->text, &w->length);
  fprintf(out, "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'><page id='g'>\n");
  for (unsigned p = 0; p < w->places; p++)
    fprintf(out, "<place id='p%u'><initialMarking><text>%u</text></initialMarking></place>\n", p,
            below(w, 3) ? 0 : 1 + below(w, tokens < 3 ? tokens : 3));
  for (unsigned t = 0; t < w->transitions; t++) {
    fprintf(out, "<transition id='t%u'/>\n", t);
    arcs_of(out, w, t);
  }
  fprintf(out, "</page></net></pnml>\n");
  fclose(out);
}

struct reading {
  struct loaded *loaded;
  struct includer includer;
  const char *text;
  size_t length;
  const char *tokens;
  floe_status status;
};

static floe_status no_properties(struct includer *includer, const struct source **out) {
  (void)includer;
  *out = NULL;
  return FLOE_OK;
}

static void read_net(void *data) {
  struct reading *r = data;
  struct loaded *loaded = r->loaded;
  const struct outline *outline;
  struct source *source = arena_alloc(&loaded->arena, sizeof *source);
  *source =
      (struct source){.name = "net.pnml", .text = arena_copy(&loaded->arena, r->text, r->length), .length = r->length};
  struct definition definitions[2]; /* units: those of the file are checked */
  r->status = pnml_language.parse(source, &r->includer, &loaded->arena, loaded->log, &outline);
  for (size_t i = 0; r->status == FLOE_OK && i < outline->constant_count; i++)
    definitions[i] = (struct definition){.name = outline->constants[i],
                                         .value = strcmp(outline->constants[i], "units") == 0 ? "1" : r->tokens};
  if (r->status == FLOE_OK)
    r->status =
        pnml_language.check(outline, definitions, outline->constant_count, &loaded->arena, loaded->log, &loaded->model);
  if (r->status == FLOE_OK)
    r->status = layout_make(loaded->model, &loaded->arena, &loaded->layout);
}

char *random_net_text(uint64_t seed, size_t *length, const char **tokens) {
  static const char *const numbers[] = {"1", "3", "3", "255"};
  struct writing w = {.stream = seed};
  *tokens = numbers[seed % 4];
  w.places = 3 + below(&w, seed % 3 ? 20 : 80);
  w.transitions = 1 + below(&w, seed % 5 ? 40 : 200);
  write_net(&w, (unsigned)atoi(*tokens));
  *length = w.length;
  return w.text;
}

void net_from_text(struct loaded *loaded, const char *text, size_t length, const char *tokens) {
  struct reading r = {loaded, {.properties = no_properties}, text, length, tokens, FLOE_OK};
  memset(loaded, 0, sizeof *loaded);
  arena_init(&loaded->arena);
  ck_assert_int_eq(floe_log_create(&loaded->log), FLOE_OK);
  ck_assert_int_eq(arena_guard(&loaded->arena, read_net, &r), 0);
  ck_assert_msg(r.status == FLOE_OK, "%s: %s", loaded_message(loaded), text);
}

void random_net(struct loaded *loaded, uint64_t seed) {
  const char *tokens;
  size_t length;
  char *const text = random_net_text(seed, &length, &tokens);
  net_from_text(loaded, text, length, tokens);
  free(text);
}
