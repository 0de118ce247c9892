#include "engine/group.h"

#include "core/mem.h"

struct message *message_make(size_t bytes) {
  struct message *message = mem_alloc(sizeof *message + bytes);
  if (message)
    message->bytes = bytes;
  return message;
}

void message_free(struct message *message) { mem_free(message); }
