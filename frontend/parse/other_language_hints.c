#include "frontend/parse/other_language_hints.h"

#include <string.h>
#include <strings.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define LONGEST_WORD 16

/* ---- position of the error -------------------------------------------------------------------- */

struct spot {
  const char *text;
  const char *expected;
  size_t begin, end;       /* of the token found */
  size_t before, before_n; /* the token before it; before_n 0: none */
};

static bool is_blank(char c) { return strchr(" \t\r\n", c) != NULL; }

static bool expects(const struct spot *s, const char *beginning) {
  return strncmp(s->expected, beginning, strlen(beginning)) == 0;
}

static bool found(const struct spot *s, const char *sign) { return !strncmp(s->text + s->begin, sign, strlen(sign)); }

static bool is_before(const struct spot *s, const char *word) {
  return strlen(word) == s->before_n && !memcmp(s->text + s->before, word, s->before_n);
}

/* An expression, an operator or the end is expected. */
static bool in_expression(const struct spot *s) {
  return expects(s, "an expression") || expects(s, "an operator") || expects(s, "')'") || expects(s, "']'");
}
static bool in_effect(const struct spot *s) { return expects(s, "'=', '+='") || expects(s, "a variable, 'assert'"); }

static struct spot spot_of(const struct located_text *text, const struct token *token, const char *expected) {
  struct spot s = {text->text, expected, token->begin, token->end, 0, 0};
  struct token before = lex(text, 0);
  for (; before.kind != TOKEN_END && before.end <= s.begin; before = lex(text, before.end)) {
    s.before = before.begin;
    s.before_n = before.end - before.begin;
  }
  return s;
}

/* ---- temporal operators ------------------------------------------------------------------------- */

static const char always[] = "kind=\"invariant\" already means: in every state; omit the operator";
static const char once[] = "kind=\"reachable\" already means: in some state; omit the operator";
static const char inevitable[] =
    "kind=\"eventually\" means: at some time in every run; kind=\"reachable\" means: on some path";
static const char forever[] = "no kind of property means: always on some path; kind=\"invariant\" means: on every path";

/* Longer signs come before their prefixes. */
static const struct time_operator {
  const char *sign, *hint;
} time_operators[] = {
    {"A[]", always},    {"A<>", inevitable},        {"E<>", once}, {"E[]", forever}, {"[]", always}, {"<>", inevitable},
    {"AG", always},     {"AF", inevitable},         {"EF", once},  {"EG", forever},  {"G", always},  {"F", inevitable},
    {"always", always}, {"eventually", inevitable},
};

/* Hint if the text begins with a temporal operator and the error is there or directly after it. */
static const char *time_hint(const struct located_text *text, const struct token *token) {
  size_t start = 0;
  while (start < text->length && is_blank(text->text[start]))
    start++;
  for (size_t i = 0; i < COUNT(time_operators); i++) {
    size_t length = strlen(time_operators[i].sign), next = start + length;
    if (strncmp(text->text + start, time_operators[i].sign, length) != 0)
      continue;
    while (next < text->length && is_blank(text->text[next]))
      next++;
    bool word = strchr("[<", time_operators[i].sign[length - 1]) || text->text[start + length] != '_';
    if (word && token->begin <= next)
      return time_operators[i].hint;
  }
  return NULL;
}

/* ---- words ------------------------------------------------------------------------------------- */

static const struct {
  const char *word, *hint;
} operators[] = {
    {"mod", "write '%'"},
    {"div", "write '/'"},
    {"xor", "for truth values write '!=' or 'ne'"},
    {"is", "to compare, write '==' or 'eq'"},
    {"equals", "to compare, write '==' or 'eq'"},
    {"iff", "write '==' or 'eq' between brackets"},
    {"forall", "write all(i in P : ...)"},
    {"exist", "write exists(i in P : ...)"},
    {"some", "write exists(i in P : ...)"},
    {"if", "in an expression write 'condition ? this : that'"},
    {"then", "in an expression write 'condition ? this : that'"},
    {"abs", "write 'x lt 0 ? -x : x'"},
    {"when", "omit it: a guard is only the condition"},
};

static const char of_runs[] = "enabled(...) and taken(...) stand only in the texts of properties of kind ltl, "
                              "eventually and leadsto";

const char *other_language_call_hint(const char *name) {
  if (!strcmp(name, "enabled") || !strcmp(name, "taken"))
    return of_runs;
  for (size_t i = 0; i < COUNT(time_operators); i++)
    if (!strcmp(name, time_operators[i].sign))
      return time_operators[i].hint;
  for (size_t i = 0; i < COUNT(operators); i++)
    if (!strcmp(name, operators[i].word))
      return operators[i].hint;
  return NULL;
}

static const char *const nothings[] = {"skip", "nop", "noop", "pass", "null", "none", "nothing", "SKIP"};
static const char *const types[] = {"int", "bool", "byte", "short", "let", "var", "local"};

static bool is_one_of(const struct spot *s, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (is_before(s, words[i]))
      return true;
  return false;
}

/* Lower-case copy of `length` characters, fewer than LONGEST_WORD. */
static void lower_case(const char *name, size_t length, char out[LONGEST_WORD]) {
  static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (size_t i = 0; i < length; i++) {
    const char *capital = name[i] ? strchr(capitals, name[i]) : NULL;
    out[i] = capital ? "abcdefghijklmnopqrstuvwxyz"[capital - capitals] : name[i];
  }
  out[length] = '\0';
}

static const char *capital_hint(struct arena *arena, const char *word, size_t length) {
  char small[LONGEST_WORD];
  if (length >= LONGEST_WORD)
    return NULL;
  lower_case(word, length, small);
  if (!strncmp(small, word, length) || !is_reserved(small))
    return NULL;
  return arena_printf(arena, "write '%s', in lower case", small);
}

static const char *word_hint(struct arena *arena, const struct spot *s) {
  const char *hint = capital_hint(arena, s->text + s->begin, s->end - s->begin);
  if (!hint)
    hint = capital_hint(arena, s->text + s->before, s->before_n);
  for (size_t i = 0; i < COUNT(operators) && !hint && in_expression(s); i++)
    if (is_before(s, operators[i].word) ||
        (s->end - s->begin == strlen(operators[i].word) && found(s, operators[i].word)))
      hint = operators[i].hint;
  return hint;
}

/* ---- signs ------------------------------------------------------------------------------------- */

/* Sign, and if `behind` is not empty, the sign directly before it. */
static const struct sign {
  const char *behind, *sign, *hint;
} signs[] = {
    {"", ":=", "to compare, write '==' or 'eq'"},
    {"", "=>", "write 'implies', or '>=' for at least"},
    {"", "=<", "write '<=' or 'le'"},
    {"", "==", NULL},
    {"", "=", "to compare, write '==' or 'eq'"},
    {"<-", ">", "write '==' or 'eq' between brackets"},
    {"-", ">", "write 'implies'"},
    {"", "-->", "write 'implies', or use kind=\"leadsto\" for: at that time or later"},
    {"<", ">", "write '!=' or 'ne'"},
    {"/", "\\", "write '&&' or 'and'"},
    {"", "\\/", "write '||' or 'or'"},
    {"", "\xE2\x89\xA4", "write '<=' or 'le'"},
    {"", "\xE2\x89\xA5", "write '>=' or 'ge'"},
    {"", "\xE2\x89\xA0", "write '!=' or 'ne'"},
    {"", "\xE2\x88\xA7", "write '&&' or 'and'"},
    {"", "\xE2\x88\xA8", "write '||' or 'or'"},
    {"", "\xC2\xAC", "write '!' or 'not'"},
    {"", "\xE2\x86\x92", "write 'implies'"},
    {"", "\xE2\x87\x92", "write 'implies'"},
    {"", "\xE2\x88\x80", "write all(i in P : ...)"},
    {"", "\xE2\x88\x83", "write exists(i in P : ...)"},
    {"", "\xE2\x96\xA1", always},
    {"", "\xE2\x97\x87", inevitable},
    {"", "@", "to test the location of an instance, write P[0].location"},
    {"", "..", "a range is not allowed here"},
    {"0", "x", "numbers are decimal"},
    {"0", "X", "numbers are decimal"},
};

static const char *sign_hint(const struct spot *s) {
  for (size_t i = 0; i < COUNT(signs); i++) {
    size_t n = strlen(signs[i].behind);
    if (found(s, signs[i].sign) && s->begin >= n && !memcmp(s->text + s->begin - n, signs[i].behind, n))
      return signs[i].hint;
  }
  return NULL;
}

static const char *single_hint(const struct spot *s, enum token_kind kind) {
  if (found(s, "&") && expects(s, "an operator"))
    return "write '&&' or 'and'";
  if (found(s, "|") && expects(s, "an operator"))
    return "write '||' or 'or'";
  if (kind == TOKEN_DOT && s->begin > 0 && strchr("0123456789", s->text[s->begin - 1]))
    return "numbers are integers";
  return kind == TOKEN_OPEN_INDEX && expects(s, "an expression") ? "brackets around an expression are ( )" : NULL;
}

/* ---- parts of a transition --------------------------------------------------------------------- */

static const char *statement_hint(const struct spot *s, enum token_kind kind) {
  if (found(s, ":=") || found(s, "->") || kind == TOKEN_EQ)
    return "to assign, write '='";
  if (is_one_of(s, nothings, COUNT(nothings)) && (kind == TOKEN_END || kind == TOKEN_SEMICOLON))
    return "to do nothing, omit the effect";
  if (is_one_of(s, types, COUNT(types)) && kind == TOKEN_NAME)
    return "variables are declared by the element 'variable', not in an effect";
  if (is_before(s, "return"))
    return "only a function returns a value: see the element 'function'";
  if (is_before(s, "goto") && kind == TOKEN_NAME)
    return "the attribute 'to' is the target location";
  switch (kind) {
  case TOKEN_INCREMENT:
  case TOKEN_DECREMENT:
    return "write x++ or x--";
  case TOKEN_TIMES:
  case TOKEN_DIVIDE:
  case TOKEN_MODULO:
    return "write the whole assignment, for example x = x * 2";
  case TOKEN_NOT:
  case TOKEN_QUESTION:
    return "the attributes 'send' and 'receive' of the transition send and receive";
  default:
    return found(s, "'") ? "write x = ...: the effect gives the new value" : NULL;
  }
}

static const char *part_hint(const struct spot *s, enum token_kind kind) {
  if (in_effect(s))
    return statement_hint(s, kind);
  if (expects(s, "a variable, '== ") && (kind == TOKEN_NUMBER || kind == TOKEN_ASSIGN))
    return "to wait for a value, write '==' before it";
  if (expects(s, "the end") && kind == TOKEN_NOT)
    return "write send=\"channel(value)\"";
  if (expects(s, "the end") && kind == TOKEN_QUESTION)
    return "write receive=\"channel(variable)\"";
  if (expects(s, "']'") && kind == TOKEN_COMMA)
    return "write each index in its own brackets, as in m[i][j]";
  if (expects(s, "'in'") && (kind == TOKEN_COLON || kind == TOKEN_ASSIGN))
    return "write 'i in lo..hi' or 'i in P'";
  if (expects(s, "'..'") && (kind == TOKEN_END || kind == TOKEN_DOT || kind == TOKEN_COMMA))
    return "a range is lo..hi, as in 0..3";
  if (expects(s, "an operator, ';'") && kind == TOKEN_COMMA)
    return "write ';' between statements";
  if (expects(s, "an operator or") && kind == TOKEN_SEMICOLON)
    return "only effects have ';'";
  if (expects(s, "an operator, ','") && kind == TOKEN_SEMICOLON)
    return "write ',' between them";
  return NULL;
}

const char *other_language_hint(struct arena *arena, const struct located_text *text, const struct token *token,
                                const char *expected) {
  struct spot s = spot_of(text, token, expected);
  const char *hint = part_hint(&s, token->kind);
  if (!hint && in_expression(&s))
    hint = time_hint(text, token);
  if (!hint)
    hint = word_hint(arena, &s);
  if (!hint && in_expression(&s))
    hint = sign_hint(&s);
  return hint || !in_expression(&s) ? hint : single_hint(&s, token->kind);
}

const char *reserved_word_hint(struct arena *arena, const char *name) {
  if (strcmp(name, "deadlock") == 0)
    return "freedom from deadlock is checked without a property: see the element 'deadlock'";
  return capital_hint(arena, name, strlen(name));
}

/* ---- elements and attributes ------------------------------------------------------------------- */

static const struct {
  const char *foreign, *ours;
} parts[] = {
    {"var", "variable"},
    {"int", "variable"},
    {"bool", "variable"},
    {"byte", "variable"},
    {"global", "variable"},
    {"local", "variable"},
    {"declaration", "variable"},
    {"struct", "record"},
    {"typedef", "record"},
    {"type", "record"},
    {"member", "field"},
    {"func", "function"},
    {"procedure", "function"},
    {"macro", "define"},
    {"chan", "channel"},
    {"const", "constant"},
    {"param", "parameter"},
    {"state", "location"},
    {"node", "location"},
    {"loc", "location"},
    {"edge", "transition"},
    {"rule", "transition"},
    {"action", "transition"},
    {"template", "process"},
    {"module", "process"},
    {"proctype", "process"},
    {"agent", "process"},
    {"invariant", "property"},
    {"ltl", "property"},
    {"ctl", "property"},
    {"assert", "property"},
    {"query", "property"},
    {"formula", "property"},
    {"spec", "property"},
    {"comment", "description"},
    {"doc", "description"},
    {"id", "name"},
    {"name", "id"},
    {"min", "range"},
    {"max", "range"},
    {"domain", "range"},
    {"length", "size"},
    {"dimension", "size"},
    {"initial", "init"},
    {"start", "initial"},
    {"init", "initial"},
    {"value", "init"},
    {"default", "value"},
    {"default", "init"},
    {"urgent", "committed"},
    {"atomic", "committed"},
    {"condition", "guard"},
    {"when", "guard"},
    {"if", "guard"},
    {"action", "effect"},
    {"update", "effect"},
    {"assign", "effect"},
    {"assignment", "effect"},
    {"do", "effect"},
    {"source", "from"},
    {"src", "from"},
    {"target", "to"},
    {"dest", "to"},
    {"dst", "to"},
    {"sync", "send"},
    {"input", "receive"},
    {"output", "send"},
    {"fields", "message"},
    {"type", "message"},
    {"type", "kind"},
    {"range", "message"},
    {"buffer", "capacity"},
    {"count", "instances"},
    {"number", "instances"},
    {"n", "instances"},
    {"copies", "instances"},
    {"range", "value"},
    {"always", "invariant"},
    {"safety", "invariant"},
    {"exists", "reachable"},
    {"yes", "true"},
    {"no", "false"},
    {"1", "true"},
    {"0", "false"},
    {"ok", "holds"},
    {"fails", "violated"},
    {"false", "violated"},
    {"true", "holds"},
    {"boolean", "bool"},
};

/* Other words for properties of whole runs. */
const char *temporal_kind_hint(const char *kind) {
  static const char *const kinds[] = {"liveness",    "live",     "ctl",        "ctl*",      "mu",       "af",
                                      "eg",          "F",        "response",   "leads-to",  "leads_to", "until",
                                      "next",        "progress", "fairness",   "fair",      "buchi",    "recurrence",
                                      "persistence", "temporal", "inevitable", "resettable"};
  for (size_t i = 0; i < COUNT(kinds); i++)
    if (strcasecmp(kinds[i], kind) == 0)
      return "ltl: a formula about runs, 'always (p implies eventually q)'; eventually: true at some time in every "
             "run; "
             "leadsto: 'p leadsto q'; recoverable: a state with p can be reached from every reachable state";
  return NULL;
}

const char *other_language_part_hint(const char *name, const char *const *candidates, size_t count) {
  for (size_t i = 0; i < COUNT(parts); i++) {
    if (strcmp(parts[i].foreign, name) != 0)
      continue;
    for (size_t k = 0; k < count; k++)
      if (!strcmp(parts[i].ours, candidates[k]))
        return candidates[k];
  }
  return NULL;
}
