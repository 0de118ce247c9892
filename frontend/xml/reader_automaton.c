#include "frontend/xml/reader_automaton.h"

#include "frontend/parse/parse.h"
#include "frontend/xml/reader_shape.h"
#include "logic/hoa.h"

#include <string.h>

/* False after an error. */
static bool check_property(const struct reader *r, const struct xml_element *property,
                           const struct located_text *file) {
  const size_t begin = strspn(property->text.text, " \t\r\n");
  if (shape_word(property, "kind", FLOE_LTL) != FLOE_LTL) {
    diag_error(r->log, r->source, file->at[0], "write kind=\"ltl\"", "only a property of kind 'ltl' has an automaton");
    return false;
  }
  if (begin < property->text.length) {
    diag_error(r->log, r->source, property->text.at[begin], "keep one of the two",
               "the property has both an automaton and a formula");
    return false;
  }
  return true;
}

static struct syntax_expr *read_atom(const struct reader *r, const struct source *source, const struct hoa *hoa,
                                     uint32_t i) {
  const struct located_text text = hoa_atom_text(source, hoa->atoms[i], hoa->atom_at[i], r->arena);
  const struct parser_input input = reader_input(r, &text);
  return parse_temporal(&input, FLOE_LTL);
}

const struct syntax_automaton *read_automaton(const struct reader *r, const struct xml_element *property,
                                              const struct located_text *file) {
  const struct source *source;
  struct hoa hoa;
  if (!check_property(r, property, file) ||
      r->includer->attach(r->includer, file->text, file->at[0], &source) != FLOE_OK ||
      hoa_read(source, r->arena, r->log, &hoa) != FLOE_OK)
    return NULL;
  struct syntax_expr **atoms = arena_array(r->arena, hoa.atom_count, sizeof *atoms);
  for (uint32_t i = 0; i < hoa.atom_count; i++)
    atoms[i] = read_atom(r, source, &hoa, i);
  struct syntax_automaton *automaton = arena_alloc(r->arena, sizeof *automaton);
  *automaton = (struct syntax_automaton){source->name, hoa.automaton, atoms, hoa.atoms, hoa.atom_count};
  return automaton;
}
