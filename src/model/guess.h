/* Guessed ranges. Where no analysis proves how large the values of variables become, a language assumes that none is
   above a number, which is a constant of the model: `tokens` in Petri nets. (Their constant `units` is another kind: 1
   is the guess that a claim of the file is true, which assertions of the model check; 0 comes next.) The variables, and
   their assignments or the assertions, are marked as guessed. If a search meets an error, it starts again with the next
   value of the guess that the error refutes (api/explore/explore.c): counts and verdicts never depend on a guess. A
   definition by the user is a limit; what exceeds it is an error of the model. The number of bits doubles from guess to
   guess, so that few searches are repeated. */
#ifndef FLOE_MODEL_GUESS_H
#define FLOE_MODEL_GUESS_H

#include "model/build.h"
#include "model/language.h"

/* The guess after `value`; NULL: it is `most` or more, which no guessed variable can exceed. */
const struct guess *guess_after(const char *constant, int64_t value, int64_t most, struct arena *arena);
/* The guess `next`, for a language with other steps between guesses; at most `most`. */
const struct guess *guess_next(const char *constant, int64_t next, int64_t most, struct arena *arena);
/* The defined value of the constant (`first` if it is not defined), which is within 1..most; else an error is logged.
 */
int64_t guess_value(struct builder *b, const struct definition *definition, const char *constant, int64_t first,
                    int64_t most);
/* Adds the guess (NULL: none) to those of the model, unless the user has defined its constant. */
void guess_add(struct builder *b, const struct definition *definition, const struct guess *guess);
/* The constant of a guess, as it is shown. */
struct constant guess_constant(const char *name, int64_t value, const struct definition *definition);

/* The guess that an error at the site (NO_SITE: none) refutes. An error of the model itself may hide such an error,
   because engines keep the first one alone: then one of the guesses. NULL: the model has none. */
const struct guess *guess_of_error(const struct model *model, uint32_t site);

#endif
