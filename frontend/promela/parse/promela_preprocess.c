#include "frontend/promela/parse/promela_preprocess.h"

#include "frontend/promela/parse/promela_condition.h"

#include <string.h>

#define MAX_TOKENS (4u << 20) /* read, and made by calls; a token counts each time that a call reads or makes it */
#define MAX_TEXT (64u << 10)  /* that '#' makes */
#define MAX_NAME 1000         /* that '##' makes */
#define MAX_PARAMETERS 32

struct macro {
  const char *name;
  const struct pr_token *body; /* without an end */
  size_t n;
  size_t parameters[MAX_PARAMETERS]; /* numbers of names */
  unsigned parameter_count;
  bool defined, with_parameters, is_inline;
  bool active;       /* its text is being read */
  bool given;        /* by -D */
  bool asked;        /* a condition asks for it, or it has another text than its first number */
  uint32_t constant; /* number plus 1; 0: none */
};

struct preprocessor {
  struct arena *arena;
  floe_log *log;
  const struct source *first; /* of the list */
  struct includer *includer;
  struct name_table names;
  struct macro *macros; /* by number of the name */
  size_t macro_cap;
  struct pr_text *text;
  unsigned nesting;
  size_t token_count;
  bool in_condition; /* calls are those of a condition */
  bool failed;
};

#define PR_FAIL(p, at, hint, ...)                                                                                      \
  do {                                                                                                                 \
    if (!(p)->failed)                                                                                                  \
      diag_error((p)->log, (p)->first, (at), (hint), __VA_ARGS__);                                                     \
    (p)->failed = true;                                                                                                \
  } while (0)

/* False: too many. All loops over tokens that calls may repeat ask it, so time and memory are limited. */
static bool count_tokens(struct preprocessor *p, source_at at, size_t n) {
  p->token_count += n;
  if (p->token_count > MAX_TOKENS)
    PR_FAIL(p, at, "macros and inlines that call others several times make long texts",
            "the text with all macros and inlines has more than %u words and symbols", MAX_TOKENS);
  return !p->failed;
}

static void push(struct preprocessor *p, struct pr_tokens *out, struct pr_token token) {
  if (count_tokens(p, token.begin, 1))
    *ARENA_PUSH(p->arena, out->items, out->n, out->cap) = token;
}

/* ---- names --------------------------------------------------------------------------------------- */

static size_t name_of(struct preprocessor *p, const struct pr_token *t) {
  const size_t id = name_table_add(&p->names, p->arena, t->text);
  if (id >= p->macro_cap) {
    const size_t cap = 2 * (id + 32);
    struct macro *macros = arena_array(p->arena, cap, sizeof *macros);
    if (p->macro_cap)
      memcpy(macros, p->macros, p->macro_cap * sizeof *macros);
    p->macros = macros;
    p->macro_cap = cap;
  }
  p->macros[id].name = p->names.names[id];
  return id;
}

static struct pr_token lex(struct preprocessor *p, const struct source *source, source_at from) {
  struct pr_token t = pr_lex(source, from);
  t.text = arena_copy(p->arena, source->text + (t.begin - source->base), t.end - t.begin);
  if (t.kind == PR_OPEN_COMMENT)
    PR_FAIL(p, t.begin, "end it with '*/'", "the comment has no end");
  return t;
}

/* ---- calls --------------------------------------------------------------------------------------- */

static void expand(struct preprocessor *p, const struct pr_tokens *in, source_at call, struct pr_tokens *out);

struct arguments {
  struct pr_tokens *items; /* of each parameter */
  unsigned n;
};

/* The arguments in in[*i...], which begins behind the opening bracket; *i is then behind the closing one. */
static bool read_arguments(struct preprocessor *p, const struct macro *m, const struct pr_tokens *in, size_t *i,
                           source_at call, struct arguments *out) {
  unsigned depth = 0;
  struct pr_tokens others = {0}; /* of further ones */
  out->items = arena_array(p->arena, m->parameter_count, sizeof *out->items);
  out->n = m->parameter_count || (*i < in->n && in->items[*i].kind != PR_CLOSE);
  for (; *i < in->n; ++*i) {
    const struct pr_token *t = &in->items[*i];
    if (t->kind == PR_CLOSE && depth == 0) {
      ++*i;
      if (out->n == m->parameter_count)
        return true;
      PR_FAIL(p, call, NULL, "'%s' has %u parameters, but %u arguments", m->name, m->parameter_count, out->n);
      return false;
    }
    if (t->kind == PR_COMMA && depth == 0) {
      out->n++;
      continue;
    }
    depth += t->kind == PR_OPEN || t->kind == PR_OPEN_INDEX || t->kind == PR_OPEN_BLOCK;
    depth -= depth && (t->kind == PR_CLOSE || t->kind == PR_CLOSE_INDEX || t->kind == PR_CLOSE_BLOCK);
    push(p, out->n <= m->parameter_count ? &out->items[out->n - 1] : &others, *t);
  }
  PR_FAIL(p, call, NULL, "the arguments of '%s' have no closing bracket", m->name);
  return false;
}

static int parameter_of(struct preprocessor *p, const struct macro *m, const struct pr_token *t) {
  if (!pr_is_nameable(t))
    return -1;
  const size_t id = name_of(p, t);
  for (unsigned i = 0; i < m->parameter_count; i++)
    if (m->parameters[i] == id)
      return (int)i;
  return -1;
}

/* The texts of tokens, with blanks where they have some, between quotation marks. */
static const char *text_of(struct preprocessor *p, const struct pr_tokens *tokens, source_at at, const char *quote) {
  size_t length = 2 * strlen(quote);
  for (size_t i = 0; i < tokens->n; i++)
    length += strlen(tokens->items[i].text) + 1;
  if (length > MAX_TEXT) {
    PR_FAIL(p, at, NULL, "'#' makes a text of more than %u characters", MAX_TEXT);
    return "";
  }
  char *text = arena_alloc(p->arena, length + 1), *end = stpcpy(text, quote);
  for (size_t i = 0; i < tokens->n; i++) {
    if (i && tokens->items[i].spaced)
      *end++ = ' ';
    end = stpcpy(end, tokens->items[i].text);
  }
  strcpy(end, quote);
  return text;
}

static struct pr_token string_of(struct preprocessor *p, const struct pr_tokens *tokens, source_at at) {
  count_tokens(p, at, tokens->n);
  return (struct pr_token){.kind = PR_STRING, .begin = at, .end = at, .text = text_of(p, tokens, at, "\"")};
}

/* One token of two texts. */
static void paste(struct preprocessor *p, struct pr_tokens *out, const struct pr_token *second) {
  struct pr_token *first = &out->items[out->n - 1];
  if (strlen(first->text) + strlen(second->text) > MAX_NAME) {
    PR_FAIL(p, first->begin, NULL, "'##' makes a text of more than %d characters", MAX_NAME);
    return;
  }
  const char *text = arena_printf(p->arena, "%s%s", first->text, second->text);
  const struct source source = {.name = "", .text = text, .length = strlen(text)};
  struct pr_token joined = pr_lex(&source, 0);
  const bool whole = joined.begin == 0 && joined.end == source.length;
  if (!whole || joined.kind == PR_UNKNOWN || joined.kind == PR_OPEN_STRING || joined.kind == PR_OPEN_COMMENT) {
    PR_FAIL(p, first->begin, NULL, "'##' makes '%s', which is neither a name nor a number nor a symbol", text);
    return;
  }
  joined.begin = first->begin;
  joined.end = first->end;
  joined.spaced = first->spaced;
  joined.text = text;
  *first = joined;
}

/* The text of a call with its arguments in the places of the parameters. */
static void substitute(struct preprocessor *p, const struct macro *m, const struct arguments *arguments, source_at call,
                       struct pr_tokens *out) {
  bool left = false; /* the operand before '##' has a text */
  count_tokens(p, call, m->n);
  for (size_t i = 0; i < m->n && !p->failed; i++) {
    struct pr_token t = m->body[i];
    const bool pasted = left && m->body[i - 1].kind == PR_PASTE && !m->is_inline;
    const bool pastes = i + 1 < m->n && m->body[i + 1].kind == PR_PASTE && !m->is_inline;
    if (t.kind == PR_PASTE && !m->is_inline)
      continue;
    if (t.kind == PR_HASH && m->with_parameters && !m->is_inline && i + 1 < m->n) {
      const int argument = parameter_of(p, m, &m->body[i + 1]);
      if (argument >= 0) {
        push(p, out, string_of(p, &arguments->items[argument], call));
        left = true;
        i++;
        continue;
      }
    }
    const int argument = m->with_parameters ? parameter_of(p, m, &t) : -1;
    struct pr_tokens text = {0};
    if (argument < 0)
      push(p, &text, t);
    else if (pastes || (i && m->body[i - 1].kind == PR_PASTE && !m->is_inline))
      text = arguments->items[argument];
    else
      expand(p, &arguments->items[argument], m->is_inline ? NOWHERE : call, &text);
    for (size_t k = 0; k < text.n && !p->failed; k++)
      if (k == 0 && pasted)
        paste(p, out, &text.items[k]);
      else
        push(p, out, text.items[k]);
    left = pasted || text.n;
  }
}

/* Tokens of a macro are at the place and on the line of its call. */
static void move_to(struct pr_tokens *tokens, source_at at, const struct pr_token *call) {
  for (size_t i = 0; i < tokens->n; i++) {
    tokens->items[i].begin = tokens->items[i].end = at;
    tokens->items[i].new_line = i == 0 && call->new_line;
  }
  if (tokens->n)
    tokens->items[0].spaced = call->spaced;
}

static bool is_number(const struct macro *m) {
  return !m->with_parameters && m->n == 1 && m->body[0].kind == PR_NUMBER;
}

static void add_constant(struct preprocessor *p, struct macro *m, struct pr_tokens *text) {
  if (!is_number(m) || text->n != 1)
    return;
  if (!m->constant) {
    name_table_add(&p->text->constants, p->arena, m->name);
    m->constant = (uint32_t)p->text->constants.count;
  }
  text->items[0].macro = m->constant;
}

/* A condition asks for the name, or it has several texts: a number in its place is not enough. */
static void ask(struct preprocessor *p, size_t id) {
  name_table_add(&p->text->parameters, p->arena, p->macros[id].name);
  p->macros[id].asked = true;
}

/* in[*i] is the name of a macro or inline; *i is then behind the call. False: it is no call. */
static bool expand_call(struct preprocessor *p, const struct pr_tokens *in, size_t *i, source_at call,
                        struct pr_tokens *out) {
  const struct pr_token *t = &in->items[*i];
  if (!pr_is_nameable(t))
    return false;
  const size_t id = name_of(p, t);
  if (p->in_condition)
    ask(p, id);
  const struct macro m = p->macros[id];
  if (!m.defined)
    return false;
  if (m.active && m.is_inline)
    PR_FAIL(p, t->begin, "write a loop", "inline '%s' calls itself", m.name);
  if (m.active)
    return false;
  if (m.with_parameters && !(*i + 1 < in->n && in->items[*i + 1].kind == PR_OPEN))
    return false;
  struct arguments arguments = {0};
  const source_at at = call == NOWHERE ? t->begin : call;
  struct pr_tokens text = {0};
  ++*i;
  if (m.with_parameters) {
    ++*i;
    if (!read_arguments(p, &m, in, i, at, &arguments))
      return true;
  }
  if (++p->nesting > PR_MAX_NESTING)
    PR_FAIL(p, at, NULL, "calls of macros and inlines are nested more than %d deep", PR_MAX_NESTING);
  if (!p->failed) {
    substitute(p, &m, &arguments, at, &text);
    if (!m.is_inline)
      move_to(&text, at, t);
    add_constant(p, &p->macros[id], &text);
    p->macros[id].active = true;
    if (m.is_inline)
      push(p, out,
           (struct pr_token){
               .kind = PR_OPEN_BLOCK, .begin = at, .end = at, .text = "{", .new_line = t->new_line, .inlined = true});
    expand(p, &text, m.is_inline ? NOWHERE : at, out);
    if (m.is_inline)
      push(p, out, (struct pr_token){.kind = PR_CLOSE_BLOCK, .begin = at, .end = at, .text = "}"});
    p->macros[id].active = false;
  }
  p->nesting--;
  return true;
}

static void expand(struct preprocessor *p, const struct pr_tokens *in, source_at call, struct pr_tokens *out) {
  for (size_t i = 0; i < in->n && count_tokens(p, in->items[i].begin, 1);)
    if (!expand_call(p, in, &i, call, out))
      push(p, out, in->items[i++]);
}

/* ---- directives ---------------------------------------------------------------------------------- */

struct file {
  const struct source *source;
  source_at next;
  struct pr_tokens text; /* since the last directive, macros not yet expanded */
  struct {
    bool taken, now, had_else;
    source_at at;
  } conditions[PR_MAX_NESTING];
  unsigned condition_count;
};

/* The first `count` conditions of those around the text hold. */
static bool hold(const struct file *f, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (!f->conditions[i].now)
      return false;
  return true;
}
static bool is_read(const struct file *f) { return hold(f, f->condition_count); }

/* The rest of the line. */
static struct pr_tokens read_line(struct preprocessor *p, struct file *f) {
  struct pr_tokens line = {0};
  for (;;) {
    const struct pr_token t = lex(p, f->source, f->next);
    if (t.kind == PR_END || t.new_line || p->failed)
      return line;
    push(p, &line, t);
    f->next = t.end;
  }
}

static void define(struct preprocessor *p, const struct pr_tokens *line, source_at at) {
  if (!line->n || !pr_is_nameable(&line->items[0])) {
    PR_FAIL(p, at, NULL, "#define needs a name");
    return;
  }
  const size_t id = name_of(p, &line->items[0]);
  struct macro m = {
      .name = p->names.names[id], .defined = true, .constant = p->macros[id].constant, .asked = p->macros[id].asked};
  size_t i = 1;
  if (line->n > 1 && line->items[1].kind == PR_OPEN && !line->items[1].spaced) {
    m.with_parameters = true;
    for (i = 2; i < line->n && pr_is_nameable(&line->items[i]) && m.parameter_count < MAX_PARAMETERS; i++) {
      m.parameters[m.parameter_count++] = name_of(p, &line->items[i]);
      if (i + 1 < line->n && line->items[i + 1].kind == PR_COMMA)
        i++;
    }
    if (i >= line->n || line->items[i].kind != PR_CLOSE) {
      PR_FAIL(p, line->items[0].begin, "at most 32 names with ',' between them",
              "the parameters of '%s' have no closing bracket", m.name);
      return;
    }
    i++;
  }
  m.body = line->items + i;
  m.n = line->n - i;
  if (p->macros[id].given) {
    p->text->overridden = true;
    return;
  }
  const struct macro before = p->macros[id];
  const bool changes = m.constant && !(is_number(&m) && is_number(&before) && m.body[0].value == before.body[0].value);
  p->macros[id] = m;
  if (changes)
    ask(p, id);
}

/* ---- conditions ---------------------------------------------------------------------------------- */

/* `defined NAME`, `defined(NAME)` become 0 or 1. */
static struct pr_tokens without_defined(struct preprocessor *p, const struct pr_tokens *line) {
  struct pr_tokens out = {0};
  for (size_t i = 0; i < line->n && !p->failed; i++) {
    struct pr_token t = line->items[i];
    if (pr_is_nameable(&t) && strcmp(t.text, "defined") == 0) {
      const bool bracket = i + 1 < line->n && line->items[i + 1].kind == PR_OPEN;
      i += 1 + bracket;
      if (i >= line->n || !pr_is_nameable(&line->items[i])) {
        PR_FAIL(p, t.begin, NULL, "'defined' needs a name");
        break;
      }
      const size_t id = name_of(p, &line->items[i]);
      ask(p, id);
      t = (struct pr_token){.kind = PR_NUMBER,
                            .begin = t.begin,
                            .end = t.end,
                            .value = p->macros[id].defined,
                            .text = p->macros[id].defined ? "1" : "0"};
      i += bracket;
    }
    push(p, &out, t);
  }
  return out;
}

static bool holds(struct preprocessor *p, const struct pr_tokens *line, source_at at) {
  const struct pr_tokens named = without_defined(p, line);
  struct pr_tokens text = {0};
  p->in_condition = true;
  expand(p, &named, NOWHERE, &text);
  p->in_condition = false;
  bool value = false;
  if (!p->failed)
    p->failed = !pr_condition(p->first, p->log, &text, at, &value);
  return value;
}

/* The condition does not matter, but may with other macros: -D can define its names, too. */
static void ask_all(struct preprocessor *p, const struct pr_tokens *line) {
  for (size_t i = 0; i < line->n; i++)
    if (pr_is_nameable(&line->items[i]) && strcmp(line->items[i].text, "defined") != 0)
      ask(p, name_of(p, &line->items[i]));
}

static void begin_condition(struct preprocessor *p, struct file *f, source_at at, bool value) {
  if (f->condition_count == PR_MAX_NESTING) {
    PR_FAIL(p, at, NULL, "conditions are nested more than %d deep", PR_MAX_NESTING);
    return;
  }
  f->conditions[f->condition_count].at = at;
  f->conditions[f->condition_count].now = f->conditions[f->condition_count].taken = value;
  f->conditions[f->condition_count++].had_else = false;
}

static bool named(struct preprocessor *p, const struct pr_tokens *line, source_at at, size_t *id) {
  if (line->n && pr_is_nameable(&line->items[0])) {
    *id = name_of(p, &line->items[0]);
    return true;
  }
  PR_FAIL(p, at, NULL, "a name is missing");
  return false;
}

/* True: the directive is one of conditions. */
static bool condition_directive(struct preprocessor *p, struct file *f, const char *word, const struct pr_tokens *line,
                                source_at at) {
  const bool reads = is_read(f);
  const bool negated = strcmp(word, "ifndef") == 0;
  size_t id;
  if (strcmp(word, "if") == 0) {
    if (!reads)
      ask_all(p, line);
    begin_condition(p, f, at, !reads || holds(p, line, at));
    return true;
  }
  if (strcmp(word, "ifdef") == 0 || negated) {
    if (named(p, line, at, &id)) {
      ask(p, id);
      begin_condition(p, f, at, p->macros[id].defined != negated);
    }
    return true;
  }
  const bool is_elif = strcmp(word, "elif") == 0, is_else = strcmp(word, "else") == 0;
  if (!is_elif && !is_else && strcmp(word, "endif") != 0)
    return false;
  if (!f->condition_count) {
    PR_FAIL(p, at, NULL, "#%s without #if", word);
    return true;
  }
  const unsigned last = f->condition_count - 1;
  if (!is_elif && !is_else) {
    f->condition_count--;
    return true;
  }
  if (f->conditions[last].had_else)
    PR_FAIL(p, at, NULL, "#%s behind #else", word);
  f->conditions[last].had_else = is_else;
  const bool matters = is_elif && !f->conditions[last].taken && hold(f, last);
  if (is_elif && !matters)
    ask_all(p, line);
  f->conditions[last].now = !f->conditions[last].taken && (is_else || (matters && holds(p, line, at)));
  f->conditions[last].taken |= f->conditions[last].now;
  return true;
}

/* ---- inlines ------------------------------------------------------------------------------------- */

/* in[*i] is `inline`; *i is then behind its text. */
static void define_inline(struct preprocessor *p, const struct pr_tokens *in, size_t *i) {
  const source_at at = in->items[*i].begin;
  size_t k = *i + 1;
  if (k + 1 >= in->n || !pr_is_nameable(&in->items[k]) || in->items[k + 1].kind != PR_OPEN) {
    PR_FAIL(p, at, "inline NAME(PARAMETER, ...) { STATEMENTS }", "'inline' needs a name and parameters");
    return;
  }
  const size_t id = name_of(p, &in->items[k]);
  struct macro m = {.name = p->names.names[id],
                    .defined = true,
                    .with_parameters = true,
                    .is_inline = true,
                    .constant = p->macros[id].constant,
                    .asked = p->macros[id].asked};
  for (k += 2; k < in->n && pr_is_nameable(&in->items[k]) && m.parameter_count < MAX_PARAMETERS; k++) {
    m.parameters[m.parameter_count++] = name_of(p, &in->items[k]);
    if (k + 1 < in->n && in->items[k + 1].kind == PR_COMMA)
      k++;
  }
  if (k + 1 >= in->n || in->items[k].kind != PR_CLOSE || in->items[k + 1].kind != PR_OPEN_BLOCK) {
    PR_FAIL(p, at, "inline NAME(PARAMETER, ...) { STATEMENTS }; at most 32 parameters", "'inline %s' is not complete",
            m.name);
    return;
  }
  k += 2;
  const size_t first = k;
  for (unsigned depth = 1; k < in->n; k++) {
    depth += in->items[k].kind == PR_OPEN_BLOCK;
    depth -= in->items[k].kind == PR_CLOSE_BLOCK;
    if (!depth)
      break;
  }
  if (k >= in->n) {
    PR_FAIL(p, at, NULL, "the inline has no closing brace");
    return;
  }
  m.body = in->items + first;
  m.n = k - first;
  if (!p->macros[id].given)
    p->macros[id] = m;
  p->text->overridden |= p->macros[id].given;
  *i = k + 1;
}

/* Spin reads inlines behind the preprocessor: macros in their texts are those of the place of the definition, and
   parameters also stand for names that macros made. */
static void expand_inlines(struct preprocessor *p, const struct pr_tokens *in, struct pr_tokens *out) {
  for (size_t id = 0; id < p->names.count && id < p->macro_cap; id++)
    p->macros[id].defined = p->macros[id].given;
  for (size_t i = 0; i < in->n && !p->failed;)
    if (in->items[i].kind == PR_W_INLINE)
      define_inline(p, in, &i);
    else if (!expand_call(p, in, &i, NOWHERE, out))
      push(p, out, in->items[i++]);
}

/* ---- files --------------------------------------------------------------------------------------- */

/* -D is stronger than the inline of this name. */
static bool names_given_inline(struct preprocessor *p, const struct pr_tokens *in, size_t i) {
  return i && in->items[i - 1].kind == PR_W_INLINE && pr_is_nameable(&in->items[i]) &&
         p->macros[name_of(p, &in->items[i])].given;
}

/* The text before a directive, or before the end of the file. */
static void flush(struct preprocessor *p, struct file *f, struct pr_tokens *out) {
  const struct pr_tokens *in = &f->text;
  for (size_t i = 0; i < in->n && !p->failed;)
    if (names_given_inline(p, in, i) || !expand_call(p, in, &i, NOWHERE, out))
      push(p, out, in->items[i++]);
  f->text = (struct pr_tokens){0};
}

static void include(struct preprocessor *p, const struct pr_tokens *line, source_at at, struct pr_tokens *out);

static void directive(struct preprocessor *p, struct file *f, source_at at, struct pr_tokens *out) {
  struct pr_tokens line = read_line(p, f);
  if (!line.n || p->failed || line.items[0].kind == PR_NUMBER) /* # 12 "file" */
    return;
  const char *word = line.items[0].text;
  line.items++;
  line.n--;
  if (condition_directive(p, f, word, &line, at) || !is_read(f))
    return;
  size_t id;
  if (strcmp(word, "define") == 0)
    define(p, &line, at);
  else if (strcmp(word, "undef") == 0) {
    if (named(p, &line, at, &id)) {
      p->macros[id].defined = p->macros[id].given; /* -D is stronger */
      p->text->overridden |= p->macros[id].given;
    }
  } else if (strcmp(word, "include") == 0)
    include(p, &line, at, out);
  else if (strcmp(word, "error") == 0)
    PR_FAIL(p, at, NULL, "#error %s", text_of(p, &line, at, ""));
  else if (strcmp(word, "pragma") != 0 && strcmp(word, "warning") != 0)
    PR_FAIL(p, at, "floe reads #define, #undef, #include, #if, #ifdef, #ifndef, #elif, #else, #endif",
            "unknown directive '#%s'", word);
}

static void read_file(struct preprocessor *p, const struct source *source, struct pr_tokens *out) {
  struct file *f = arena_alloc(p->arena, sizeof *f);
  *f = (struct file){.source = source, .next = source->base};
  while (!p->failed) {
    const struct pr_token t = lex(p, source, f->next);
    f->next = t.end;
    if (t.kind == PR_END)
      break;
    if (t.kind == PR_HASH && t.new_line) {
      flush(p, f, out);
      directive(p, f, t.begin, out);
    } else if (is_read(f))
      push(p, &f->text, t);
  }
  flush(p, f, out);
  if (!p->failed && f->condition_count)
    PR_FAIL(p, f->conditions[f->condition_count - 1].at, NULL, "the condition has no #endif");
}

static void include(struct preprocessor *p, const struct pr_tokens *line, source_at at, struct pr_tokens *out) {
  const struct source *source;
  if (line->n != 1 || line->items[0].kind != PR_STRING) {
    PR_FAIL(p, at, "#include \"file\"", "#include needs the name of a file in quotation marks");
    return;
  }
  const char *name = line->items[0].text;
  if (p->includer->attach(p->includer, arena_copy(p->arena, name + 1, strlen(name) - 2), at, &source) != FLOE_OK) {
    p->failed = true;
    return;
  }
  *ARENA_PUSH(p->arena, p->text->included, p->text->included_count, p->text->included_cap) =
      (struct pr_included){at, source};
  read_file(p, source, out); /* the includer limits depth and number of files */
}

static void define_given(struct preprocessor *p, const struct pr_given *given) {
  const size_t id = name_of(p, &(struct pr_token){.text = given->name});
  struct pr_token *number = arena_alloc(p->arena, sizeof *number);
  *number = (struct pr_token){.kind = PR_NUMBER,
                              .begin = p->first->base,
                              .end = p->first->base,
                              .value = given->value,
                              .text = arena_printf(p->arena, "%lld", (long long)given->value)};
  p->macros[id] = (struct macro){.name = p->names.names[id], .defined = true, .given = true, .body = number, .n = 1};
}

static bool is_asked(const struct preprocessor *p, uint32_t constant) {
  return p->macros[name_table_find(&p->names, p->text->constants.names[constant - 1])].asked;
}

floe_status pr_preprocess(const struct source *source, struct includer *includer, const struct pr_givens *givens,
                          struct arena *arena, floe_log *log, struct pr_text *out) {
  struct preprocessor p = {.arena = arena, .log = log, .first = source, .includer = includer, .text = out};
  struct pr_tokens read = {0}, *tokens = &out->tokens;
  for (size_t i = 0; i < givens->n; i++)
    define_given(&p, &givens->items[i]);
  read_file(&p, source, &read);
  expand_inlines(&p, &read, tokens);
  if (p.failed)
    return FLOE_ERROR_MODEL;
  for (size_t i = 0; i < tokens->n; i++)
    if (tokens->items[i].macro && is_asked(&p, tokens->items[i].macro))
      tokens->items[i].macro = 0;
  const source_at end = source->base + (source_at)source->length;
  *ARENA_PUSH(arena, tokens->items, tokens->n, tokens->cap) =
      (struct pr_token){.kind = PR_END, .begin = end, .end = end, .text = ""};
  return FLOE_OK;
}
