/* How the variables of a state of several words are dealt to them. Each word is a leaf of a tree (tree/kernel/tree.h),
   whose table has the contents that the word takes: what changes together and rarely apart from each other goes
   together, so that there are few contents, and a firing changes few words. */
#ifndef FLOE_DEALING_H
#define FLOE_DEALING_H

#include "model/model.h"
#include "step/layout/field.h"

/* Places of all fields with a width, in at most `most` words; false: they do not fit so. *words: that are used. Scratch
   from `arena`, whose guard is active. */
bool word_assignment_make(const struct model *model, struct arena *arena, uint32_t most, struct field *fields, uint32_t *words);

#endif
