/* Order files on their way: threads of an exploration hand in keys, one thread of the file's own
   packs and writes them. Everything goes to a file of another name beside the one wanted, which
   takes its name when all is written. */
#ifndef FLOE_ORDER_WRITER_H
#define FLOE_ORDER_WRITER_H

#include "floe.h"
#include "order/format.h"

/* What a thread has collected. Only that thread adds to it. */
struct order_context {
  struct order_file *file;
  uint8_t *bytes; /* LANE_BYTES of them */
  size_t used;
};

/* Creates the file beside `path` with room for the header and `lanes` lanes. What cannot be written
   is told in `log`. FLOE_ERROR_IO, FLOE_ERROR_MEMORY; FLOE_ERROR_UNSUPPORTED: compression is not to
   be had. */
floe_status order_create(const char *path, const struct order_header *header, unsigned lanes, floe_log *log,
                         struct order_file **out);
struct order_context *order_context(struct order_file *file, unsigned number);

/* What became of a key that was looked up: numbers as the tables' answers have them (api/explore/record_order.c asserts
   it), so that those are handed on as they are. */
enum order_answer { ORDER_KNOWN, ORDER_NEW, ORDER_NO_PLACE };

/* Keys that were looked up, with an enum order_answer each, n at most ORDER_MOST_AT_ONCE: the file's kind says which of
   them are written; those that found no place are not. Does nothing once the file cannot be written: order_finish tells
   that, and what is explored meanwhile is right without it. */
#define ORDER_MOST_AT_ONCE 256
void order_record(struct order_context *lane, const uint64_t *keys, const uint8_t *answers, size_t n);

/* What the lane has collected so far comes before whatever any lane is given from now on. */
void order_flush(struct order_context *lane);
/* Forgets all that was recorded: the file is as it was created. Nobody records meanwhile. */
void order_restart(struct order_file *file);

/* How the run went */
struct order_ending {
  floe_end end;
  unsigned threads;
};
/* Writes what is left and gives the file its name. Frees it, in any case. FLOE_ERROR_IO, told in
   the log, leaves no file. */
floe_status order_finish(struct order_file *file, const struct order_ending *ending);
/* Removes the file; NULL is allowed. */
void order_abandon(struct order_file *file);
/* Tells in the log why the file cannot be written. */
void order_report_error(struct order_file *file);

#endif
