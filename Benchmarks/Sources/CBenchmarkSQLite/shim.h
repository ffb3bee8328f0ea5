#ifndef DURAMEN_BENCHMARK_SQLITE_SHIM_H
#define DURAMEN_BENCHMARK_SQLITE_SHIM_H

#include <sqlite3.h>

#endif
