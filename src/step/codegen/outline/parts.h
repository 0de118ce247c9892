/* Parts of the generated text that may repeat: statements, and the conditional blocks of error tests. The generator
   records where each begins and ends, and its holes: the places where parts of one shape may differ. A large text is
   generated twice, the second time with records (codegen.c). */
#ifndef FLOE_STEP_CODEGEN_OUTLINE_PARTS_H
#define FLOE_STEP_CODEGEN_OUTLINE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hole_kind {
  HOLE_NUMBER,  /* a constant of type int32_t */
  HOLE_NAME,    /* of a location, a constant */
  HOLE_FAILURE, /* "{ FLOE_FAIL(3, choice, 17); continue; }" */
  HOLE_STATE,   /* s or t */
  HOLE_LOCAL,   /* x<number> or v<number> */
  HOLE_TEMP,    /* temp<number> */
  HOLE_SELECT,  /* select<number> */
  HOLE_FIXED    /* a name that only the function of the initiator knows: a part with it stays there */
};

struct hole {
  size_t begin, end; /* in the text */
  enum hole_kind kind;
  bool is_64bit, assigned; /* of a variable */
  int64_t number; /* HOLE_NUMBER: its value; HOLE_FAILURE: the site; HOLE_TEMP: among those of all transitions */
};

#define NO_PART UINT32_MAX

/* Parts are numbered in the order in which they begin, so those inside a part follow it. */
struct part {
  size_t begin, end;             /* in the text */
  uint32_t first_hole, end_hole; /* its holes */
  uint32_t end_part;             /* one after the last part inside it */
  uint32_t next;                 /* the part right behind it in the same block, or NO_PART */
  bool heads;                    /* the first of its block */
  uint32_t first_local;          /* locals from this number on are declared inside */
  const char *fail, *jump;       /* as in struct codegen */
};

struct parts {
  size_t from; /* functions of parts can stand here, before all functions that have parts */
  struct part *parts;
  size_t count, capacity;
  struct hole *holes;
  size_t hole_count, hole_capacity;
  uint32_t temps, next_temps; /* temporaries of all transitions before this one, and with this one */
};

#endif
