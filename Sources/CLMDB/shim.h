#ifndef DURAMEN_CLMDB_SHIM_H
#define DURAMEN_CLMDB_SHIM_H

#include <lmdb.h>

#endif
