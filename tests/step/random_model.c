#include "random_model.h"

#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>

bool random_models_possible(void) {
  if (system("python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null") == 0)
    return true;
  puts("no random models: no python3 (3.8 or newer)");
  return false;
}

static unsigned from_environment(const char *name, unsigned otherwise) {
  const char *value = getenv(name);
  return value ? (unsigned)strtoul(value, NULL, 10) : otherwise;
}

unsigned random_seeds(unsigned otherwise) { return from_environment("FLOE_TEST_SEEDS", otherwise); }

void each_random_model(const char *kind, unsigned count, void (*visit)(struct random_model *model)) {
  const unsigned first = from_environment("FLOE_TEST_FIRST", 0);
  const char *root = getenv("top_srcdir");
  char command[4096];
  unsigned refused = 0;
  size_t room = 0;
  struct random_model model = {.text = NULL};
  snprintf(command, sizeof command,
           "PYTHONDONTWRITEBYTECODE=1 python3 '%s/tests/reference/random_models.py' --kind=%s %u %u", root ? root : ".",
           kind, first, count);
  FILE *models = popen(command, "r");
  ck_assert_ptr_nonnull(models);
  for (model.seed = first; model.seed < first + count; model.seed++) {
    const ssize_t length = getdelim(&model.text, &room, '\0', models);
    ck_assert_msg(length > 1, "%s: no model of seed %u", command, model.seed);
    model.length = (size_t)length - 1;
    snprintf(model.name, sizeof model.name, "random %s %u", kind, model.seed);
    if (loaded_from_text(&model.loaded, model.name, model.text, model.length, NULL, 0))
      visit(&model);
    else
      refused++;
    loaded_free(&model.loaded);
  }
  free(model.text);
  ck_assert_int_eq(pclose(models), 0);
  ck_assert_msg(refused * 10 <= count + 20, "%u of %u models were refused", refused, count);
}
