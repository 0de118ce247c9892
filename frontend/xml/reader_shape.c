#include "frontend/xml/reader_shape.h"

#include "core/similar_names.h"
#include "frontend/parse/lexer.h"
#include "frontend/parse/other_language_hints.h"

#include <string.h>

/* ---- table generated from the schema ---------------------------------------------------------- */

enum form {
  FORM_TEXT,
  FORM_EXPRESSION,
  FORM_RANGE,
  FORM_IDENTIFIER,
  FORM_TITLE,
  FORM_LOCATIONS,
  FORM_COUNT,
  FORM_BOOLEAN,
  FORM_TYPE,
  FORM_KIND,
  FORM_FAIR,
  FORM_OUTCOME
};

#define ELEMENT(name, text) ELEMENT_##name,
enum element_kind {
#include "frontend/schema.def"
  KINDS
};

static const struct {
  const char *name;
  bool text;
} elements[] = {
#define ELEMENT(name, text) {#name, text},
#include "frontend/schema.def"
};

static const struct attribute_rule {
  enum element_kind element;
  const char *name;
  bool required;
  enum form form;
} attributes[] = {
#define ATTRIBUTE(element, name, required, form) {ELEMENT_##element, #name, required, FORM_##form},
#include "frontend/schema.def"
};

static const struct child_rule {
  enum element_kind element, child;
  unsigned least, most;
} children[] = {
#define CHILD(element, child, least, most) {ELEMENT_##element, ELEMENT_##child, least, most},
#include "frontend/schema.def"
};

static const struct either_rule {
  enum element_kind element;
  bool required;
  const char *parts[4]; /* NULL after the last */
} eithers[] = {
#define EITHER(element, required, ...) {ELEMENT_##element, required, {__VA_ARGS__}},
#include "frontend/schema.def"
};

/* Values of the words. A word of the schema that is missing here is a compile error. */
enum {
  BOOLEAN_false = false,
  BOOLEAN_true = true,
  KIND_invariant = FLOE_INVARIANT,
  KIND_never = FLOE_NEVER,
  KIND_reachable = FLOE_REACHABLE,
  KIND_ltl = FLOE_LTL,
  KIND_recoverable = FLOE_RECOVERABLE,
  KIND_eventually = SYNTAX_KIND_EVENTUALLY,
  KIND_leadsto = SYNTAX_KIND_LEADSTO,
  FAIR_weak = FAIR_WEAK,
  FAIR_strong = FAIR_STRONG,
  OUTCOME_holds = FLOE_HOLDS,
  OUTCOME_violated = FLOE_VIOLATED,
  OUTCOME_reachable = FLOE_IS_REACHABLE,
  OUTCOME_unreachable = FLOE_UNREACHABLE,
  OUTCOME_undecided = FLOE_UNDECIDED
};

static const struct word {
  enum form form;
  const char *text;
  int value;
} words[] = {
#define WORD(form, word) {FORM_##form, #word, form##_##word},
#include "frontend/schema.def"
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define LONGEST_LIST 1000

/* KINDS: unknown element. */
static enum element_kind kind_of(const char *name) {
  for (size_t i = 0; i < COUNT(elements); i++)
    if (!strcmp(elements[i].name, name))
      return (enum element_kind)i;
  return KINDS;
}

static const struct attribute_rule *attribute_rule(enum element_kind kind, const char *name) {
  for (size_t i = 0; i < COUNT(attributes); i++)
    if (attributes[i].element == kind && !strcmp(attributes[i].name, name))
      return &attributes[i];
  return NULL;
}

static const struct child_rule *child_rule(enum element_kind kind, enum element_kind child) {
  for (size_t i = 0; i < COUNT(children); i++)
    if (children[i].element == kind && children[i].child == child)
      return &children[i];
  return NULL;
}

static const char *guess_of(const char *name, const char *const *names, size_t count) {
  const char *nearest = most_similar_name(name, names, count);
  return nearest ? nearest : other_language_part_hint(name, names, count);
}

static const char *did_you_mean(const struct reader *r, const char *name, const char *const *names, size_t count) {
  const char *guess = guess_of(name, names, count);
  return guess ? arena_printf(r->arena, "did you mean '%s'?", guess) : NULL;
}

/* Lists the allowed names, the most similar one first. */
static const char *allowed_here(const struct reader *r, const char *name, const char **names, size_t count) {
  char list[LONGEST_LIST];
  const char *guess = guess_of(name, names, count), *meant = did_you_mean(r, name, names, count);
  if (count == 0)
    return NULL;
  sort_by_similarity(guess ? guess : name, names, count);
  similar_names_list(list, sizeof list, names, count, COUNT(attributes));
  return arena_printf(r->arena, "%s%sallowed: %s", meant ? meant : "", meant ? " " : "", list);
}

/* ---- words ----------------------------------------------------------------------------------- */

static const struct word *find_word(enum form form, const char *text) {
  for (size_t i = 0; i < COUNT(words); i++)
    if (words[i].form == form && !strcmp(words[i].text, text))
      return &words[i];
  return NULL;
}

int shape_word(const struct xml_element *element, const char *attribute, int otherwise) {
  const struct located_text *value = reader_attribute(element, attribute);
  const struct attribute_rule *rule = attribute_rule(kind_of(element->name), attribute);
  const struct word *word = value && rule ? find_word(rule->form, value->text) : NULL;
  return word ? word->value : otherwise;
}

/* The words of a form; returns how many. */
static size_t form_words(enum form form, const char *out[COUNT(words)]) {
  size_t count = 0;
  for (size_t i = 0; i < COUNT(words); i++)
    if (words[i].form == form)
      out[count++] = words[i].text;
  return count;
}

/* "'a', 'b' or 'c'" */
static const char *list_words(struct arena *arena, const char *const *list, size_t count) {
  const char *text = "";
  for (size_t i = 0; i < count; i++)
    text = arena_printf(arena, "%s%s'%s'", text, i == 0 ? "" : i + 1 < count ? ", " : " or ", list[i]);
  return text;
}

/* ---- values of attributes -------------------------------------------------------------------- */

static void check_name(const struct reader *r, source_at at, const char *name) {
  if (is_reserved(name))
    diag_error(r->log, r->source, at, "choose another name", "'%s' is a reserved word", name);
  else if (!is_name(name))
    diag_error(r->log, r->source, at, "a name consists of a-z, A-Z, 0-9 and '_', and does not begin with a digit",
               "'%.60s' is not a name", name);
}

static void check_title(const struct reader *r, source_at at, const char *title) {
  static const char packets[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  size_t first = strspn(title, packets);
  size_t rest = strspn(title + first, ".-");
  for (size_t more = 1; first > 0 && more > 0; rest += more)
    more = strspn(title + first + rest, packets) + strspn(title + first + rest, ".-");
  if (first == 0 || title[first + rest] != '\0')
    diag_error(r->log, r->source, at, "allowed: a-z, A-Z, 0-9, '_', '.' and '-', without blanks",
               "'%.60s' cannot name a model or property", title);
}

static void check_locations(const struct reader *r, const struct located_text *value) {
  size_t names = 0, stars = 0, first = strspn(value->text, " ");
  for (size_t i = first; i < value->length; i += strspn(value->text + i, " "), names++) {
    size_t length = strcspn(value->text + i, " ");
    const char *name = arena_copy(r->arena, value->text + i, length);
    bool star = !strcmp(name, "*");
    stars += star;
    if (strchr(name, ','))
      diag_error(r->log, r->source, value->at[i], "blanks separate locations, commas do not",
                 "'%.60s' is no name of a location", name);
    else if (!star)
      check_name(r, value->at[i], name);
    i += length;
  }
  if (names == 0)
    diag_error(r->log, r->source, value->at[0], "write '*' for all locations", "'from' names no location");
  else if (stars > 0 && names > 1)
    diag_error(r->log, r->source, value->at[first], NULL, "'*' means all locations and must stand alone");
}

static void check_number(const struct reader *r, const struct located_text *value) {
  struct token token = lex(value, 0);
  if (token.kind != TOKEN_NUMBER || token.begin != 0 || token.end != value->length)
    diag_error(r->log, r->source, value->at[0], NULL, "'%.60s' is not a number from 0 to 9223372036854775807",
               value->text);
}

static void check_word(const struct reader *r, const struct xml_attribute *attribute, enum form form) {
  const char *word = attribute->value.text, *list[COUNT(words)];
  size_t count = form_words(form, list);
  const char *hint = form == FORM_KIND ? temporal_kind_hint(word) : NULL;
  if (!find_word(form, word))
    diag_error(r->log, r->source, attribute->value.at[0], hint ? hint : did_you_mean(r, word, list, count),
               "'%s' is %s, not '%.60s'", attribute->name, list_words(r->arena, list, count), word);
}

static void check_value(const struct reader *r, const struct xml_attribute *attribute, enum form form) {
  const struct located_text *value = &attribute->value;
  switch (form) {
  case FORM_TEXT:
  case FORM_EXPRESSION:
  case FORM_RANGE:
    return; /* its parser reports the error */
  case FORM_TYPE:
    if (strcmp(value->text, "bool") != 0)
      check_name(r, value->at[reader_index_of(value)], value->text + reader_index_of(value));
    return;
  case FORM_IDENTIFIER:
    check_name(r, value->at[0], value->text);
    return;
  case FORM_TITLE:
    check_title(r, value->at[0], value->text);
    return;
  case FORM_LOCATIONS:
    check_locations(r, value);
    return;
  case FORM_COUNT:
    check_number(r, value);
    return;
  case FORM_BOOLEAN:
  case FORM_KIND:
  case FORM_FAIR:
  case FORM_OUTCOME:
    check_word(r, attribute, form);
    return;
  }
}

/* ---- attributes and children ----------------------------------------------------------------- */

static void unknown_attribute(const struct reader *r, enum element_kind kind, const struct xml_attribute *attribute) {
  const char *names[COUNT(attributes)];
  size_t count = 0;
  for (size_t i = 0; i < COUNT(attributes); i++)
    if (attributes[i].element == kind)
      names[count++] = attributes[i].name;
  diag_error(r->log, r->source, attribute->at, allowed_here(r, attribute->name, names, count),
             "'%s' has no attribute '%.60s'", elements[kind].name, attribute->name);
}

/* An unknown attribute may be a misspelt required one: only one error is reported. */
static bool has_unknown_attribute(const struct xml_element *element, enum element_kind kind) {
  for (const struct xml_attribute *a = element->attributes; a; a = a->next)
    if (!attribute_rule(kind, a->name))
      return true;
  return false;
}

bool shape_is_unlike(const struct xml_element *element) {
  return has_unknown_attribute(element, kind_of(element->name));
}

static bool has_unknown_child(const struct xml_element *element, enum element_kind kind) {
  for (const struct xml_element *child = element->children; child; child = child->next)
    if (!child_rule(kind, kind_of(child->name)))
      return true;
  return false;
}

static void check_attributes(const struct reader *r, const struct xml_element *element, enum element_kind kind) {
  for (const struct xml_attribute *a = element->attributes; a; a = a->next) {
    const struct attribute_rule *rule = attribute_rule(kind, a->name);
    if (rule)
      check_value(r, a, rule->form);
    else
      unknown_attribute(r, kind, a);
  }
  for (size_t i = 0; i < COUNT(attributes) && !has_unknown_attribute(element, kind); i++)
    if (attributes[i].element == kind && attributes[i].required && !reader_attribute(element, attributes[i].name))
      diag_error(r->log, r->source, element->at, NULL, "'%s' needs the attribute '%s'", element->name,
                 attributes[i].name);
}

/* Hint: the parent of a known element, or a similar name. */
static const char *hint_for_child(const struct reader *r, enum element_kind kind, const char *name) {
  const char *names[COUNT(children)];
  size_t count = 0;
  enum element_kind known = kind_of(name);
  for (size_t i = 0; i < COUNT(children); i++) {
    if (children[i].child == known)
      return arena_printf(r->arena, "it belongs in '%s'", elements[children[i].element].name);
    if (children[i].element == kind)
      names[count++] = elements[children[i].child].name;
  }
  return allowed_here(r, name, names, count);
}

static void check_child(const struct reader *r, const struct xml_element *element, enum element_kind kind,
                        const struct xml_element *child, unsigned counts[KINDS]) {
  enum element_kind child_kind = kind_of(child->name);
  const struct child_rule *rule = child_rule(kind, child_kind);
  if (!rule) {
    diag_error(r->log, r->source, child->at, hint_for_child(r, kind, child->name), "'%s' has no element '%.60s'",
               element->name, child->name);
    return;
  }
  if (++counts[child_kind] == rule->most + 1 && rule->most > 0)
    diag_error(r->log, r->source, child->at, NULL, "'%s' has more than one '%s'", element->name, child->name);
  if (reader_attribute(element, child->name))
    diag_error(r->log, r->source, child->at, "keep one of the two", "'%s' is already given as an attribute",
               child->name);
}

static void check_text(const struct reader *r, const struct xml_element *element) {
  size_t i = strspn(element->text.text, " \t\r\n");
  if (i < element->text.length)
    diag_error(r->log, r->source, element->text.at[i], NULL, "'%s' holds no text", element->name);
}

static const char *both_hint(const char *first, const char *second) {
  const bool message = strcmp(first, "send") == 0 && strcmp(second, "receive") == 0;
  return message ? "use a committed location between" : NULL;
}

static void check_either(const struct reader *r, const struct xml_element *element, const struct either_rule *rule) {
  const char *found = NULL, *list[COUNT(rule->parts)];
  size_t count = 0;
  for (; count < COUNT(rule->parts) && rule->parts[count]; count++) {
    list[count] = rule->parts[count];
    if (!reader_part(element, list[count]))
      continue;
    if (found)
      diag_error(r->log, r->source, element->at, both_hint(found, list[count]), "'%s' has both '%s' and '%s'",
                 element->name, found, list[count]);
    found = list[count];
  }
  if (!found && rule->required && !has_unknown_attribute(element, rule->element))
    diag_error(r->log, r->source, element->at, NULL, "'%s' needs %s", element->name, list_words(r->arena, list, count));
}

/* The root element of a file must be of this kind. */
static void check_root(const struct reader *r, const struct xml_element *root, enum element_kind kind);

static void check_element(const struct reader *r, const struct xml_element *element, enum element_kind kind) {
  unsigned counts[KINDS] = {0};
  check_attributes(r, element, kind);
  if (!elements[kind].text)
    check_text(r, element);
  for (const struct xml_element *child = element->children; child; child = child->next) {
    check_child(r, element, kind, child, counts);
    if (child_rule(kind, kind_of(child->name)))
      check_element(r, child, kind_of(child->name));
  }
  for (size_t i = 0; i < COUNT(children) && !has_unknown_child(element, kind); i++)
    if (children[i].element == kind && counts[children[i].child] < children[i].least)
      diag_error(r->log, r->source, element->at, NULL, "'%s' needs at least one '%s'", element->name,
                 elements[children[i].child].name);
  for (size_t i = 0; i < COUNT(eithers); i++)
    if (eithers[i].element == kind)
      check_either(r, element, &eithers[i]);
  if (element->included)
    check_root(r, element->included, ELEMENT_fragment);
}

static const char *root_hint(const struct reader *r, const char *name, const char *expected) {
  if (!strcmp(name, elements[ELEMENT_fragment].name))
    return "a fragment is a part of a model: name the model that includes it";
  if (!strcmp(name, elements[ELEMENT_model].name))
    return "an included file holds parts of a model in the element 'fragment'";
  return did_you_mean(r, name, &expected, 1);
}

static void check_root(const struct reader *r, const struct xml_element *root, enum element_kind kind) {
  const char *name = elements[kind].name;
  if (!strcmp(root->name, name))
    check_element(r, root, kind);
  else
    diag_error(r->log, r->source, root->at, root_hint(r, root->name, name), "expected the element '%s', found '%.60s'",
               name, root->name);
}

/* Processes of included files count; a file with errors may have one. */
static bool has_process(const struct xml_element *root) {
  bool found = false;
  for (const struct xml_element *child = root->children; child && !found; child = child->next) {
    const enum element_kind kind = kind_of(child->name);
    found = kind == ELEMENT_process || (kind == ELEMENT_include && (!child->included || has_process(child->included)));
  }
  return found;
}

void shape_check(const struct reader *r, const struct xml_element *root) {
  check_root(r, root, ELEMENT_model);
  if (!strcmp(root->name, elements[ELEMENT_model].name) && !has_process(root) &&
      !has_unknown_child(root, ELEMENT_model))
    diag_error(r->log, r->source, root->at, NULL, "'%s' needs at least one '%s'", root->name,
               elements[ELEMENT_process].name);
}
