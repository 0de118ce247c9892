#define _GNU_SOURCE /* memmem */
#include "frontend/pnml/pnml_language.h"

#include "frontend/parse/joined_source.h"
#include "frontend/pnml/ground_properties.h"
#include "frontend/pnml/net_expression.h"
#include "frontend/pnml/place_bounds.h"
#include "frontend/pnml/pnml_write.h"
#include "frontend/pnml/read_net.h"
#include "model/guess.h"
#include "model/notation.h"

#include <string.h>

/* The root element is sought here. */
#define HEAD 4096

/* The constants: whether units that the file claims to have at most one token share bits, and the most tokens of a
   place without a proved bound. The first one is the first guess. */
static const char units_name[] = "units", tokens_name[] = "tokens";

/* What check needs. */
struct pnml_file {
  const struct net *net;
  const struct net *written;            /* as read, if `net` is a reduced one; else NULL */
  const struct reducible *how;          /* `net` was reduced */
  const struct xml_element *properties; /* NULL: none */
  struct net_questions questions;
};

/* ---- notation --------------------------------------------------------------------------------- */

/* A guard is built as 2 <= p and shown as p >= 2. */
static const char *expression(const struct model *model, const struct edge *edge, const struct expr *e,
                              struct arena *arena) {
  if (e->op == EXPR_LE && e->a->op == EXPR_CONST)
    return arena_printf(arena, "%s >= %lld", expression(model, edge, e->b, arena), (long long)e->a->value);
  return default_expr_text(model, edge, e, arena);
}

static const struct notation notation = {
    .operators = default_operators,
    .truths = {"false", "true"},
    .member = ".",
    .expr = expression,
    .element = default_element_name,
    .value = default_value_text,
    .value_of = default_value_of,
};

/* ---- parsing ---------------------------------------------------------------------------------- */

static bool recognise(const char *text, size_t length) {
  return memmem(text, length < HEAD ? length : HEAD, "<pnml", strlen("<pnml")) != NULL;
}

static bool has_guesses(const struct net *net) {
  for (size_t p = 0; p < net->place_count; p++)
    if (net_place_is_guessed(&net->places[p]))
      return true;
  return false;
}

static floe_status read_properties(struct includer *includer, struct arena *arena, floe_log *log,
                                   const struct xml_element **out) {
  const struct source *source;
  struct xml_element *root = NULL;
  FLOE_TRY(includer->properties(includer, &source));
  if (source)
    FLOE_TRY(xml_parse(source, XML_NAMESPACES, arena, log, &root));
  *out = root;
  return FLOE_OK;
}

static floe_status parse(const struct source *source, struct includer *includer, struct arena *arena, floe_log *log,
                         const struct outline **out) {
  static const char *const constants[] = {units_name, tokens_name};
  struct outline *outline = arena_alloc(arena, sizeof *outline);
  struct pnml_file *file = arena_alloc(arena, sizeof *file);
  struct net *net;
  FLOE_TRY(net_read(source, arena, log, &net));
  FLOE_TRY(read_properties(includer, arena, log, &file->properties));
  place_bounds(net, arena);
  file->net = net;
  *outline = (struct outline){.name = net->name, .description = "", .tree = file};
  outline->constants = net->claimed_count ? constants : &constants[1];
  outline->constant_count = (net->claimed_count > 0) + (size_t)has_guesses(net);
  *out = outline;
  return FLOE_OK;
}

/* ---- the constants ---------------------------------------------------------------------------- */

/* The first guess: what the file claims. */
static int64_t first_guess(const struct net *net) {
  for (size_t p = 0; p < net->place_count; p++)
    if (!net->places[p].safe && net_place_is_guessed(&net->places[p]))
      return 3;
  return 1;
}

static void add_constant(struct builder *b, const char *name, int64_t value, const struct definition *defined) {
  ((struct constant *)b->model->constants)[b->model->constant_count++] = guess_constant(name, value, defined);
}

static void set_units(struct net_grounding *g, const struct definition *defined) {
  static const struct guess without = {.constant = units_name, .next = "0", .last = "0", .claim = true};
  struct builder *b = &g->build;
  int64_t value = 1;
  if (!g->net->claimed_count)
    return;
  if (defined && (!definition_number(defined, &value) || value < 0 || value > 1))
    BUILD_ERROR(b, NOWHERE, NULL, "the constant '%s' is 0 or 1", units_name);
  g->claims = value == 1;
  add_constant(b, units_name, value, defined);
  if (g->claims)
    guess_add(b, defined, &without);
  claimed_units_find(g);
}

/* Places of units have one token. */
static bool guesses_tokens(const struct net_grounding *g) {
  for (size_t p = 0; p < g->net->place_count; p++)
    if (net_place_is_guessed(&g->net->places[p]) && !claimed_unit_of(g, p))
      return true;
  return false;
}

static void set_tokens(struct net_grounding *g, const struct definition *defined) {
  struct builder *b = &g->build;
  if (!has_guesses(g->net))
    return;
  g->guessed = guess_value(b, defined, tokens_name, first_guess(g->net), NET_MOST_TOKENS);
  const bool used = guesses_tokens(g);
  if (used || (defined && !defined->guessed))
    add_constant(b, tokens_name, g->guessed, defined);
  if (used)
    guess_add(b, defined, guess_after(tokens_name, g->guessed, NET_MOST_TOKENS, b->arena));
}

static void set_constants(struct net_grounding *g, const struct definition *definitions, size_t count) {
  g->build.model->constants = arena_array(g->build.arena, 2, sizeof(struct constant));
  set_units(g, definition_find(definitions, count, units_name));
  set_tokens(g, definition_find(definitions, count, tokens_name));
}

static floe_status check(const struct outline *outline, const struct definition *definitions, size_t definition_count,
                         struct arena *arena, floe_log *log, const struct model **out) {
  const struct pnml_file *file = outline->tree;
  const struct net *net = file->net;
  struct model *model = arena_alloc(arena, sizeof *model);
  struct net_grounding g = {.net = net, .written = file->written, .questions = &file->questions};
  *model = (struct model){.name = outline->name, .description = "", .source = net->source, .notation = &notation};
  g.build = (struct builder){.arena = arena, .log = log, .source = net->source, .model = model};
  build_start(&g.build);
  set_constants(&g, definitions, definition_count);
  ground_net(&g);
  ground_properties(&g, file->properties);
  build_finish(&g.build);
  if (g.build.errors)
    return FLOE_ERROR_MODEL;
  *out = model;
  return FLOE_OK;
}

/* ---- reductions ------------------------------------------------------------------------------- */

static struct net_questions copy_questions(const char *const *ids, size_t count, struct arena *arena) {
  const char **copies = arena_array(arena, count + 1, sizeof *copies);
  for (size_t i = 0; i < count; i++)
    copies[i] = arena_copy(arena, ids[i], strlen(ids[i]));
  return (struct net_questions){.ids = ids ? copies : NULL, .count = count};
}

/* The constants stay those of the net as read: they may be defined. */
static floe_status reduce(const struct outline *outline, const char *const *properties, size_t count,
                          struct arena *arena, floe_log *log, const struct outline **out) {
  const struct pnml_file *whole = outline->tree;
  struct pnml_file *file = arena_alloc(arena, sizeof *file);
  struct outline *reduced = arena_alloc(arena, sizeof *reduced);
  *file = *whole;
  file->questions = copy_questions(properties, count, arena);
  file->net = net_reduce(whole->net, whole->properties, &file->questions, arena, log, &file->how);
  file->written = whole->net;
  *reduced = *outline;
  reduced->tree = file;
  *out = file->net ? reduced : outline;
  return FLOE_OK;
}

static const char *expand_run(const struct outline *reduced, const struct transition_run *run, struct arena *arena,
                              struct transition_run *out) {
  const struct pnml_file *file = reduced->tree;
  return net_expand_run(file->how, run, arena, out);
}

/* ---- expressions ------------------------------------------------------------------------------ */

static void read_expression(void *data, const struct expression_request *request, const struct joined_source *joined,
                            floe_log *log, struct checked_expression *out) {
  const struct pnml_file *file = data;
  const struct net *net = file->net;
  struct model *model = arena_alloc(request->arena, sizeof *model);
  struct net_grounding g = {.net = net};
  *model = (struct model){.name = net->name, .description = "", .source = net->source, .notation = &notation};
  g.build = (struct builder){.arena = request->arena, .source = net->source, .model = model};
  build_start(&g.build);
  set_constants(&g, request->definitions, request->definition_count);
  ground_net(&g);
  g.build.log = log;
  g.build.source = joined->first;
  *out = (struct checked_expression){.model = model};
  out->expr = net_expression_read(&g, joined->text, &out->is_bool);
  build_finish(&g.build);
}

static floe_status expression_of(const struct expression_request *request, struct checked_expression *out) {
  struct pnml_file file = *(const struct pnml_file *)request->outline->tree;
  return joined_source_read(request, file.net->source, read_expression, &file, out);
}

static const char *const endings[] = {".pnml", NULL};

const struct language pnml_language = {
    .name = "pnml",
    .description = "Petri nets in PNML",
    .endings = endings,
    .reads_properties = true,
    .recognise = recognise,
    .parse = parse,
    .check = check,
    .reduce = reduce,
    .expand_run = expand_run,
    .expression = expression_of,
    .write = pnml_write,
};
