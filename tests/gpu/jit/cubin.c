#include "cubin.h"

#include <elf.h>
#include <string.h>

#define KERNEL_SECTION ".text."

void cubin_each(const void *cubin, void (*visit)(const char *name, size_t bytes, void *data), void *data) {
  const char *bytes = cubin;
  const Elf64_Ehdr *head = cubin;
  const Elf64_Shdr *sections = (const void *)(bytes + head->e_shoff);
  const char *names = bytes + sections[head->e_shstrndx].sh_offset;
  for (unsigned i = 0; i < head->e_shnum; i++) {
    const char *name = names + sections[i].sh_name;
    if (strncmp(name, KERNEL_SECTION, strlen(KERNEL_SECTION)) == 0)
      visit(name + strlen(KERNEL_SECTION), sections[i].sh_size, data);
  }
}

struct search {
  const char *kernel;
  size_t bytes;
};

static void compare(const char *name, size_t bytes, void *data) {
  struct search *search = data;
  if (strcmp(name, search->kernel) == 0)
    search->bytes = bytes;
}

size_t cubin_bytes(const void *cubin, const char *kernel) {
  struct search search = {kernel, 0};
  cubin_each(cubin, compare, &search);
  return search.bytes;
}
