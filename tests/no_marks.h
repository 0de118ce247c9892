/* Before every test program's text. Check writes the place of each assertion that holds into a file, for the case that
   the next one crashes: two thirds of the time of tests that compare many numbers. Here it writes only failures.
 */
#define _mark_point no_mark
static inline void no_mark(const char *file, int line) { (void)file, (void)line; }
