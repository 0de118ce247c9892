/* Records in messages: a field of a channel that is a record stands for its fields, and so does an argument. */
#ifndef FLOE_FRONTEND_LOWER_CHECK_MESSAGE_H
#define FLOE_FRONTEND_LOWER_CHECK_MESSAGE_H

#include "frontend/expr/check.h"

/* Replaces info->syntax if arguments of its synchronisation are records. False: an error was reported. */
bool message_expand(struct check *c, const struct template *process, struct edge_info *info);
/* Reports that the message has not the `count` fields of its channel, once for each channel and number. */
void message_report_count(struct check *c, const struct syntax_sync *sync, size_t count);

#endif
