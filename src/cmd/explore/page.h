/* Files of the page of `floe explore`, embedded in the program. */
#ifndef FLOE_CMD_EXPLORE_PAGE_H
#define FLOE_CMD_EXPLORE_PAGE_H

#include <stddef.h>

struct page_file {
  const char *path, *type; /* "/style.css", "text/css" */
  const unsigned char *bytes;
  const size_t *size;
};

const struct page_file *page_find(const char *path); /* NULL: no such file; "/" is the page */

#endif
