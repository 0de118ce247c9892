/* Declarations of variables and channels. */
#include "frontend/dve/parse/dve_parser.h"

bool dve_declaration_follows(const struct dve_parser *p) {
  return dve_sees(p, DVE_TOKEN_CONST) || dve_sees(p, DVE_TOKEN_BYTE) || dve_sees(p, DVE_TOKEN_INT) ||
         dve_sees(p, DVE_TOKEN_CHANNEL);
}

static bool parse_type(struct dve_parser *p) {
  if (dve_accept(p, DVE_TOKEN_INT))
    return true;
  if (!dve_accept(p, DVE_TOKEN_BYTE))
    dve_expected(p, "'byte' or 'int'", "these are the types");
  return false;
}

static void parse_initial(struct dve_parser *p, struct dve_variable *v) {
  if (!dve_accept(p, DVE_TOKEN_ASSIGN))
    return;
  v->listed = dve_accept(p, DVE_TOKEN_OPEN_BLOCK);
  do {
    const struct dve_expr *value = dve_parse_expression(p);
    *DVE_PUSH(p, &v->initial) = value;
  } while (v->listed && dve_accept(p, DVE_TOKEN_COMMA));
  if (v->listed)
    dve_expect(p, DVE_TOKEN_CLOSE_BLOCK);
}

static void parse_variable(struct dve_parser *p, struct dve_variable v, struct dve_variables *out) {
  v.name = dve_parse_name(p, "the name of a variable");
  if (dve_accept(p, DVE_TOKEN_OPEN_INDEX)) {
    v.size = dve_parse_expression(p);
    dve_expect(p, DVE_TOKEN_CLOSE_INDEX);
    if (dve_sees(p, DVE_TOKEN_OPEN_INDEX))
      DVE_ERROR(p, p->token.begin, "compute one index: a[i*n + j]", "arrays have one dimension");
  }
  parse_initial(p, &v);
  if (!p->panic)
    *DVE_PUSH(p, out) = v;
}

static void parse_variables(struct dve_parser *p, struct dve_variables *out) {
  struct dve_variable v = {.is_constant = dve_accept(p, DVE_TOKEN_CONST)};
  v.is_int = parse_type(p);
  do
    parse_variable(p, v, out);
  while (dve_accept(p, DVE_TOKEN_COMMA));
}

struct field_types {
  bool *items;
  size_t n, cap;
};

static void parse_field_types(struct dve_parser *p, struct dve_channel *channel) {
  struct field_types types = {0};
  do {
    const bool is_int = parse_type(p);
    *DVE_PUSH(p, &types) = is_int;
  } while (dve_accept(p, DVE_TOKEN_COMMA));
  dve_expect(p, DVE_TOKEN_CLOSE_BLOCK);
  channel->is_int = types.items;
  channel->field_count = types.n;
}

static void parse_channel(struct dve_parser *p, struct dve_channel channel, struct dve_channels *out) {
  channel.name = dve_parse_name(p, "the name of a channel");
  if (dve_accept(p, DVE_TOKEN_OPEN_INDEX)) {
    channel.capacity = dve_parse_expression(p);
    dve_expect(p, DVE_TOKEN_CLOSE_INDEX);
  }
  if (!p->panic)
    *DVE_PUSH(p, out) = channel;
}

static void parse_channels(struct dve_parser *p, struct dve_channels *out) {
  struct dve_channel channel = {0};
  channel.typed = dve_accept(p, DVE_TOKEN_OPEN_BLOCK);
  if (channel.typed)
    parse_field_types(p, &channel);
  do
    parse_channel(p, channel, out);
  while (dve_accept(p, DVE_TOKEN_COMMA));
}

void dve_parse_declaration(struct dve_parser *p, struct dve_variables *variables, struct dve_channels *channels) {
  const unsigned blocks = p->blocks;
  if (dve_accept(p, DVE_TOKEN_CHANNEL))
    parse_channels(p, channels);
  else
    parse_variables(p, variables);
  dve_end_declaration(p, blocks);
}
