/* Canonical form of a state of a symmetric model (model/symmetry/symmetry.h): the same state for all permutations of a
   state. Kernel C, for the interpreter and for generated code. The including text defines
     FLOE_SYMMETRY(name)      table `name` of struct canonical_tables (step/layout/canonical.h)
     FLOE_SYMMETRY_PARAMETER, FLOE_SYMMETRY_ARGUMENT   first parameter and argument of each function, with a comma
     FLOE_SYMMETRY_INSTANCES, FLOE_SYMMETRY_WORDS      bounds of the numbers of instances and words
     FLOE_SYMMETRY_FUNCTION, FLOE_SYMMETRY_INLINE, FLOE_SYMMETRY_ENTRY   of functions: small ones, those that are called
                              for each element, and the one to call
     FLOE_SYMMETRY_EACH(X)    X(e) for each element e: with constants, so that tables become constants in the code

   Each instance has a color, a number that depends on its part of the state and not on its number: instances that a
   permutation exchanges also exchange their colors. The instances of a set are sorted by color. Among the orders that
   this allows, the one with the least state gives the canonical form. Instances whose exchange does not change the
   state (twins) have one order. */
#define FLOE_SYMMETRY_NONE 0xffffffffu
#define FLOE_SYMMETRY_DIMENSIONS 4 /* of an array, whose indices are instances */

FLOE_SYMMETRY_INLINE uint64_t floe_symmetry_mix(uint64_t mix, uint64_t number) {
  mix = (mix ^ (number + 0x9e3779b97f4a7c15ull)) * 0xff51afd7ed558ccdull;
  return mix ^ mix >> 32;
}

/* The stored value of element e. */
FLOE_SYMMETRY_INLINE uint64_t floe_symmetry_get(FLOE_SYMMETRY_PARAMETER const uint64_t *words, uint32_t e) {
  const uint32_t place = FLOE_SYMMETRY(place)[e], width = FLOE_SYMMETRY(width)[FLOE_SYMMETRY(family)[e]];
  return words[place >> 6] >> (place & 63) & (((uint64_t)1 << width) - 1);
}

/* The part that the stored value is in, or FLOE_SYMMETRY_NONE. */
FLOE_SYMMETRY_INLINE uint32_t floe_symmetry_part(FLOE_SYMMETRY_PARAMETER uint32_t family, uint64_t value) {
  for (uint32_t p = FLOE_SYMMETRY(part_begin)[family]; p < FLOE_SYMMETRY(part_begin)[family + 1]; p++)
    if (value >= FLOE_SYMMETRY(part_value)[p] && value - FLOE_SYMMETRY(part_value)[p] < FLOE_SYMMETRY(part_size)[p])
      return p;
  return FLOE_SYMMETRY_NONE;
}

/* Adds element e of the state to the new colors of the instances that it belongs or refers to, with the colors of the
   others. Sums do not depend on the order of the elements. */
FLOE_SYMMETRY_INLINE void floe_symmetry_add(FLOE_SYMMETRY_PARAMETER uint32_t e, const uint64_t *words,
                                            const uint64_t *color, uint64_t *next) {
  const uint32_t family = FLOE_SYMMETRY(family)[e], dimensions = FLOE_SYMMETRY(dimensions)[family];
  const uint64_t value = floe_symmetry_get(FLOE_SYMMETRY_ARGUMENT words, e);
  const uint32_t part = floe_symmetry_part(FLOE_SYMMETRY_ARGUMENT family, value);
  uint64_t mix = floe_symmetry_mix(0, FLOE_SYMMETRY(base)[e]);
  uint32_t referred = FLOE_SYMMETRY_NONE;
  if (part != FLOE_SYMMETRY_NONE) {
    referred = FLOE_SYMMETRY(part_instance)[part] + (uint32_t)(value - FLOE_SYMMETRY(part_value)[part]);
    mix = floe_symmetry_mix(floe_symmetry_mix(mix, part), color[referred]);
  } else
    mix = floe_symmetry_mix(mix, ~value);
  for (uint32_t d = 0; d < dimensions; d++) {
    const uint32_t instance = FLOE_SYMMETRY(instance)[e * FLOE_SYMMETRY_DIMENSIONS + d];
    if (dimensions > 1 || part != FLOE_SYMMETRY_NONE)
      mix = floe_symmetry_mix(mix, color[instance] + (instance == referred));
    for (uint32_t other = 0; other < d; other++)
      mix += instance == FLOE_SYMMETRY(instance)[e * FLOE_SYMMETRY_DIMENSIONS + other];
  }
  for (uint32_t d = 0; d < dimensions; d++)
    next[FLOE_SYMMETRY(instance)[e * FLOE_SYMMETRY_DIMENSIONS + d]] += d ? floe_symmetry_mix(mix, d) : mix;
  if (referred != FLOE_SYMMETRY_NONE)
    next[referred] += floe_symmetry_mix(mix, FLOE_SYMMETRY_DIMENSIONS);
}

FLOE_SYMMETRY_ENTRY void floe_symmetry_refine(FLOE_SYMMETRY_PARAMETER const uint64_t *words, const uint64_t *color,
                                              uint64_t *next) {
  for (uint32_t i = 0; i < FLOE_SYMMETRY(instances); i++)
    next[i] = floe_symmetry_mix(color[i], 1);
#define FLOE_SYMMETRY_STEP(e) floe_symmetry_add(FLOE_SYMMETRY_ARGUMENT e, words, color, next);
  FLOE_SYMMETRY_EACH(FLOE_SYMMETRY_STEP)
#undef FLOE_SYMMETRY_STEP
}

/* The place of element e after its instances were moved. */
FLOE_SYMMETRY_INLINE uint32_t floe_symmetry_target(FLOE_SYMMETRY_PARAMETER uint32_t e, const uint32_t *position) {
  const uint32_t family = FLOE_SYMMETRY(family)[e];
  uint32_t target = FLOE_SYMMETRY(base)[e];
  for (uint32_t d = 0; d < FLOE_SYMMETRY(dimensions)[family]; d++)
    target += FLOE_SYMMETRY(stride)[family * FLOE_SYMMETRY_DIMENSIONS + d] *
              position[FLOE_SYMMETRY(instance)[e * FLOE_SYMMETRY_DIMENSIONS + d]];
  return FLOE_SYMMETRY(place)[target];
}

/* Its value there. */
FLOE_SYMMETRY_INLINE uint64_t floe_symmetry_value(FLOE_SYMMETRY_PARAMETER uint32_t e, const uint64_t *words,
                                                  const uint32_t *position) {
  const uint64_t value = floe_symmetry_get(FLOE_SYMMETRY_ARGUMENT words, e);
  const uint32_t part = floe_symmetry_part(FLOE_SYMMETRY_ARGUMENT FLOE_SYMMETRY(family)[e], value);
  if (part == FLOE_SYMMETRY_NONE)
    return value;
  return FLOE_SYMMETRY(part_value)[part] +
         position[FLOE_SYMMETRY(part_instance)[part] + (uint32_t)(value - FLOE_SYMMETRY(part_value)[part])];
}

FLOE_SYMMETRY_INLINE void floe_symmetry_put(FLOE_SYMMETRY_PARAMETER uint32_t e, const uint64_t *words,
                                            const uint32_t *position, uint64_t *out) {
  const uint32_t place = floe_symmetry_target(FLOE_SYMMETRY_ARGUMENT e, position);
  out[place >> 6] |= floe_symmetry_value(FLOE_SYMMETRY_ARGUMENT e, words, position) << (place & 63);
}

/* out = the state in which instance i has the number position[i] in its set. */
FLOE_SYMMETRY_ENTRY void floe_symmetry_move(FLOE_SYMMETRY_PARAMETER const uint64_t *words, const uint32_t *position,
                                            uint64_t *out) {
  for (uint32_t w = 0; w < FLOE_SYMMETRY(words); w++)
    out[w] = words[w] & FLOE_SYMMETRY(fixed)[w];
#define FLOE_SYMMETRY_STEP(e) floe_symmetry_put(FLOE_SYMMETRY_ARGUMENT e, words, position, out);
  FLOE_SYMMETRY_EACH(FLOE_SYMMETRY_STEP)
#undef FLOE_SYMMETRY_STEP
}

/* -1, 0, 1: a is less, equal, greater. */
FLOE_SYMMETRY_FUNCTION int floe_symmetry_compare(FLOE_SYMMETRY_PARAMETER const uint64_t *a, const uint64_t *b) {
  for (uint32_t w = 0; w < FLOE_SYMMETRY(words); w++)
    if (a[w] != b[w])
      return a[w] < b[w] ? -1 : 1;
  return 0;
}

/* Sorts the instances of the sets begin..end - 1 by color. Returns how many pairs of set and color there are. */
FLOE_SYMMETRY_FUNCTION uint32_t floe_symmetry_sort(FLOE_SYMMETRY_PARAMETER uint32_t begin, uint32_t end,
                                                   const uint64_t *color, uint32_t *order) {
  uint32_t colors = 0;
  for (uint32_t set = begin; set < end; set++) {
    const uint32_t first = FLOE_SYMMETRY(set_begin)[set], last = FLOE_SYMMETRY(set_begin)[set + 1];
    for (uint32_t i = first; i < last; i++) {
      uint32_t k = i;
      for (; k > first && color[order[k - 1]] > color[i]; k--)
        order[k] = order[k - 1];
      order[k] = i;
    }
    for (uint32_t i = first; i < last; i++)
      colors += i == first || color[order[i]] != color[order[i - 1]];
  }
  return colors;
}

/* The elements of both instances of a set without names are equal. */
FLOE_SYMMETRY_FUNCTION bool floe_symmetry_equal(FLOE_SYMMETRY_PARAMETER const uint64_t *words, uint32_t a, uint32_t b) {
  for (uint32_t i = FLOE_SYMMETRY(own_begin)[a]; i < FLOE_SYMMETRY(own_begin)[a + 1]; i++) {
    const uint32_t e = FLOE_SYMMETRY(own)[i], other = e + FLOE_SYMMETRY(own_stride)[i] * (b - a);
    if (floe_symmetry_get(FLOE_SYMMETRY_ARGUMENT words, e) != floe_symmetry_get(FLOE_SYMMETRY_ARGUMENT words, other))
      return false;
  }
  return true;
}

/* Exchanging the two instances of a set does not change the state. */
FLOE_SYMMETRY_FUNCTION bool floe_symmetry_twins(FLOE_SYMMETRY_PARAMETER const uint64_t *words, uint32_t a, uint32_t b,
                                                uint32_t *position, uint64_t *out) {
  if (a >= FLOE_SYMMETRY(set_begin)[FLOE_SYMMETRY(named_sets)])
    return floe_symmetry_equal(FLOE_SYMMETRY_ARGUMENT words, a, b);
  for (uint32_t set = 0; set < FLOE_SYMMETRY(sets); set++)
    for (uint32_t i = FLOE_SYMMETRY(set_begin)[set]; i < FLOE_SYMMETRY(set_begin)[set + 1]; i++)
      position[i] = (i == a ? b : i == b ? a : i) - FLOE_SYMMETRY(set_begin)[set];
  floe_symmetry_move(FLOE_SYMMETRY_ARGUMENT words, position, out);
  return floe_symmetry_compare(FLOE_SYMMETRY_ARGUMENT words, out) == 0;
}

/* label[i]: instances of a set and color have the same label if they are twins. Of each color, `order` is sorted by
   label. True: some color of the sets begin..end - 1 has several labels. */
FLOE_SYMMETRY_FUNCTION bool floe_symmetry_label(FLOE_SYMMETRY_PARAMETER uint32_t begin, uint32_t end,
                                                const uint64_t *words, const uint64_t *color, uint32_t *order,
                                                uint32_t *label, uint32_t *position, uint64_t *out) {
  bool several = false;
  for (uint32_t set = begin; set < end; set++) {
    uint32_t first = FLOE_SYMMETRY(set_begin)[set];
    for (uint32_t k = first; k < FLOE_SYMMETRY(set_begin)[set + 1]; k++) {
      const uint32_t instance = order[k];
      if (color[order[first]] != color[instance])
        first = k;
      label[instance] = k;
      for (uint32_t other = first; other < k && label[instance] == k; other++)
        if ((other == first || label[order[other]] != label[order[other - 1]]) &&
            floe_symmetry_twins(FLOE_SYMMETRY_ARGUMENT words, order[other], instance, position, out))
          label[instance] = label[order[other]];
      uint32_t place = k;
      for (; place > first && label[order[place - 1]] > label[instance]; place--)
        order[place] = order[place - 1];
      order[place] = instance;
      several = several || label[order[first]] != label[order[k]];
    }
  }
  return several;
}

/* The next order of the instances order[first..end), which have one color, by their labels. False: it was the last one;
   they are sorted again. */
FLOE_SYMMETRY_FUNCTION bool floe_symmetry_advance(const uint32_t *label, uint32_t *order, uint32_t first,
                                                  uint32_t end) {
  uint32_t i = end - 1;
  while (i > first && label[order[i - 1]] >= label[order[i]])
    i--;
  const bool more = i > first;
  if (more) {
    uint32_t k = end - 1;
    while (label[order[k]] <= label[order[i - 1]])
      k--;
    const uint32_t instance = order[k];
    order[k] = order[i - 1];
    order[i - 1] = instance;
  }
  for (uint32_t k = end - 1; i < k; i++, k--) {
    const uint32_t instance = order[k];
    order[k] = order[i];
    order[i] = instance;
  }
  return more;
}

/* The next order of the instances of the sets begin..end - 1, as an odometer. False: it was the last one. */
FLOE_SYMMETRY_FUNCTION bool floe_symmetry_next(FLOE_SYMMETRY_PARAMETER uint32_t begin, uint32_t end,
                                               const uint64_t *color, const uint32_t *label, uint32_t *order) {
  for (uint32_t set = begin; set < end; set++) {
    const uint32_t set_end = FLOE_SYMMETRY(set_begin)[set + 1];
    for (uint32_t first = FLOE_SYMMETRY(set_begin)[set], last; first < set_end; first = last) {
      for (last = first + 1; last < set_end && color[order[last]] == color[order[first]];)
        last++;
      if (floe_symmetry_advance(label, order, first, last))
        return true;
    }
  }
  return false;
}

FLOE_SYMMETRY_FUNCTION void floe_symmetry_copy(FLOE_SYMMETRY_PARAMETER uint64_t *to, const uint64_t *from) {
  for (uint32_t w = 0; w < FLOE_SYMMETRY(words); w++)
    to[w] = from[w];
}

/* Sorts the instances with names by color, and of each color by label. Colors are refined until each instance has its
   own, or those of one color are twins, or the number of colors no longer grows. True: some color has several labels.
 */
FLOE_SYMMETRY_FUNCTION bool floe_symmetry_order(FLOE_SYMMETRY_PARAMETER const uint64_t *words, uint64_t *color,
                                                uint32_t *order, uint32_t *label, uint32_t *position, uint64_t *out) {
  const uint32_t named = FLOE_SYMMETRY(named_sets), sets = FLOE_SYMMETRY(sets);
  uint64_t next[FLOE_SYMMETRY_INSTANCES];
  uint32_t colors = sets, before;
  for (uint32_t set = 0; set < sets; set++)
    for (uint32_t i = FLOE_SYMMETRY(set_begin)[set]; i < FLOE_SYMMETRY(set_begin)[set + 1]; i++)
      color[i] = FLOE_SYMMETRY(set_color)[set];
  do {
    before = colors;
    floe_symmetry_refine(FLOE_SYMMETRY_ARGUMENT words, color, next);
    for (uint32_t i = 0; i < FLOE_SYMMETRY(instances); i++)
      color[i] = next[i];
    const uint32_t own = floe_symmetry_sort(FLOE_SYMMETRY_ARGUMENT 0, named, color, order);
    colors = own + floe_symmetry_sort(FLOE_SYMMETRY_ARGUMENT named, sets, color, order);
    if (own == FLOE_SYMMETRY(set_begin)[named])
      return false;
    /* With places, exchanged instances may be twins in one order of these alone, so this must not end the loop. */
    if (named == sets &&
        !floe_symmetry_label(FLOE_SYMMETRY_ARGUMENT 0, named, words, color, order, label, position, out))
      return false;
  } while (colors > before);
  return floe_symmetry_label(FLOE_SYMMETRY_ARGUMENT 0, named, words, color, order, label, position, out);
}

/* Sorts the instances without names by their elements, for this order of those with names. True: some color has several
   labels, as hashes collide. */
FLOE_SYMMETRY_FUNCTION bool floe_symmetry_places(FLOE_SYMMETRY_PARAMETER const uint64_t *words, uint64_t *color,
                                                 uint32_t *order, uint32_t *label, uint32_t *position, uint64_t *out) {
  const uint32_t named = FLOE_SYMMETRY(named_sets), sets = FLOE_SYMMETRY(sets);
  uint64_t next[FLOE_SYMMETRY_INSTANCES] = {0};
  for (uint32_t set = 0; set < sets; set++)
    for (uint32_t k = FLOE_SYMMETRY(set_begin)[set]; k < FLOE_SYMMETRY(set_begin)[set + 1]; k++)
      next[set < named ? order[k] : k] = set < named ? k : FLOE_SYMMETRY(set_color)[set];
  floe_symmetry_refine(FLOE_SYMMETRY_ARGUMENT words, next, color);
  floe_symmetry_sort(FLOE_SYMMETRY_ARGUMENT named, sets, color, order);
  return floe_symmetry_label(FLOE_SYMMETRY_ARGUMENT named, sets, words, color, order, label, position, out);
}

/* least = the least state for this order of the instances with names; `any`: unless it is less already. */
FLOE_SYMMETRY_FUNCTION void floe_symmetry_try(FLOE_SYMMETRY_PARAMETER const uint64_t *words, uint32_t *order,
                                              uint32_t *label, uint64_t *least, bool any) {
  const uint32_t named = FLOE_SYMMETRY(named_sets), sets = FLOE_SYMMETRY(sets);
  uint64_t color[FLOE_SYMMETRY_INSTANCES], out[FLOE_SYMMETRY_WORDS];
  uint32_t position[FLOE_SYMMETRY_INSTANCES];
  const bool several =
      named < sets && floe_symmetry_places(FLOE_SYMMETRY_ARGUMENT words, color, order, label, position, out);
  do {
    for (uint32_t set = 0; set < sets; set++)
      for (uint32_t k = FLOE_SYMMETRY(set_begin)[set]; k < FLOE_SYMMETRY(set_begin)[set + 1]; k++)
        position[order[k]] = k - FLOE_SYMMETRY(set_begin)[set];
    floe_symmetry_move(FLOE_SYMMETRY_ARGUMENT words, position, out);
    if (!any || floe_symmetry_compare(FLOE_SYMMETRY_ARGUMENT out, least) < 0)
      floe_symmetry_copy(FLOE_SYMMETRY_ARGUMENT least, out);
    any = true;
  } while (several && floe_symmetry_next(FLOE_SYMMETRY_ARGUMENT named, sets, color, label, order));
}

/* Replaces the state by its canonical form. */
FLOE_SYMMETRY_ENTRY void floe_canonical(FLOE_SYMMETRY_PARAMETER uint64_t *words) {
  uint64_t color[FLOE_SYMMETRY_INSTANCES], least[FLOE_SYMMETRY_WORDS];
  uint32_t order[FLOE_SYMMETRY_INSTANCES], label[FLOE_SYMMETRY_INSTANCES], position[FLOE_SYMMETRY_INSTANCES];
  const uint32_t named = FLOE_SYMMETRY(named_sets);
  const bool several = floe_symmetry_order(FLOE_SYMMETRY_ARGUMENT words, color, order, label, position, least);
  uint32_t moved = named < FLOE_SYMMETRY(sets);
  for (uint32_t i = 0; i < FLOE_SYMMETRY(set_begin)[named]; i++)
    moved += order[i] != i;
  if (!several && !moved)
    return;
  floe_symmetry_try(FLOE_SYMMETRY_ARGUMENT words, order, label, least, false);
  while (several && floe_symmetry_next(FLOE_SYMMETRY_ARGUMENT 0, named, color, label, order))
    floe_symmetry_try(FLOE_SYMMETRY_ARGUMENT words, order, label, least, true);
  floe_symmetry_copy(FLOE_SYMMETRY_ARGUMENT words, least);
}
