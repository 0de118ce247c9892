/* Requirement on maps of floe_tables.h: a reduction whose result a scheme reserves never gives a wrong value. Run on
   the CPU (test_api_table_wrong.c) and on the emulated GPU (test_emulated_api_table.c). */
#ifndef FLOE_TESTS_TABLES_API_RESERVED_SUITE_H
#define FLOE_TESTS_TABLES_API_RESERVED_SUITE_H

#include <floe_tables.h>

/* Every scheme with ADD, every reduction and width of values that the engine has. Fails by an assertion of Check. */
void reserved_suite_run(floe_engine engine, floe_log *log);

#endif
