#ifndef DURAMEN_CSQLITE_SHIM_H
#define DURAMEN_CSQLITE_SHIM_H

#include <sqlite3.h>

// sqlite3_db_config is variadic, and Swift cannot import variadic functions.
static inline int duramen_sqlite3_db_config_flag(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}

#endif
