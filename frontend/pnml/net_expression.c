/* Grammar, from weak to strong: or, and, comparisons, + and -, *, not and -. A name is the longest one of the net that
   stands there, as names may have any characters, or stands in single quotes. */
#include "frontend/pnml/net_expression.h"

#include <ctype.h>
#include <string.h>

#define DEEPEST 200

struct reader {
  struct net_grounding *g;
  const struct source *text;
  size_t at;
  unsigned depth;
};

struct read_value {
  const struct expr *expr; /* NULL: an error was logged */
  bool is_bool;
};

static struct read_value read_level(struct reader *r, unsigned level);

static source_at place_of(const struct reader *r) { return r->text->base + (source_at)r->at; }
static const char *rest(const struct reader *r) { return r->text->text + r->at; }
static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static void skip_blanks(struct reader *r) { r->at += strspn(rest(r), " \t\r\n"); }

/* Steps over the word or symbol, if it stands there. */
static bool accept(struct reader *r, const char *token) {
  const size_t length = strlen(token);
  skip_blanks(r);
  if (strncmp(rest(r), token, length) != 0 || (is_word(token[length - 1]) && is_word(rest(r)[length])))
    return false;
  r->at += length;
  return true;
}

static struct read_value expected(struct reader *r, const char *what) {
  skip_blanks(r);
  BUILD_ERROR(&r->g->build, place_of(r), "as in: p >= 2 and not fireable(t)", "expected %s", what);
  return (struct read_value){NULL, false};
}

/* ---- names ------------------------------------------------------------------------------------ */

/* Length of the name if it stands here as a whole, else 0. */
static size_t length_here(const struct reader *r, const char *name) {
  const size_t length = strlen(name);
  if (!length || strncmp(rest(r), name, length) != 0)
    return 0;
  return is_word(name[length - 1]) && is_word(rest(r)[length]) ? 0 : length;
}

static const char *name_at(const struct net *net, bool is_place, size_t i) {
  return is_place ? net->places[i].name : net->transitions[i].name;
}

/* Finds a place or transition, or those that an id of a coloured net stands for: numbers *first..*first + *count - 1.
 */
static bool read_name(struct reader *r, bool is_place, size_t *first, size_t *count) {
  const struct net *net = r->g->net;
  const size_t all = is_place ? net->place_count : net->transition_count;
  const bool quoted = *rest(r) == '\'';
  size_t longest = 0;
  r->at += quoted;
  *count = 1;
  for (size_t i = 0; i < all; i++) {
    const size_t length = length_here(r, name_at(net, is_place, i));
    if (length > longest && (!quoted || rest(r)[length] == '\'')) {
      longest = length;
      *first = i;
    }
  }
  for (size_t i = 0; i < net->group_count; i++) {
    const struct net_group *group = &net->groups[i];
    const size_t length = group->is_place == is_place ? length_here(r, group->id) : 0;
    if (length > longest && (!quoted || rest(r)[length] == '\'')) {
      longest = length;
      *first = group->first;
      *count = group->count;
    }
  }
  r->at += longest + (longest && quoted);
  return longest > 0;
}

static struct read_value unknown_name(struct reader *r, bool is_place) {
  size_t length = 0;
  while (is_word(rest(r)[length]))
    length++;
  if (!length)
    return expected(r, is_place ? "a number, a place or a condition" : "a transition");
  const char *name = arena_copy(r->g->build.arena, rest(r), length);
  const struct id_table *ids = is_place ? &r->g->net->place_ids : &r->g->net->transition_ids;
  BUILD_ERROR(&r->g->build, place_of(r), id_table_hint(ids, name, r->g->build.arena), "the net has no %s '%.100s'",
              is_place ? "place" : "transition", name);
  return (struct read_value){NULL, false};
}

/* ---- operands --------------------------------------------------------------------------------- */

static struct read_value read_tokens(struct reader *r) {
  struct builder *b = &r->g->build;
  const source_at at = place_of(r);
  const struct expr *sum = NULL;
  size_t first, count;
  if (!read_name(r, true, &first, &count))
    return unknown_name(r, true);
  for (size_t i = 0; i < count; i++) {
    const struct expr *tokens = build_read(b, at, (uint32_t)(first + i), NULL);
    sum = i ? build_binary(b, EXPR_ADD, at, sum, tokens) : tokens;
  }
  return (struct read_value){sum, false};
}

static struct read_value read_fireable(struct reader *r) {
  struct builder *b = &r->g->build;
  size_t first, count;
  if (!accept(r, "("))
    return expected(r, "'('");
  skip_blanks(r);
  const source_at at = place_of(r);
  if (!read_name(r, false, &first, &count))
    return unknown_name(r, false);
  const struct expr *any = build_all(b, EXPR_OR, at, r->g->enabled + first, count);
  return accept(r, ")") ? (struct read_value){any, true} : expected(r, "')'");
}

static struct read_value read_number(struct reader *r) {
  int64_t value = 0;
  for (; isdigit((unsigned char)*rest(r)) && value <= NET_MOST_TOKENS; r->at++)
    value = 10 * value + *rest(r) - '0';
  return (struct read_value){build_const(&r->g->build, value), false};
}

static struct read_value read_operand(struct reader *r) {
  struct builder *b = &r->g->build;
  skip_blanks(r);
  const source_at at = place_of(r);
  if (accept(r, "not") || (strncmp(rest(r), "!=", 2) != 0 && accept(r, "!")))
    return (struct read_value){build_not(b, at, read_operand(r).expr), true};
  if (accept(r, "-"))
    return (struct read_value){build_negative(b, at, read_operand(r).expr), false};
  if (accept(r, "(")) {
    const struct read_value inner = read_level(r, 0);
    return !inner.expr || accept(r, ")") ? inner : expected(r, "')'");
  }
  if (accept(r, "true"))
    return (struct read_value){build_const(b, 1), true};
  if (accept(r, "false"))
    return (struct read_value){build_const(b, 0), true};
  if (accept(r, "fireable"))
    return read_fireable(r);
  return isdigit((unsigned char)*rest(r)) ? read_number(r) : read_tokens(r);
}

/* ---- operators -------------------------------------------------------------------------------- */

/* Longer symbols come before their prefixes. */
static const struct {
  unsigned level;
  const char *text;
  enum expr_op op;
  bool reversed, is_bool;
} operators[] = {
    {0, "or", EXPR_OR, false, true},  {0, "||", EXPR_OR, false, true},  {1, "and", EXPR_AND, false, true},
    {1, "&&", EXPR_AND, false, true}, {2, "<=", EXPR_LE, false, true},  {2, ">=", EXPR_LE, true, true},
    {2, "==", EXPR_EQ, false, true},  {2, "!=", EXPR_NE, false, true},  {2, "<", EXPR_LT, false, true},
    {2, ">", EXPR_LT, true, true},    {3, "+", EXPR_ADD, false, false}, {3, "-", EXPR_SUB, false, false},
    {4, "*", EXPR_MUL, false, false},
};
enum { OPERATORS = sizeof operators / sizeof *operators, LEVELS = 5 };

static size_t accept_operator(struct reader *r, unsigned level) {
  for (size_t i = 0; i < OPERATORS; i++)
    if (operators[i].level == level && accept(r, operators[i].text))
      return i;
  return OPERATORS;
}

static struct read_value read_level(struct reader *r, unsigned level) {
  struct builder *b = &r->g->build;
  if (++r->depth > DEEPEST * (LEVELS + 1))
    return expected(r, "an expression that is less deep");
  struct read_value left = level == LEVELS ? read_operand(r) : read_level(r, level + 1);
  for (size_t i; level < LEVELS && left.expr; left.is_bool = operators[i].is_bool) {
    const source_at at = place_of(r);
    i = accept_operator(r, level);
    if (i == OPERATORS)
      break;
    const struct expr *right = read_level(r, level + 1).expr;
    left.expr = operators[i].reversed ? build_reversed(b, operators[i].op, at, left.expr, right)
                                      : build_binary(b, operators[i].op, at, left.expr, right);
  }
  r->depth--;
  return left;
}

const struct expr *net_expression_read(struct net_grounding *g, const struct source *text, bool *is_bool) {
  struct reader r = {.g = g, .text = text};
  struct read_value value = read_level(&r, 0);
  skip_blanks(&r);
  if (value.expr && r.at < text->length)
    value = expected(&r, "an operator");
  *is_bool = value.is_bool;
  return value.expr;
}
