#include "model/guess.h"

#include <inttypes.h>

static const int64_t sizes[] = {1, 3, 15, 255, 65535};

static int64_t next_size(int64_t value, int64_t most) {
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (sizes[i] > value && sizes[i] < most)
      return sizes[i];
  return most;
}

const struct guess *guess_next(const char *constant, int64_t next, int64_t most, struct arena *arena) {
  struct guess *guess = arena_alloc(arena, sizeof *guess);
  *guess = (struct guess){.constant = constant,
                          .next = arena_printf(arena, "%" PRId64, next < most ? next : most),
                          .last = arena_printf(arena, "%" PRId64, most)};
  return guess;
}

const struct guess *guess_after(const char *constant, int64_t value, int64_t most, struct arena *arena) {
  return value < most ? guess_next(constant, next_size(value, most), most, arena) : NULL;
}

int64_t guess_value(struct builder *b, const struct definition *definition, const char *constant, int64_t first,
                    int64_t most) {
  int64_t value = first;
  if (definition && (!definition_number(definition, &value) || value < 1 || value > most))
    BUILD_ERROR(b, NOWHERE, NULL, "the constant '%s' is a number from 1 to %" PRId64, constant, most);
  return value;
}

static bool is_given(const struct definition *definition) { return definition && !definition->guessed; }

void guess_add(struct builder *b, const struct definition *definition, const struct guess *guess) {
  if (!guess || is_given(definition))
    return;
  struct guess *added = arena_alloc(b->arena, sizeof *added);
  *added = *guess;
  added->other = b->model->guess;
  b->model->guess = added;
}

struct constant guess_constant(const char *name, int64_t value, const struct definition *definition) {
  const bool given = is_given(definition);
  return (struct constant){.name = name, .value = value, .given = given, .guessed = !given};
}

const struct guess *guess_of_error(const struct model *model, uint32_t site) {
  if (site < model->site_count && model->sites[site].guessed)
    for (const struct guess *guess = model->guess; guess; guess = guess->other)
      if (guess->claim == (model->sites[site].kind == SITE_ASSERT))
        return guess;
  return model->guess;
}
