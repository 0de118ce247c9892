#include "cmd/explore/page.h"

#include "src/cmd/explore/page_files.h"

#include <string.h>

const struct page_file *page_find(const char *path) {
  for (size_t i = 0; i < sizeof page_files / sizeof *page_files; i++)
    if (strcmp(page_files[i].path, path) == 0)
      return &page_files[i];
  return NULL;
}
