#include "logic/hoa.h"

static void write_quoted(const char *text, FILE *file) {
  fputc('"', file);
  for (; *text; text++)
    fprintf(file, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  fputc('"', file);
}

static void write_acceptance(uint32_t sets, FILE *file) {
  if (sets == 0)
    fputs("acc-name: all\nAcceptance: 0 t\n", file);
  else if (sets == 1)
    fputs("acc-name: Buchi\nAcceptance: 1 Inf(0)\n", file);
  else {
    fprintf(file, "acc-name: generalized-Buchi %u\nAcceptance: %u ", sets, sets);
    for (uint32_t i = 0; i < sets; i++)
      fprintf(file, i > 0 ? "&Inf(%u)" : "Inf(%u)", i);
    fputc('\n', file);
  }
}

static void write_cube(struct cube cube, FILE *file) {
  const char *separator = "";
  if (cube.positive == 0 && cube.negative == 0)
    fputc('t', file);
  for (uint32_t atom = 0; atom < LOGIC_MAX_ATOMS; atom++)
    if ((cube.positive | cube.negative) >> atom & 1) {
      fprintf(file, "%s%s%u", separator, cube.negative >> atom & 1 ? "!" : "", atom);
      separator = "&";
    }
}

static void write_edge(const struct automaton_edge *edge, uint32_t sets, FILE *file) {
  fputs("  [", file);
  for (size_t i = 0; i < edge->cube_count; i++) {
    fputs(i > 0 ? " | " : "", file);
    write_cube(edge->cubes[i], file);
  }
  fprintf(file, "] %u", edge->to);
  const char *separator = " {";
  for (uint32_t i = 0; i < sets; i++)
    if (edge->accepting >> i & 1) {
      fprintf(file, "%s%u", separator, i);
      separator = " ";
    }
  fputs(edge->accepting ? "}\n" : "\n", file);
}

floe_status hoa_write(const struct hoa *hoa, FILE *file) {
  const struct automaton *automaton = hoa->automaton;
  fputs("HOA: v1\n", file);
  if (hoa->name[0] != '\0') {
    fputs("name: ", file);
    write_quoted(hoa->name, file);
    fputc('\n', file);
  }
  fprintf(file, "States: %u\nStart: %u\nAP: %u", automaton->states, automaton->initial, hoa->atom_count);
  for (uint32_t i = 0; i < hoa->atom_count; i++) {
    fputc(' ', file);
    write_quoted(hoa->atoms[i], file);
  }
  fputc('\n', file);
  write_acceptance(automaton->sets, file);
  fputs("properties: trans-labels explicit-labels trans-acc\n--BODY--\n", file);
  for (uint32_t state = 0; state < automaton->states; state++) {
    fprintf(file, "State: %u\n", state);
    for (size_t i = automaton->first[state]; i < automaton->first[state + 1]; i++)
      write_edge(&automaton->edges[i], automaton->sets, file);
  }
  fputs("--END--\n", file);
  return ferror(file) ? FLOE_ERROR_IO : FLOE_OK;
}
