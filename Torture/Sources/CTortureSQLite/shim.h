#ifndef DURAMEN_TORTURE_SQLITE_SHIM_H
#define DURAMEN_TORTURE_SQLITE_SHIM_H

#include <sqlite3.h>

#endif
