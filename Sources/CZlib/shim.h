#ifndef DURAMEN_CZLIB_SHIM_H
#define DURAMEN_CZLIB_SHIM_H

#include <zlib.h>

#endif
