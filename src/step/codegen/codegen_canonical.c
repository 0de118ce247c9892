#include "step/codegen/codegen_canonical.h"

#include "step/layout/canonical.h"

#include "src/step/kernel/canonical_h.h"

#include <inttypes.h>

#define LINE 16           /* numbers in a line */
#define MOST_UNROLLED 400 /* elements; more make long code */

static void begin(struct codegen *gen, const char *type, const char *name, size_t count) {
  codegen_line(gen, "FLOE_CONSTANT %s symmetry_%s[%zu] = {", type, name, count ? count : 1);
}

static void separate(struct codegen *gen, size_t i) { codegen_add(gen, i % LINE ? ", " : i ? ",\n  " : ""); }

static void end(struct codegen *gen, size_t count) { codegen_add(gen, "%s};", count ? "" : "0"); }

static void numbers(struct codegen *gen, const char *name, const uint32_t *items, size_t count) {
  begin(gen, "uint32_t", name, count);
  for (size_t i = 0; i < count; i++) {
    separate(gen, i);
    codegen_add(gen, "%" PRIu32, items[i]);
  }
  end(gen, count);
}

static void bytes(struct codegen *gen, const char *name, const unsigned char *items, size_t count) {
  begin(gen, "unsigned char", name, count);
  for (size_t i = 0; i < count; i++) {
    separate(gen, i);
    codegen_add(gen, "%u", items[i]);
  }
  end(gen, count);
}

static void words(struct codegen *gen, const char *name, const uint64_t *items, size_t count) {
  begin(gen, "uint64_t", name, count);
  for (size_t i = 0; i < count; i++) {
    separate(gen, i);
    codegen_add(gen, "0x%" PRIx64 "u", items[i]);
  }
  end(gen, count);
}

static void sizes(struct codegen *gen, const struct canonical_tables *t) {
  codegen_line(gen, "enum {");
  codegen_line(gen, "  symmetry_instances = %" PRIu32 ",", t->instances);
  codegen_line(gen, "  symmetry_sets = %" PRIu32 ",", t->sets);
  codegen_line(gen, "  symmetry_named_sets = %" PRIu32 ",", t->named_sets);
  codegen_line(gen, "  symmetry_words = %" PRIu32 ",", t->words);
  codegen_line(gen, "  symmetry_exact = %d,", t->exact);
  codegen_line(gen, "  symmetry_packed = %d,", t->packed);
  codegen_line(gen, "  symmetry_relation_bits = %" PRIu32 ",", t->relation_bits);
  codegen_line(gen, "  symmetry_refers = %d,", t->refers);
  codegen_line(gen, "  symmetry_elements = %" PRIu32, t->elements);
  codegen_line(gen, "};");
}

static void each_element(struct codegen *gen, uint32_t count) {
  codegen_line(gen, "#define FLOE_SYMMETRY_EACH(X)");
  if (count > MOST_UNROLLED) {
    codegen_add(gen, " for (uint32_t number = 0; number < symmetry_elements; number++) X(number)");
    return;
  }
  for (uint32_t e = 0; e < count; e++)
    codegen_add(gen, "%sX(%" PRIu32 ")", e % LINE ? " " : " \\\n  ", e);
}

static void each_instance(struct codegen *gen, uint32_t count) {
  codegen_line(gen, "#define FLOE_SYMMETRY_EACH_INSTANCE(X)");
  for (uint32_t i = 0; i < count; i++)
    codegen_add(gen, "%sX(%" PRIu32 ")", i % LINE ? " " : " \\\n  ", i);
}

static void pair(struct codegen *gen, uint32_t *count, uint32_t i, uint32_t j) {
  codegen_add(gen, "%sX(%" PRIu32 ",%" PRIu32 ")", (*count)++ % LINE ? " " : " \\\n  ", i, j);
}

/* Batcher's odd-even merge sort (Knuth, volume 3, algorithm 5.2.2M), of each set. */
static void each_exchange(struct codegen *gen, const struct canonical_tables *t) {
  uint32_t count = 0;
  codegen_line(gen, "#define FLOE_SYMMETRY_EACH_EXCHANGE(X)");
  for (uint32_t set = 0; set < t->named_sets; set++) {
    const uint32_t first = t->set_begin[set], n = t->set_begin[set + 1] - first;
    uint32_t top = 1;
    while (2 * top < n)
      top *= 2;
    for (uint32_t p = n > 1 ? top : 0; p > 0; p /= 2)
      for (uint32_t q = top, r = 0, d = p;; d = q - p, q /= 2, r = p) {
        for (uint32_t i = 0; i + d < n; i++)
          if ((i & p) == r)
            pair(gen, &count, first + i, first + i + d);
        if (q == p)
          break;
      }
  }
}

void codegen_canonical(struct codegen *gen) {
  const struct canonical_tables *t = gen->layout->canonical;
  codegen_line(gen, "\n/* Symmetric types: their values, and where the state refers to them */");
  sizes(gen, t);
  numbers(gen, "set_begin", t->set_begin, t->sets + 1);
  numbers(gen, "set_color", t->set_color, t->sets);
  numbers(gen, "instance_set", t->instance_set, t->instances);
  numbers(gen, "own_begin", t->own_begin, t->instances + 1);
  numbers(gen, "own", t->own, t->own_begin[t->instances]);
  numbers(gen, "own_stride", t->own_stride, t->own_begin[t->instances]);
  words(gen, "fixed", t->fixed, t->words);
  numbers(gen, "place", t->place, t->elements);
  numbers(gen, "base", t->base, t->elements);
  numbers(gen, "family", t->family, t->elements);
  numbers(gen, "sign_shift", t->sign_shift, t->elements);
  numbers(gen, "relation_shift", t->relation_shift, t->elements);
  bytes(gen, "instance", t->instance, (size_t)t->elements * CANONICAL_DIMENSIONS);
  numbers(gen, "width", t->width, t->families);
  numbers(gen, "dimensions", t->dimensions, t->families);
  numbers(gen, "stride", t->stride, (size_t)t->families * CANONICAL_DIMENSIONS);
  numbers(gen, "part_begin", t->part_begin, t->families + 1);
  numbers(gen, "origin", t->origin, t->families);
  numbers(gen, "per_word", t->per_word, t->families);
  numbers(gen, "bit_stride", t->bit_stride, t->families);
  numbers(gen, "words_of", t->words_of, t->families);
  numbers(gen, "part_value", t->part_value, t->parts);
  numbers(gen, "part_size", t->part_size, t->parts);
  numbers(gen, "part_instance", t->part_instance, t->parts);
  codegen_line(gen, "#define FLOE_SYMMETRY(name) symmetry_##name");
  codegen_line(gen, "#define FLOE_SYMMETRY_PARAMETER");
  codegen_line(gen, "#define FLOE_SYMMETRY_ARGUMENT");
  codegen_line(gen, "#define FLOE_SYMMETRY_INSTANCES symmetry_instances");
  codegen_line(gen, "#define FLOE_SYMMETRY_SETS symmetry_sets");
  codegen_line(gen, "#define FLOE_SYMMETRY_WORDS symmetry_words");
  codegen_line(gen, "#define FLOE_SYMMETRY_FUNCTION FLOE_DEVICE");
  codegen_line(gen, "#define FLOE_SYMMETRY_ENTRY FLOE_DEVICE_SPLIT");
  codegen_line(gen, "#define FLOE_SYMMETRY_INLINE %s",
               t->elements > MOST_UNROLLED ? "FLOE_DEVICE" : "FLOE_DEVICE_INLINE");
  each_element(gen, t->elements);
  each_instance(gen, t->set_begin[t->named_sets]);
  each_exchange(gen, t);
  codegen_line(gen, "%s", (const char *)canonical_h);
  codegen_line(gen, "#ifndef FLOE_CANONICAL /* before a successor is emitted */");
  codegen_line(gen, "#define FLOE_CANONICAL(t) floe_canonical((t).w)");
  codegen_line(gen, "#endif");
}
