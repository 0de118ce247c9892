/* Canonical form of a state of a symmetric model (model/symmetry/symmetry.h): the same state for all permutations of a
   state. Kernel C, for the interpreter and for generated code. The including text defines
     FLOE_SYMMETRY(name)      table `name` of struct canonical_tables (step/layout/canonical.h)
     FLOE_SYMMETRY_PARAMETER, FLOE_SYMMETRY_ARGUMENT   first parameter and argument of each function, with a comma
     FLOE_SYMMETRY_INSTANCES, FLOE_SYMMETRY_SETS, FLOE_SYMMETRY_WORDS   bounds of the numbers of these
     FLOE_SYMMETRY_FUNCTION, FLOE_SYMMETRY_INLINE, FLOE_SYMMETRY_ENTRY   of functions: small ones, those that are called
                              for each element, and the one to call
     FLOE_SYMMETRY_EACH(X)    X(e) for each element e: with constants, so that tables become constants in the code
     FLOE_SYMMETRY_EACH_INSTANCE(X)   X(i) for each instance i with a name
     FLOE_SYMMETRY_EACH_EXCHANGE(X)   X(i, j) for a sequence of pairs i < j that sorts the instances of each such set if
                                      each pair is ordered

   Each instance has a number that depends on its part of the state and not on which instance it is: instances that a
   permutation exchanges also exchange these numbers. The instances of a set are sorted by them.

   The first number of an instance with a name is its *signature*: the bits of its own elements, and whether other
   elements have it as value. Mostly that decides: all signatures differ, or instances with the same one are *twins*,
   whose exchange does not change the state. Otherwise *colors* continue: hashes of the signature and of the colors of
   the instances that it is related to, by an element that has one as index and the other as value or index. Among the
   orders that colors allow, the one with the least state gives the canonical form. Twins have one order. */
#define FLOE_SYMMETRY_NONE 0xffffffffu
#define FLOE_SYMMETRY_DIMENSIONS 4                  /* of an array, whose indices are instances */
#define FLOE_SYMMETRY_UNMOVED 0xfedcba9876543210ull /* positions of a set */
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define FLOE_SYMMETRY_INDEXED 0
#else
#define FLOE_SYMMETRY_INDEXED 1
#endif

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

/* Element e is not complete in the signatures of instances (floe_symmetry_sign). */
FLOE_SYMMETRY_INLINE bool floe_symmetry_relates(FLOE_SYMMETRY_PARAMETER uint32_t e) {
  const uint32_t family = FLOE_SYMMETRY(family)[e], dimensions = FLOE_SYMMETRY(dimensions)[family];
  const bool refers = FLOE_SYMMETRY(part_begin)[family] < FLOE_SYMMETRY(part_begin)[family + 1];
  if (dimensions == 0)
    return false;
  return dimensions > 1 || refers ||
         FLOE_SYMMETRY(instance_set)[FLOE_SYMMETRY(instance)[e * FLOE_SYMMETRY_DIMENSIONS]] >=
             FLOE_SYMMETRY(named_sets);
}

/* Adds element e of the state, if signatures lack it, to the new colors of the instances that it belongs or refers to,
   with the colors of the others. Sums do not depend on the order of the elements. */
FLOE_SYMMETRY_INLINE void floe_symmetry_add(FLOE_SYMMETRY_PARAMETER uint32_t e, const uint64_t *words,
                                            const uint64_t *color, uint64_t *next) {
  if (!floe_symmetry_relates(FLOE_SYMMETRY_ARGUMENT e))
    return;
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

/* The new numbers of the instances in their sets. */
struct floe_symmetry_positions {
  uint64_t named[FLOE_SYMMETRY_SETS];        /* of each set with names: 4 bits each, as 10! permutations are the most */
  uint32_t unnamed[FLOE_SYMMETRY_INSTANCES]; /* of the other instances */
};

FLOE_SYMMETRY_INLINE uint32_t floe_symmetry_position(FLOE_SYMMETRY_PARAMETER uint32_t instance,
                                                     const struct floe_symmetry_positions *positions) {
  const uint32_t set = FLOE_SYMMETRY(instance_set)[instance];
  if (set >= FLOE_SYMMETRY(named_sets))
    return positions->unnamed[instance];
  return (uint32_t)(positions->named[set] >> 4 * (instance - FLOE_SYMMETRY(set_begin)[set])) & 15;
}

/* The value of an element of the family after its instances were moved. */
FLOE_SYMMETRY_INLINE uint64_t floe_symmetry_value(FLOE_SYMMETRY_PARAMETER uint32_t family, uint64_t value,
                                                  const struct floe_symmetry_positions *positions) {
  uint64_t moved = value;
  for (uint32_t p = FLOE_SYMMETRY(part_begin)[family]; p < FLOE_SYMMETRY(part_begin)[family + 1]; p++) {
    const uint64_t local = value - FLOE_SYMMETRY(part_value)[p];
    const uint32_t set = FLOE_SYMMETRY(instance_set)[FLOE_SYMMETRY(part_instance)[p]];
    if (local < FLOE_SYMMETRY(part_size)[p]) /* also if value < part_value: then local is large */
      moved = FLOE_SYMMETRY(part_value)[p] + (positions->named[set] >> 4 * local & 15);
  }
  return moved;
}

/* Adds element e to the state `out`, at its new place. */
FLOE_SYMMETRY_INLINE void floe_symmetry_put(FLOE_SYMMETRY_PARAMETER uint32_t e, const uint64_t *words,
                                            const struct floe_symmetry_positions *positions, uint64_t *out) {
  const uint32_t family = FLOE_SYMMETRY(family)[e], bit_stride = FLOE_SYMMETRY(bit_stride)[family];
  const uint32_t origin = FLOE_SYMMETRY(origin)[family], per_word = FLOE_SYMMETRY(per_word)[family];
  const uint64_t value =
      floe_symmetry_value(FLOE_SYMMETRY_ARGUMENT family, floe_symmetry_get(FLOE_SYMMETRY_ARGUMENT words, e), positions);
  uint32_t target = FLOE_SYMMETRY(base)[e] - origin;
  for (uint32_t d = 0; d < FLOE_SYMMETRY(dimensions)[family]; d++)
    target += FLOE_SYMMETRY(stride)[family * FLOE_SYMMETRY_DIMENSIONS + d] *
              floe_symmetry_position(FLOE_SYMMETRY_ARGUMENT FLOE_SYMMETRY(instance)[e * FLOE_SYMMETRY_DIMENSIONS + d],
                                     positions);
  const uint32_t place = FLOE_SYMMETRY(place)[origin];
  const uint64_t moved = value << ((place & 63) + target % per_word * bit_stride);
  for (uint32_t w = 0; w < FLOE_SYMMETRY(words_of)[family]; w++) /* no variable index: so registers can hold `out` */
    out[(place >> 6) + w] |= target / per_word == w ? moved : 0;
}

FLOE_SYMMETRY_INLINE void floe_symmetry_move_all(FLOE_SYMMETRY_PARAMETER const uint64_t *words,
                                                 const struct floe_symmetry_positions *positions, uint64_t *out) {
  for (uint32_t w = 0; w < FLOE_SYMMETRY(words); w++)
    out[w] = words[w] & FLOE_SYMMETRY(fixed)[w];
#define FLOE_SYMMETRY_STEP(e) floe_symmetry_put(FLOE_SYMMETRY_ARGUMENT e, words, positions, out);
  FLOE_SYMMETRY_EACH(FLOE_SYMMETRY_STEP)
#undef FLOE_SYMMETRY_STEP
}

/* out = the state in which the instances have these positions. */
FLOE_SYMMETRY_ENTRY void floe_symmetry_move(FLOE_SYMMETRY_PARAMETER const uint64_t *words,
                                            const struct floe_symmetry_positions *positions, uint64_t *out) {
  floe_symmetry_move_all(FLOE_SYMMETRY_ARGUMENT words, positions, out);
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
                                                uint64_t *out) {
  if (a >= FLOE_SYMMETRY(set_begin)[FLOE_SYMMETRY(named_sets)])
    return floe_symmetry_equal(FLOE_SYMMETRY_ARGUMENT words, a, b);
  struct floe_symmetry_positions positions;
  for (uint32_t set = 0; set < FLOE_SYMMETRY(sets); set++) {
    positions.named[set] = FLOE_SYMMETRY_UNMOVED;
    for (uint32_t i = FLOE_SYMMETRY(set_begin)[set]; i < FLOE_SYMMETRY(set_begin)[set + 1]; i++)
      positions.unnamed[i] = i - FLOE_SYMMETRY(set_begin)[set];
  }
  const uint32_t set = FLOE_SYMMETRY(instance_set)[a], x = a - FLOE_SYMMETRY(set_begin)[set],
                 y = b - FLOE_SYMMETRY(set_begin)[set];
  positions.named[set] ^= ((uint64_t)(x ^ y) << 4 * x) | ((uint64_t)(x ^ y) << 4 * y);
  floe_symmetry_move(FLOE_SYMMETRY_ARGUMENT words, &positions, out);
  return floe_symmetry_compare(FLOE_SYMMETRY_ARGUMENT words, out) == 0;
}

/* label[i]: instances of a set and color have the same label if they are twins. Of each color, `order` is sorted by
   label. True: some color of the sets begin..end - 1 has several labels. */
FLOE_SYMMETRY_FUNCTION bool floe_symmetry_label(FLOE_SYMMETRY_PARAMETER uint32_t begin, uint32_t end,
                                                const uint64_t *words, const uint64_t *color, uint32_t *order,
                                                uint32_t *label, uint64_t *out) {
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
            floe_symmetry_twins(FLOE_SYMMETRY_ARGUMENT words, order[other], instance, out))
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
FLOE_SYMMETRY_FUNCTION bool floe_symmetry_order(FLOE_SYMMETRY_PARAMETER const uint64_t *words,
                                                const uint64_t *signature, uint64_t *color, uint32_t *order,
                                                uint32_t *label, uint64_t *out) {
  const uint32_t named = FLOE_SYMMETRY(named_sets), sets = FLOE_SYMMETRY(sets);
  uint64_t next[FLOE_SYMMETRY_INSTANCES];
  uint32_t colors = sets, before;
  for (uint32_t set = 0; set < sets; set++)
    for (uint32_t i = FLOE_SYMMETRY(set_begin)[set]; i < FLOE_SYMMETRY(set_begin)[set + 1]; i++)
      color[i] = floe_symmetry_mix(FLOE_SYMMETRY(set_color)[set], set < named ? signature[i] : 0);
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
    if (named == sets && !floe_symmetry_label(FLOE_SYMMETRY_ARGUMENT 0, named, words, color, order, label, out))
      return false;
  } while (colors > before);
  return floe_symmetry_label(FLOE_SYMMETRY_ARGUMENT 0, named, words, color, order, label, out);
}

/* Sorts the instances without names by their elements, for this order of those with names. True: some color has several
   labels, as hashes collide. */
FLOE_SYMMETRY_FUNCTION bool floe_symmetry_places(FLOE_SYMMETRY_PARAMETER const uint64_t *words, uint64_t *color,
                                                 uint32_t *order, uint32_t *label, uint64_t *out) {
  const uint32_t named = FLOE_SYMMETRY(named_sets), sets = FLOE_SYMMETRY(sets);
  uint64_t next[FLOE_SYMMETRY_INSTANCES] = {0};
  for (uint32_t set = 0; set < sets; set++)
    for (uint32_t k = FLOE_SYMMETRY(set_begin)[set]; k < FLOE_SYMMETRY(set_begin)[set + 1]; k++)
      next[set < named ? order[k] : k] = set < named ? k : FLOE_SYMMETRY(set_color)[set];
  floe_symmetry_refine(FLOE_SYMMETRY_ARGUMENT words, next, color);
  floe_symmetry_sort(FLOE_SYMMETRY_ARGUMENT named, sets, color, order);
  return floe_symmetry_label(FLOE_SYMMETRY_ARGUMENT named, sets, words, color, order, label, out);
}

FLOE_SYMMETRY_FUNCTION void floe_symmetry_positions_of(FLOE_SYMMETRY_PARAMETER const uint32_t *order,
                                                       struct floe_symmetry_positions *positions) {
  for (uint32_t set = 0; set < FLOE_SYMMETRY(sets); set++) {
    const uint32_t first = FLOE_SYMMETRY(set_begin)[set];
    positions->named[set] = 0;
    for (uint32_t k = first; k < FLOE_SYMMETRY(set_begin)[set + 1]; k++)
      if (set < FLOE_SYMMETRY(named_sets))
        positions->named[set] |= (uint64_t)(k - first) << 4 * (order[k] - first);
      else
        positions->unnamed[order[k]] = k - first;
  }
}

/* least = the least state for this order of the instances with names; `any`: unless it is less already. */
FLOE_SYMMETRY_FUNCTION void floe_symmetry_try(FLOE_SYMMETRY_PARAMETER const uint64_t *words, uint32_t *order,
                                              uint32_t *label, uint64_t *least, bool any) {
  const uint32_t named = FLOE_SYMMETRY(named_sets), sets = FLOE_SYMMETRY(sets);
  uint64_t color[FLOE_SYMMETRY_INSTANCES], out[FLOE_SYMMETRY_WORDS];
  struct floe_symmetry_positions positions;
  const bool several = named < sets && floe_symmetry_places(FLOE_SYMMETRY_ARGUMENT words, color, order, label, out);
  do {
    floe_symmetry_positions_of(FLOE_SYMMETRY_ARGUMENT order, &positions);
    floe_symmetry_move(FLOE_SYMMETRY_ARGUMENT words, &positions, out);
    if (!any || floe_symmetry_compare(FLOE_SYMMETRY_ARGUMENT out, least) < 0)
      floe_symmetry_copy(FLOE_SYMMETRY_ARGUMENT least, out);
    any = true;
  } while (several && floe_symmetry_next(FLOE_SYMMETRY_ARGUMENT named, sets, color, label, order));
}

/* The canonical form of a state whose signatures do not decide. */
FLOE_SYMMETRY_ENTRY void floe_symmetry_search(FLOE_SYMMETRY_PARAMETER uint64_t *words, const uint64_t *signature) {
  uint64_t color[FLOE_SYMMETRY_INSTANCES], least[FLOE_SYMMETRY_WORDS];
  uint32_t order[FLOE_SYMMETRY_INSTANCES], label[FLOE_SYMMETRY_INSTANCES];
  const uint32_t named = FLOE_SYMMETRY(named_sets);
  const bool several = floe_symmetry_order(FLOE_SYMMETRY_ARGUMENT words, signature, color, order, label, least);
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

/* ---- by signatures ------------------------------------------------------------------------------------ */

/* What is known of an instance. If `exact`, the bits of its elements are at places that the tables have. */
struct floe_symmetry_instance {
  uint64_t key;       /* what is sorted: 60 bits, then the number in the set; `packed`: the signature, then relations */
  uint64_t signature; /* 60 bits */
  uint64_t relations; /* own elements whose values are instances */
};

/* Of instances with names. Masks have a bit for each instance; if there are more instances, all bits. */
struct floe_symmetry_decision {
  struct floe_symmetry_instance of[FLOE_SYMMETRY_INSTANCES]; /* of each set: later sorted */
  uint64_t referred;                                         /* mask: another instance refers to it */
  bool complete;                                             /* every element is in signatures or relations */
  struct floe_symmetry_positions positions;
  uint64_t classes[FLOE_SYMMETRY_SETS]; /* 4 bits of each instance: equal for those with equal keys */
  bool undecided;                       /* two instances have equal keys, and may not be twins */
  uint32_t moved;                       /* not 0: some instance has another position */
};

FLOE_SYMMETRY_INLINE uint64_t floe_symmetry_bit(FLOE_SYMMETRY_PARAMETER uint32_t instance) {
  return FLOE_SYMMETRY(instances) <= 64 ? (uint64_t)1 << instance : ~(uint64_t)0;
}

FLOE_SYMMETRY_INLINE void floe_symmetry_append(FLOE_SYMMETRY_PARAMETER uint64_t *bits, uint32_t shift, uint64_t value) {
  *bits = FLOE_SYMMETRY(exact) ? *bits | value << shift : floe_symmetry_mix(*bits, value);
}

/* Values of the family may be the instance `own`, which is their index. */
FLOE_SYMMETRY_INLINE bool floe_symmetry_reflexive(FLOE_SYMMETRY_PARAMETER uint32_t family, uint32_t own) {
  bool reflexive = false;
  for (uint32_t p = FLOE_SYMMETRY(part_begin)[family]; p < FLOE_SYMMETRY(part_begin)[family + 1]; p++)
    reflexive = reflexive || own - FLOE_SYMMETRY(part_instance)[p] < FLOE_SYMMETRY(part_size)[p];
  return reflexive;
}

/* Adds element e, which has one instance as index and may have one as value. Its relation is the value; in a reflexive
   family 1 for the instance `own`, twice the value for others, 0 for what is no instance. */
FLOE_SYMMETRY_INLINE void floe_symmetry_sign_own(FLOE_SYMMETRY_PARAMETER uint32_t e, uint64_t value,
                                                 struct floe_symmetry_decision *d) {
  const uint32_t family = FLOE_SYMMETRY(family)[e], own = FLOE_SYMMETRY(instance)[e * FLOE_SYMMETRY_DIMENSIONS];
  if (FLOE_SYMMETRY(instance_set)[own] >= FLOE_SYMMETRY(named_sets))
    return;
  const uint32_t parts = FLOE_SYMMETRY(part_begin)[family], parts_end = FLOE_SYMMETRY(part_begin)[family + 1];
  const bool reflexive = floe_symmetry_reflexive(FLOE_SYMMETRY_ARGUMENT family, own);
  uint64_t sign = value << (parts < parts_end), relation = reflexive ? 0 : value;
  for (uint32_t p = parts; p < parts_end; p++) {
    const uint32_t first = FLOE_SYMMETRY(part_instance)[p];
    const uint64_t local = value - FLOE_SYMMETRY(part_value)[p];
    if (local < FLOE_SYMMETRY(part_size)[p]) { /* also if value < part_value: then local is large */
      const bool self = reflexive && first + local == own;
      sign = (uint64_t)FLOE_SYMMETRY(part_value)[p] << 1 | 1;
      if (reflexive)
        relation = self ? 1 : value << 1;
      d->referred |= self ? 0 : floe_symmetry_bit(FLOE_SYMMETRY_ARGUMENT first + (uint32_t)local);
    }
  }
  floe_symmetry_append(FLOE_SYMMETRY_ARGUMENT & d->of[own].signature, FLOE_SYMMETRY(sign_shift)[e], sign);
  if (parts < parts_end)
    floe_symmetry_append(FLOE_SYMMETRY_ARGUMENT & d->of[own].relations, FLOE_SYMMETRY(relation_shift)[e], relation);
}

/* Adds element e, which has no instance as index, to the signatures of the instances that may be its value: on CPUs as
   a bit in memory for the one that is, on GPUs, whose registers have no index, for each whether it is. */
FLOE_SYMMETRY_INLINE void floe_symmetry_sign_single(FLOE_SYMMETRY_PARAMETER uint32_t e, uint64_t value,
                                                    struct floe_symmetry_decision *d, uint64_t *single) {
  const uint32_t family = FLOE_SYMMETRY(family)[e];
  uint32_t shift = FLOE_SYMMETRY(sign_shift)[e];
  for (uint32_t p = FLOE_SYMMETRY(part_begin)[family]; p < FLOE_SYMMETRY(part_begin)[family + 1]; p++, shift++) {
    const uint32_t first = FLOE_SYMMETRY(part_instance)[p];
    const uint64_t local = value - FLOE_SYMMETRY(part_value)[p];
    if (FLOE_SYMMETRY_INDEXED && FLOE_SYMMETRY(exact)) {
      if (local < FLOE_SYMMETRY(part_size)[p])
        single[first + local] |= (uint64_t)1 << shift;
    } else
      for (uint32_t i = 0; i < FLOE_SYMMETRY(part_size)[p]; i++)
        floe_symmetry_append(FLOE_SYMMETRY_ARGUMENT & d->of[first + i].signature, shift, local == i);
  }
}

/* Adds element e to the signatures of the instances that it belongs or refers to. */
FLOE_SYMMETRY_INLINE void floe_symmetry_sign(FLOE_SYMMETRY_PARAMETER uint32_t e, const uint64_t *words,
                                             struct floe_symmetry_decision *d, uint64_t *single) {
  const uint32_t family = FLOE_SYMMETRY(family)[e];
  const uint64_t value = floe_symmetry_get(FLOE_SYMMETRY_ARGUMENT words, e);
  if (FLOE_SYMMETRY(dimensions)[family] > 1)
    d->complete = false;
  else if (FLOE_SYMMETRY(dimensions)[family] == 1)
    floe_symmetry_sign_own(FLOE_SYMMETRY_ARGUMENT e, value, d);
  else
    floe_symmetry_sign_single(FLOE_SYMMETRY_ARGUMENT e, value, d, single);
}

/* Orders two instances by their keys; the parts that are not asked for do not move. */
FLOE_SYMMETRY_INLINE void floe_symmetry_exchange(struct floe_symmetry_instance *a, struct floe_symmetry_instance *b,
                                                 bool relations, bool signatures) {
  const struct floe_symmetry_instance x = *a, y = *b;
  const bool ordered = x.key < y.key;
  a->key = ordered ? x.key : y.key;
  b->key = ordered ? y.key : x.key;
  if (relations) {
    a->relations = ordered ? x.relations : y.relations;
    b->relations = ordered ? y.relations : x.relations;
  }
  if (signatures) {
    a->signature = ordered ? x.signature : y.signature;
    b->signature = ordered ? y.signature : x.signature;
  }
}

/* Gives the instance at place i, after sorting, its position, and if it is asked for its class. */
FLOE_SYMMETRY_INLINE void floe_symmetry_rank(FLOE_SYMMETRY_PARAMETER uint32_t i, struct floe_symmetry_decision *d,
                                             bool classes) {
  const uint32_t set = FLOE_SYMMETRY(instance_set)[i], position = i - FLOE_SYMMETRY(set_begin)[set];
  const uint32_t local = (uint32_t)d->of[i].key & 15;
  uint32_t rank = position;
  if (classes && position > 0 && d->of[i].signature == d->of[i - 1].signature)
    rank = (uint32_t)(d->classes[set] >> 4 * (d->of[i - 1].key & 15)) & 15;
  d->positions.named[set] = (position ? d->positions.named[set] : 0) | (uint64_t)position << 4 * local;
  if (classes)
    d->classes[set] = (position ? d->classes[set] : 0) | (uint64_t)rank << 4 * local;
  d->moved |= local ^ position;
}

/* Compares the instance at place i, after sorting, with the one before it. Instances of a set with equal keys are
   twins if their elements are the same and no other instance refers to them. */
FLOE_SYMMETRY_INLINE void floe_symmetry_compare_neighbours(FLOE_SYMMETRY_PARAMETER uint32_t i,
                                                           struct floe_symmetry_decision *d, bool again) {
  const uint32_t first = FLOE_SYMMETRY(set_begin)[FLOE_SYMMETRY(instance_set)[i]];
  if (i == first)
    return;
  const struct floe_symmetry_instance *const a = &d->of[i - 1], *const b = &d->of[i];
  const uint64_t both = floe_symmetry_bit(FLOE_SYMMETRY_ARGUMENT first + (uint32_t)(a->key & 15)) |
                        floe_symmetry_bit(FLOE_SYMMETRY_ARGUMENT first + (uint32_t)(b->key & 15));
  const bool twins = FLOE_SYMMETRY(exact) && d->complete && a->relations == b->relations && !(d->referred & both);
  const bool equal = again ? (a->key ^ b->key) >> 4 == 0 : a->signature == b->signature;
  d->undecided = d->undecided || (equal && !twins);
}

/* Whether the keys of the instances, which are sorted, decide. */
FLOE_SYMMETRY_INLINE bool floe_symmetry_decided(FLOE_SYMMETRY_PARAMETER struct floe_symmetry_decision *d, bool again) {
  d->undecided = FLOE_SYMMETRY(named_sets) < FLOE_SYMMETRY(sets);
#define FLOE_SYMMETRY_STEP(i) floe_symmetry_compare_neighbours(FLOE_SYMMETRY_ARGUMENT i, d, again);
  FLOE_SYMMETRY_EACH_INSTANCE(FLOE_SYMMETRY_STEP)
#undef FLOE_SYMMETRY_STEP
  return !d->undecided;
}

/* From the first key. Of instances with equal signatures that are no twins, the order does not matter: their signatures
   do not decide. */
FLOE_SYMMETRY_INLINE void floe_symmetry_unpack(FLOE_SYMMETRY_PARAMETER struct floe_symmetry_instance *of) {
  of->signature = of->key >> 4;
  if (FLOE_SYMMETRY(packed)) {
    of->relations = of->signature & (((uint64_t)1 << FLOE_SYMMETRY(relation_bits)) - 1);
    of->signature >>= FLOE_SYMMETRY(relation_bits);
  }
}

FLOE_SYMMETRY_INLINE void floe_symmetry_pack(FLOE_SYMMETRY_PARAMETER struct floe_symmetry_instance *of,
                                             uint32_t number) {
  of->key = of->signature << 4 | number;
  if (FLOE_SYMMETRY(packed))
    of->key = of->signature << (FLOE_SYMMETRY(relation_bits) + 4) | of->relations << 4 | number;
}

/* Sorts the instances of each set by keys, which are their signatures unless `again`. */
FLOE_SYMMETRY_INLINE void floe_symmetry_sort_keys(FLOE_SYMMETRY_PARAMETER struct floe_symmetry_decision *d, bool again,
                                                  bool classes) {
  d->moved = 0;
#define FLOE_SYMMETRY_STEP(i, j)                                                                                       \
  floe_symmetry_exchange(&d->of[i], &d->of[j],                                                                         \
                         FLOE_SYMMETRY(exact) && FLOE_SYMMETRY(refers) && (again || !FLOE_SYMMETRY(packed)),           \
                         FLOE_SYMMETRY(exact) && again);
  FLOE_SYMMETRY_EACH_EXCHANGE(FLOE_SYMMETRY_STEP)
#undef FLOE_SYMMETRY_STEP
#define FLOE_SYMMETRY_STEP(i)                                                                                          \
  if (!again)                                                                                                          \
    floe_symmetry_unpack(FLOE_SYMMETRY_ARGUMENT & d->of[i]);                                                           \
  floe_symmetry_rank(FLOE_SYMMETRY_ARGUMENT i, d, classes);
  FLOE_SYMMETRY_EACH_INSTANCE(FLOE_SYMMETRY_STEP)
#undef FLOE_SYMMETRY_STEP
}

/* Element e has one instance, with a name, as index, and values that are instances. */
FLOE_SYMMETRY_INLINE bool floe_symmetry_refers(FLOE_SYMMETRY_PARAMETER uint32_t e) {
  const uint32_t family = FLOE_SYMMETRY(family)[e];
  return FLOE_SYMMETRY(dimensions)[family] == 1 &&
         FLOE_SYMMETRY(part_begin)[family] < FLOE_SYMMETRY(part_begin)[family + 1] &&
         FLOE_SYMMETRY(instance_set)[FLOE_SYMMETRY(instance)[e * FLOE_SYMMETRY_DIMENSIONS]] < FLOE_SYMMETRY(named_sets);
}

FLOE_SYMMETRY_INLINE uint64_t floe_symmetry_class(FLOE_SYMMETRY_PARAMETER uint32_t instance,
                                                  const struct floe_symmetry_decision *d) {
  const uint32_t set = FLOE_SYMMETRY(instance_set)[instance];
  return d->classes[set] >> 4 * (instance - FLOE_SYMMETRY(set_begin)[set]) & 15;
}

/* Adds to `own` of the instance that element e has as index the class of the one that it has as value, and the other
   way round to `others`. */
FLOE_SYMMETRY_INLINE void floe_symmetry_relate(FLOE_SYMMETRY_PARAMETER uint32_t e, const uint64_t *words,
                                               const struct floe_symmetry_decision *d, uint64_t *own,
                                               uint64_t *others) {
  if (!floe_symmetry_refers(FLOE_SYMMETRY_ARGUMENT e))
    return;
  const uint32_t family = FLOE_SYMMETRY(family)[e], c = FLOE_SYMMETRY(instance)[e * FLOE_SYMMETRY_DIMENSIONS];
  const uint64_t value = floe_symmetry_get(FLOE_SYMMETRY_ARGUMENT words, e);
  const uint64_t rank = floe_symmetry_class(FLOE_SYMMETRY_ARGUMENT c, d);
  const uint64_t referring = (rank + 1) * ((2 * (uint64_t)FLOE_SYMMETRY(base)[e] + 1) * 0x9e3779b97f4a7c15ull);
  uint64_t referred = 0;
  for (uint32_t p = FLOE_SYMMETRY(part_begin)[family]; p < FLOE_SYMMETRY(part_begin)[family + 1]; p++) {
    const uint32_t first = FLOE_SYMMETRY(part_instance)[p], target = FLOE_SYMMETRY(instance_set)[first];
    const uint64_t local = value - FLOE_SYMMETRY(part_value)[p];
    if (local < FLOE_SYMMETRY(part_size)[p])
      referred = first + local == c ? 17 : 1 + (d->classes[target] >> 4 * local & 15);
    for (uint32_t i = 0; i < FLOE_SYMMETRY(part_size)[p]; i++)
      others[first + i] += local == i && first + i != c ? referring : 0;
  }
  own[c] = own[c] * 0xff51afd7ed558ccdull + referred;
}

/* The second keys: class, and a hash of the classes of the instances that it is related to. */
FLOE_SYMMETRY_INLINE void floe_symmetry_key_again(FLOE_SYMMETRY_PARAMETER const uint64_t *words,
                                                  struct floe_symmetry_decision *d) {
  uint64_t own[FLOE_SYMMETRY_INSTANCES], others[FLOE_SYMMETRY_INSTANCES];
#define FLOE_SYMMETRY_STEP(i) own[i] = others[i] = 0;
  FLOE_SYMMETRY_EACH_INSTANCE(FLOE_SYMMETRY_STEP)
#undef FLOE_SYMMETRY_STEP
#define FLOE_SYMMETRY_STEP(e) floe_symmetry_relate(FLOE_SYMMETRY_ARGUMENT e, words, d, own, others);
  FLOE_SYMMETRY_EACH(FLOE_SYMMETRY_STEP)
#undef FLOE_SYMMETRY_STEP
#define FLOE_SYMMETRY_STEP(i)                                                                                          \
  d->of[i].key = floe_symmetry_class(FLOE_SYMMETRY_ARGUMENT i, d) << 60 |                                              \
                 (floe_symmetry_mix(own[i], others[i]) >> 8) << 4 | (d->of[i].key & 15);
  FLOE_SYMMETRY_EACH_INSTANCE(FLOE_SYMMETRY_STEP)
#undef FLOE_SYMMETRY_STEP
}

/* The value of an element of a reflexive family after its instances were moved: its bits in the signature and the
   relation of the sorted instance, which now is `own`. */
FLOE_SYMMETRY_INLINE uint64_t floe_symmetry_value_reflexive(FLOE_SYMMETRY_PARAMETER uint32_t family, uint64_t sign,
                                                            uint64_t relation, uint32_t own,
                                                            const struct floe_symmetry_positions *positions) {
  const uint64_t first = sign >> 1; /* of the part */
  uint64_t position = own - FLOE_SYMMETRY(set_begin)[FLOE_SYMMETRY(instance_set)[own]];
  if (!(sign & 1))
    return first;
  for (uint32_t p = FLOE_SYMMETRY(part_begin)[family]; p < FLOE_SYMMETRY(part_begin)[family + 1]; p++)
    if (relation != 1 && first == FLOE_SYMMETRY(part_value)[p])
      position = positions->named[FLOE_SYMMETRY(instance_set)[FLOE_SYMMETRY(part_instance)[p]]] >>
                     4 * ((relation >> 1) - first) &
                 15;
  return first + position;
}

/* As floe_symmetry_put, for an element of which the sorted instances have the value. */
FLOE_SYMMETRY_INLINE void floe_symmetry_put_sorted(FLOE_SYMMETRY_PARAMETER uint32_t e,
                                                   const struct floe_symmetry_decision *d, uint64_t *out) {
  const uint32_t family = FLOE_SYMMETRY(family)[e], width = FLOE_SYMMETRY(width)[family];
  const uint32_t own = FLOE_SYMMETRY(instance)[e * FLOE_SYMMETRY_DIMENSIONS], place = FLOE_SYMMETRY(place)[e];
  const bool refers = FLOE_SYMMETRY(part_begin)[family] < FLOE_SYMMETRY(part_begin)[family + 1];
  const bool reflexive = floe_symmetry_reflexive(FLOE_SYMMETRY_ARGUMENT family, own);
  const uint64_t sign = d->of[own].signature >> FLOE_SYMMETRY(sign_shift)[e] & (((uint64_t)1 << width << refers) - 1);
  const uint64_t relation =
      refers ? d->of[own].relations >> FLOE_SYMMETRY(relation_shift)[e] & (((uint64_t)1 << width << reflexive) - 1) : 0;
  uint64_t value = sign;
  if (reflexive)
    value = floe_symmetry_value_reflexive(FLOE_SYMMETRY_ARGUMENT family, sign, relation, own, &d->positions);
  else if (refers)
    value = floe_symmetry_value(FLOE_SYMMETRY_ARGUMENT family, relation, &d->positions);
  out[place >> 6] |= value << (place & 63);
}

/* As floe_symmetry_move. */
FLOE_SYMMETRY_INLINE void floe_symmetry_move_sorted(FLOE_SYMMETRY_PARAMETER const uint64_t *words,
                                                    const struct floe_symmetry_decision *d, uint64_t *out) {
  for (uint32_t w = 0; w < FLOE_SYMMETRY(words); w++)
    out[w] = words[w] & FLOE_SYMMETRY(fixed)[w];
#define FLOE_SYMMETRY_STEP(e)                                                                                          \
  if (FLOE_SYMMETRY(exact) && FLOE_SYMMETRY(dimensions)[FLOE_SYMMETRY(family)[e]] == 1)                                \
    floe_symmetry_put_sorted(FLOE_SYMMETRY_ARGUMENT e, d, out);                                                        \
  else                                                                                                                 \
    floe_symmetry_put(FLOE_SYMMETRY_ARGUMENT e, words, &d->positions, out);
  FLOE_SYMMETRY_EACH(FLOE_SYMMETRY_STEP)
#undef FLOE_SYMMETRY_STEP
}

/* The signatures of all instances, which are the first keys. */
FLOE_SYMMETRY_INLINE void floe_symmetry_sign_all(FLOE_SYMMETRY_PARAMETER const uint64_t *words,
                                                 struct floe_symmetry_decision *d) {
  uint64_t single[FLOE_SYMMETRY_INSTANCES];
  d->referred = 0;
  d->complete = true;
#define FLOE_SYMMETRY_STEP(i) single[i] = d->of[i].signature = d->of[i].relations = 0;
  FLOE_SYMMETRY_EACH_INSTANCE(FLOE_SYMMETRY_STEP)
#undef FLOE_SYMMETRY_STEP
#define FLOE_SYMMETRY_STEP(e) floe_symmetry_sign(FLOE_SYMMETRY_ARGUMENT e, words, d, single);
  FLOE_SYMMETRY_EACH(FLOE_SYMMETRY_STEP)
#undef FLOE_SYMMETRY_STEP
#define FLOE_SYMMETRY_STEP(i)                                                                                          \
  d->of[i].signature |= single[i];                                                                                     \
  floe_symmetry_pack(FLOE_SYMMETRY_ARGUMENT & d->of[i], i - FLOE_SYMMETRY(set_begin)[FLOE_SYMMETRY(instance_set)[i]]);
  FLOE_SYMMETRY_EACH_INSTANCE(FLOE_SYMMETRY_STEP)
#undef FLOE_SYMMETRY_STEP
}

/* The canonical form of a state whose signatures do not decide: by second keys, or else by search. (A function of its
   own: unsorted keys would take registers until the end.) */
FLOE_SYMMETRY_ENTRY void floe_canonical_again(FLOE_SYMMETRY_PARAMETER uint64_t *words) {
  struct floe_symmetry_decision d;
  uint64_t signature[FLOE_SYMMETRY_INSTANCES], out[FLOE_SYMMETRY_WORDS];
  bool decided = false;
  floe_symmetry_sign_all(FLOE_SYMMETRY_ARGUMENT words, &d);
#define FLOE_SYMMETRY_STEP(i) signature[i] = d.of[i].signature;
  FLOE_SYMMETRY_EACH_INSTANCE(FLOE_SYMMETRY_STEP)
#undef FLOE_SYMMETRY_STEP
  if (FLOE_SYMMETRY(refers)) {
    struct floe_symmetry_decision sorted = d;
    floe_symmetry_sort_keys(FLOE_SYMMETRY_ARGUMENT & sorted, false, true);
    for (uint32_t set = 0; set < FLOE_SYMMETRY(named_sets); set++)
      d.classes[set] = sorted.classes[set];
    floe_symmetry_key_again(FLOE_SYMMETRY_ARGUMENT words, &d);
    floe_symmetry_sort_keys(FLOE_SYMMETRY_ARGUMENT & d, true, false);
    decided = floe_symmetry_decided(FLOE_SYMMETRY_ARGUMENT & d, true);
  }
  if (!decided) {
    floe_symmetry_search(FLOE_SYMMETRY_ARGUMENT words, signature);
    return;
  }
  floe_symmetry_move_sorted(FLOE_SYMMETRY_ARGUMENT words, &d, out);
  floe_symmetry_copy(FLOE_SYMMETRY_ARGUMENT words, out);
}

/* Replaces the state by its canonical form. */
FLOE_SYMMETRY_ENTRY void floe_canonical(FLOE_SYMMETRY_PARAMETER uint64_t *words) {
  struct floe_symmetry_decision d;
  uint64_t out[FLOE_SYMMETRY_WORDS];
  floe_symmetry_sign_all(FLOE_SYMMETRY_ARGUMENT words, &d);
  floe_symmetry_sort_keys(FLOE_SYMMETRY_ARGUMENT & d, false, false);
  if (!floe_symmetry_decided(FLOE_SYMMETRY_ARGUMENT & d, false)) {
    floe_canonical_again(FLOE_SYMMETRY_ARGUMENT words);
    return;
  }
  if (!d.moved)
    return;
  floe_symmetry_move_sorted(FLOE_SYMMETRY_ARGUMENT words, &d, out);
  floe_symmetry_copy(FLOE_SYMMETRY_ARGUMENT words, out);
}
