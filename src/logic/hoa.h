/* The Hanoi Omega-Automata format, version 1 (Babiak et al., CAV 2015; adl.github.io/hoaf). */
#ifndef FLOE_LOGIC_HOA_H
#define FLOE_LOGIC_HOA_H

#include "core/diag.h"
#include "logic/automaton.h"

#include <stdio.h>

struct hoa {
  const char *name; /* ""; none */
  const struct automaton *automaton;
  const char *const *atoms; /* [atom_count] texts of the atomic propositions */
  const source_at *atom_at; /* [atom_count] position of the text */
  uint32_t atom_count;      /* at most LOGIC_MAX_ATOMS */
};

/* Reads the automaton of a text. Accepted: acceptance conditions that are `t` or conjunctions of Inf(i), on states or
   edges; labels on states or edges, implicit labels, aliases; several initial states. FLOE_ERROR_MODEL, logged with
   line and column: syntax errors, alternation, other acceptance conditions, several automata, too large an automaton.
   The guard of `arena` must be active; the result is in it. */
floe_status hoa_read(const struct source *source, struct arena *arena, floe_log *log, struct hoa *out);

/* The text of an atomic proposition with the position of each byte; `at`: hoa.atom_at. */
struct located_text hoa_atom_text(const struct source *source, const char *text, source_at at, struct arena *arena);

/* Writes the automaton, with acceptance on edges. FLOE_ERROR_IO: the stream has an error. */
floe_status hoa_write(const struct hoa *hoa, FILE *file);

/* The same as a picture in the language of Graphviz: edges with the acceptance sets that they are in. */
floe_status hoa_write_dot(const struct hoa *hoa, FILE *file);

#endif
