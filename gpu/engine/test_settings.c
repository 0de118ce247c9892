#include "gpu/engine/test_settings.h"

#include "core/diag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_US 50000
#define LEVELS 65536
#define AGREE_US 100000

static uint64_t *find(struct gpu_tuning *tuning, const char *name, size_t length) {
  const struct {
    const char *name;
    uint64_t *value;
  } all[] = {{"blocks", &tuning->blocks},     {"queue", &tuning->queue},     {"slice_us", &tuning->slice_us},
             {"levels", &tuning->levels},     {"fill", &tuning->fill},       {"resident", &tuning->resident},
             {"batch", &tuning->batch},       {"tell", &tuning->tell},       {"bitmap", &tuning->bitmap},
             {"turns", &tuning->turns},       {"names", &tuning->names},     {"out", &tuning->out},
             {"alone", &tuning->alone},       {"twice", &tuning->twice},     {"mail", &tuning->mail},
             {"step", &tuning->step},         {"letters", &tuning->letters}, {"linked", &tuning->linked},
             {"far", &tuning->far},           {"many", &tuning->many},       {"hosts", &tuning->hosts},
             {"agree_us", &tuning->agree_us}, {"replace", &tuning->replace}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strlen(all[i].name) == length && memcmp(all[i].name, name, length) == 0)
      return all[i].value;
  return NULL;
}

static bool read_word(struct gpu_tuning *tuning, const char *word, size_t length) {
  const char *equals = memchr(word, '=', length);
  uint64_t *value = equals ? find(tuning, word, (size_t)(equals - word)) : NULL;
  char *end;
  if (!value || equals[1] < '1' || equals[1] > '9')
    return false;
  errno = 0;
  *value = strtoull(equals + 1, &end, 10);
  return errno == 0 && end == word + length;
}

floe_status tuning_read(const char *text, floe_log *log, struct gpu_tuning *out) {
  struct gpu_tuning tuning = {.slice_us = SLICE_US, .levels = LEVELS, .agree_us = AGREE_US};
  while (text && *text) {
    size_t length = strcspn(text, ",");
    if (!read_word(&tuning, text, length)) {
      diag_error(log, NULL, NOWHERE,
                 "blocks, queue, slice_us, levels, fill, resident, batch, tell, bitmap, turns, names, out, alone, "
                 "many, mail, step, hosts, agree_us, replace, letters, linked, far and twice take a number from 1 on",
                 "FLOE_GPU_TEST: '%.*s' is no setting", (int)length, text);
      return FLOE_ERROR_USAGE;
    }
    text += length + (text[length] == ',');
  }
  *out = tuning;
  return FLOE_OK;
}
