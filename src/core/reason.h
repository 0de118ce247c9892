/* Why something is not to be had, in words for the log. */
#ifndef FLOE_REASON_H
#define FLOE_REASON_H

/* Paths and what a compiler said may be in it: newlines stay. */
struct reason {
  char text[480];
};
void reason_set(struct reason *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
