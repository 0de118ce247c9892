/* Reason why something is unavailable, in words for the log. */
#ifndef FLOE_CORE_REASON_H
#define FLOE_CORE_REASON_H

/* May contain paths and compiler output: newlines are kept. */
struct reason {
  char text[480];
};
void reason_set(struct reason *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
