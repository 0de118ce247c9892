/* Automata as pictures for Graphviz. */
#include "logic/hoa.h"

static void write_escaped(const char *text, FILE *file) {
  for (; *text; text++)
    fprintf(file, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
}

static bool is_name(const char *text) {
  while ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || (*text >= '0' && *text <= '9') ||
         *text == '_' || *text == '.')
    text++;
  return *text == '\0';
}

/* The first bracket is closed by the last byte. */
static bool is_bracketed(const char *text) {
  size_t depth = 0;
  if (*text != '(')
    return false;
  do {
    depth += *text == '(';
    depth -= *text == ')';
    text++;
  } while (*text && depth > 0);
  return *text == '\0' && depth == 0;
}

static void write_literal(const char *atom, bool negated, FILE *file) {
  const bool bracketed = !is_name(atom) && !is_bracketed(atom);
  fputs(negated ? "not " : "", file);
  fputs(bracketed ? "(" : "", file);
  write_escaped(atom, file);
  fputs(bracketed ? ")" : "", file);
}

static void write_cube(const struct hoa *hoa, struct cube cube, FILE *file) {
  const char *separator = "";
  if (cube.positive == 0 && cube.negative == 0)
    fputs("true", file);
  for (uint32_t atom = 0; atom < hoa->atom_count; atom++)
    if ((cube.positive | cube.negative) >> atom & 1) {
      fputs(separator, file);
      write_literal(hoa->atoms[atom], cube.negative >> atom & 1, file);
      separator = " and ";
    }
}

/* One conjunction a line, then the acceptance sets. */
static void write_edge(const struct hoa *hoa, const struct automaton_edge *edge, FILE *file) {
  fprintf(file, "  %u -> %u [label=\"", edge->from, edge->to);
  for (size_t i = 0; i < edge->cube_count; i++) {
    fputs(i > 0 ? " or\\n" : "", file);
    write_cube(hoa, edge->cubes[i], file);
  }
  if (edge->accepting) {
    const char *separator = "\\n{";
    for (uint32_t set = 0; set < hoa->automaton->sets; set++)
      if (edge->accepting >> set & 1) {
        fprintf(file, "%s%u", separator, set);
        separator = " ";
      }
    fputs("}\", style=bold];\n", file);
  } else
    fputs("\"];\n", file);
}

floe_status hoa_write_dot(const struct hoa *hoa, FILE *file) {
  const struct automaton *automaton = hoa->automaton;
  fputs("digraph \"", file);
  write_escaped(hoa->name, file);
  fputs("\" {\n  rankdir=LR;\n  label=\"", file);
  write_escaped(hoa->name, file);
  if (automaton->sets == 0)
    fputs("\\neach infinite run accepts\";\n", file);
  else
    fprintf(file, "\\nan accepting run takes edges of %u set%s infinitely often\";\n", automaton->sets,
            automaton->sets == 1 ? "" : "s");
  fprintf(file, "  start [shape=point];\n  start -> %u;\n", automaton->initial);
  for (uint32_t state = 0; state < automaton->states; state++)
    fprintf(file, "  %u [shape=circle];\n", state);
  for (size_t i = 0; i < automaton->edge_count; i++)
    write_edge(hoa, &automaton->edges[i], file);
  fputs("}\n", file);
  return ferror(file) ? FLOE_ERROR_IO : FLOE_OK;
}
