/* random_model SEED [wide]: prints a random model. */
#include "random_model.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: random_model SEED [wide]\n");
    return 3;
  }
  bool wide = argc > 2 && !strcmp(argv[2], "wide");
  random_model(strtoull(argv[1], NULL, 10), wide ? RANDOM_WIDE : RANDOM_SMALL, stdout);
  return 0;
}
