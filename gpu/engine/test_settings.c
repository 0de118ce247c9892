#include "gpu/engine/test_settings.h"

#include "core/diag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_US 50000
#define LEVELS 65536
#define AGREE_US 100000

#define SETTING(name)                                                                                                  \
  { #name, &test_settings->name }

static uint64_t *find(struct gpu_test_settings *test_settings, const char *name, size_t length) {
  const struct {
    const char *name;
    uint64_t *value;
  } all[] = {SETTING(blocks),   SETTING(queue),    SETTING(slice_us), SETTING(levels),     SETTING(fill),
             SETTING(resident), SETTING(batch),    SETTING(tell),     SETTING(bitmap),     SETTING(turns),
             SETTING(names),    SETTING(out),      SETTING(alone),    SETTING(twice),      SETTING(mailboxes),
             SETTING(step),     SETTING(packets),  SETTING(linked),   SETTING(far),        SETTING(many),
             SETTING(hosts),    SETTING(agree_us), SETTING(replace),  SETTING(improve_us), SETTING(arcs),
             SETTING(stack),    SETTING(sequences)};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strlen(all[i].name) == length && memcmp(all[i].name, name, length) == 0)
      return all[i].value;
  return NULL;
}

static bool read_word(struct gpu_test_settings *test_settings, const char *word, size_t length) {
  const char *equals = memchr(word, '=', length);
  uint64_t *value = equals ? find(test_settings, word, (size_t)(equals - word)) : NULL;
  char *end;
  if (!value || equals[1] < '1' || equals[1] > '9')
    return false;
  errno = 0;
  *value = strtoull(equals + 1, &end, 10);
  return errno == 0 && end == word + length;
}

floe_status test_settings_read(const char *text, floe_log *log, struct gpu_test_settings *out) {
  struct gpu_test_settings test_settings = {.slice_us = SLICE_US, .levels = LEVELS, .agree_us = AGREE_US};
  while (text && *text) {
    size_t length = strcspn(text, ",");
    if (!read_word(&test_settings, text, length)) {
      diag_error(log, NULL, NOWHERE,
                 "blocks, queue, slice_us, levels, fill, resident, batch, tell, bitmap, turns, names, out, alone, "
                 "many, mailboxes, step, hosts, agree_us, replace, packets, linked, far, improve_us, arcs, stack, "
                 "sequences and twice take a number from 1 on",
                 "FLOE_GPU_TEST: '%.*s' is no setting", (int)length, text);
      return FLOE_ERROR_USAGE;
    }
    text += length + (text[length] == ',');
  }
  *out = test_settings;
  return FLOE_OK;
}
