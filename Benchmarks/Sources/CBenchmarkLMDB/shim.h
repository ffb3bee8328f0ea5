#ifndef DURAMEN_BENCHMARK_LMDB_SHIM_H
#define DURAMEN_BENCHMARK_LMDB_SHIM_H

#include <lmdb.h>

#endif
