#ifndef DURAMEN_CPROCESSOR_SHIM_H
#define DURAMEN_CPROCESSOR_SHIM_H

#include <stddef.h>

// Instructions of processors that the language has no words for.

#include "crc32c.h"

/// Loads memory into the cache before it is read. Addresses that are not mapped have no effect.
static inline void duramen_prefetch(const void *address, size_t count) {
    const char *bytes = (const char *)address;
    for (size_t place = 0; place < count; place += 64) __builtin_prefetch(bytes + place);
}

#endif
