/* random_model SEED [wide|lively|broad]: prints a random model. */
#include "random_model.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: random_model SEED [wide|lively|broad]\n");
    return 3;
  }
  static const char *const names[] = {
      [RANDOM_SMALL] = "small", [RANDOM_WIDE] = "wide", [RANDOM_LIVELY] = "lively", [RANDOM_BROAD] = "broad"};
  enum random_size size = RANDOM_SMALL;
  for (unsigned i = 0; argc > 2 && i < sizeof names / sizeof *names; i++)
    if (!strcmp(argv[2], names[i]))
      size = (enum random_size)i;
  random_model(strtoull(argv[1], NULL, 10), size, stdout);
  return 0;
}
