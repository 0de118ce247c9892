/* One search in the background: a shortest path to a state in which a condition holds, or to one that decides a
   property. */
#ifndef FLOE_CMD_EXPLORE_EXPLORE_SEARCH_H
#define FLOE_CMD_EXPLORE_EXPLORE_SEARCH_H

struct explore_search;

struct explore_search *explore_search_create(void);      /* NULL: no memory */
void explore_search_free(struct explore_search *search); /* cancels it */

#endif
