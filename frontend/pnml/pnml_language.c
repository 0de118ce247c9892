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

/* The constant: most tokens of a place without a proved bound. */
static const char tokens_name[] = "tokens";

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
  static const char *const constants[] = {tokens_name};
  struct outline *outline = arena_alloc(arena, sizeof *outline);
  struct pnml_file *file = arena_alloc(arena, sizeof *file);
  struct net *net;
  FLOE_TRY(net_read(source, arena, log, &net));
  FLOE_TRY(read_properties(includer, arena, log, &file->properties));
  place_bounds(net, arena);
  file->net = net;
  *outline = (struct outline){.name = net->name, .description = "", .tree = file};
  outline->constants = constants;
  outline->constant_count = has_guesses(net) ? 1 : 0;
  *out = outline;
  return FLOE_OK;
}

/* ---- the constant ----------------------------------------------------------------------------- */

/* The first guess: what the file claims. */
static int64_t first_guess(const struct net *net) {
  for (size_t p = 0; p < net->place_count; p++)
    if (!net->places[p].safe && net_place_is_guessed(&net->places[p]))
      return 3;
  return 1;
}

/* ---- checking --------------------------------------------------------------------------------- */

static void set_tokens(struct net_grounding *g, const struct definition *definitions, size_t count) {
  struct builder *b = &g->build;
  struct constant *constant = arena_alloc(b->arena, sizeof *constant);
  if (!has_guesses(g->net))
    return;
  g->guessed = guess_value(b, count ? definitions : NULL, tokens_name, first_guess(g->net), NET_MOST_TOKENS);
  *constant = (struct constant){.name = tokens_name, .value = g->guessed, .given = count > 0};
  b->model->constants = constant;
  b->model->constant_count = 1;
  b->model->guess = guess_after(tokens_name, g->guessed, NET_MOST_TOKENS, b->arena);
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
  set_tokens(&g, definitions, definition_count);
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

/* The constant stays that of the net as read: it may be defined. */
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
  set_tokens(&g, request->definitions, request->definition_count);
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
