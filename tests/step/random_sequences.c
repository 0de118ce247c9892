#include "tests/step/random_sequences.h"

#include "base/splitmix64.h"

#include <stdio.h>

struct writing {
  FILE *out;
  uint64_t stream;
};

static unsigned below(struct writing *w, unsigned n) { return (unsigned)(splitmix64_next(&w->stream) % n); }

/* `selects`: with several choices. */
static void write_transition(struct writing *w, char process, bool selects) {
  static const char *const hold[] = {"", "", "", "", "", " hold", " hold", " hold first"};
  fprintf(w->out, "%c %c %c", process, "abcd"[below(w, 4)], "abcd"[below(w, 4)]);
  if (below(w, 4) == 0 && selects)
    fprintf(w->out, " for 0 %u", 1 + below(w, 2));
  if (below(w, 3) == 0)
    fprintf(w->out, " if %c %u", "xy"[below(w, 2)], below(w, 3));
  const unsigned kind = below(w, 12);
  if (kind == 0)
    fprintf(w->out, " send c %u", below(w, 3));
  else if (kind == 1)
    fprintf(w->out, " receive c %s", below(w, 2) ? "m" : "= 1");
  if (below(w, 3) > 0) /* x may be too large for y */
    fprintf(w->out, below(w, 12) == 0 ? " set y x" : " set %c %u", "xy"[below(w, 2)], below(w, 3));
  fprintf(w->out, "%s\n", hold[below(w, 8)]);
}

char *random_sequences_text(uint64_t seed, bool wide) {
  char *text;
  size_t length;
  struct writing w = {.out = open_memstream(&text, &length), .stream = seed};
  fprintf(w.out, "processes\ntransient\nvalue x 0 3\nvalue y 0 2\nchannel c 0 0 3\n");
  for (unsigned i = 0; wide && i < 9; i++)
    fprintf(w.out, "value wide%u 0 1000000000\n", i);
  fprintf(w.out, "process P %u a b c d\nprocess Q 1 a b c d\n", 1 + below(&w, 2));
  for (unsigned i = 0, n = 8 + below(&w, 9); i < n; i++)
    write_transition(&w, "PQ"[i % 2], seed % 2);
  fclose(w.out);
  return text;
}
