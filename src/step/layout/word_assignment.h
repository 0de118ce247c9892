/* Assignment of variables to the words of a multiword state. Each word is a leaf of a tree (tree/kernel/tree.h), whose
   table holds the distinct contents of that word. Variables that change together go into one word, so that words take
   few contents and a firing changes few words. */
#ifndef FLOE_STEP_LAYOUT_WORD_ASSIGNMENT_H
#define FLOE_STEP_LAYOUT_WORD_ASSIGNMENT_H

#include "model/model.h"
#include "step/layout/field.h"

/* Positions of all fields of non-zero width, in at most `most` words; false: they do not fit. *words: the number used.
   Scratch memory from `arena`, whose guard is active. */
bool word_assignment_make(const struct model *model, struct arena *arena, uint32_t max_words, struct field *fields,
                          uint32_t *words);

#endif
