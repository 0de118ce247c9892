/* random_model SEED [wide|lively]: prints a random model. */
#include "random_model.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: random_model SEED [wide|lively]\n");
    return 3;
  }
  bool wide = argc > 2 && !strcmp(argv[2], "wide");
  bool lively = argc > 2 && !strcmp(argv[2], "lively");
  enum random_size size = wide ? RANDOM_WIDE : lively ? RANDOM_LIVELY : RANDOM_SMALL;
  random_model(strtoull(argv[1], NULL, 10), size, stdout);
  return 0;
}
