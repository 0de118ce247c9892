#include "random_machines.h"

#include "base/splitmix64.h"

#include <stdbool.h>
#include <stdio.h>

enum { MOST_MACHINES = 30, COUNTERS = 2 };

struct machines {
  FILE *out;
  uint64_t stream;
  unsigned count, sizes[MOST_MACHINES];
  unsigned arcs;
  bool grows; /* transitions may put a second token into a machine, which the file claims to have one */
};

static unsigned below(struct machines *m, unsigned n) { return (unsigned)(splitmix64_next(&m->stream) % n); }

static void arc(struct machines *m, unsigned t, const char *place, bool to_place, const char *kind) {
  if (to_place)
    fprintf(m->out, "<arc id='a%u' source='t%u' target='%s'%s/>\n", m->arcs++, t, place, kind);
  else
    fprintf(m->out, "<arc id='a%u' source='%s' target='t%u'%s/>\n", m->arcs++, place, t, kind);
}

static void machine_arc(struct machines *m, unsigned t, unsigned machine, unsigned place, bool to_place,
                        const char *kind) {
  char name[32];
  snprintf(name, sizeof name, "m%u_%u", machine, place);
  arc(m, t, name, to_place, kind);
}

/* Puts `more` tokens into the machine, or one with a test of another place. */
static void grow(struct machines *m, unsigned t, unsigned machine, unsigned more) {
  const unsigned size = m->sizes[machine], place = below(m, size);
  machine_arc(m, t, machine, place, true, "");
  if (more == 1)
    machine_arc(m, t, machine, (place + 1) % size, true, "");
  if (more == 2)
    machine_arc(m, t, machine, (place + 1) % size, false, " type='test'");
}

static void transition(struct machines *m, unsigned t) {
  const unsigned first = below(m, m->count), moves = 1 + below(m, 3);
  fprintf(m->out, "<transition id='t%u'/>\n", t);
  for (unsigned i = 0; i < moves && i < m->count; i++) {
    const unsigned machine = (first + i) % m->count;
    machine_arc(m, t, machine, below(m, m->sizes[machine]), false, "");
    if (t >= 2 || below(m, 2))
      machine_arc(m, t, machine, below(m, m->sizes[machine]), true, "");
  }
  const unsigned other = (first + moves) % m->count, place = below(m, m->sizes[other]), kind = below(m, 10);
  if (moves < m->count && kind < 3)
    machine_arc(m, t, other, place, false,
                kind == 0   ? " type='inhibitor'"
                : kind == 1 ? " type='test'"
                            : (t % 8 == 0 ? " type='reset'" : " type='inhibitor'"));
  if (m->grows && kind > 5)
    grow(m, t, kind == 6 ? first : other, kind - 7);
  if (kind == 9)
    arc(m, t, t % 2 ? "c0" : "c1", below(m, 2), "");
}

/* The machines as units of a NUPN: their sums are proved without elimination, or checked by each firing. */
static void units(struct machines *m) {
  fprintf(m->out, "<toolspecific tool='nupn' version='1.1'><structure safe='true'>");
  for (unsigned i = 0; i < m->count; i++) {
    fprintf(m->out, "<unit id='u%u'><places>", i);
    for (unsigned p = 0; p < m->sizes[i]; p++)
      fprintf(m->out, " m%u_%u", i, p);
    fprintf(m->out, "</places></unit>");
  }
  fprintf(m->out, "</structure></toolspecific>");
}

char *random_machines_text(uint64_t seed, size_t *length) {
  struct machines m = {.stream = seed};
  char *text;
  m.out = open_memstream(&text, length);
  m.grows = seed % 6 == 0;
  m.count = 2 + below(&m, seed % 3 ? 4 : MOST_MACHINES - 1);
  fprintf(m.out, "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'><page id='g'>\n");
  for (unsigned i = 0; i < m.count; i++) {
    m.sizes[i] = 2 + below(&m, seed % 3 ? 4 : 20);
    const unsigned marked = below(&m, m.sizes[i]);
    for (unsigned p = 0; p < m.sizes[i]; p++)
      fprintf(m.out, "<place id='m%u_%u'><initialMarking><text>%d</text></initialMarking></place>\n", i, p,
              p == marked);
  }
  for (unsigned i = 0; i < COUNTERS; i++)
    fprintf(m.out, "<place id='c%u'/>\n", i);
  for (unsigned t = 0, n = m.count * (seed % 3 ? 6 : 12); t < n; t++)
    transition(&m, t);
  fprintf(m.out, "</page>");
  if (seed % 3 == 0)
    units(&m);
  fprintf(m.out, "</net></pnml>\n");
  fclose(m.out);
  return text;
}
