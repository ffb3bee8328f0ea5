#ifndef DURAMEN_GROWTH_H
#define DURAMEN_GROWTH_H

#include <stdint.h>

/// Calls a function. Instructions are counted only within this call, by its name.
void growth_measured(void (*body)(void *), void *argument);

/// Processor time of the process, user and system, all threads, in nanoseconds.
uint64_t growth_processor_nanoseconds(void);

/// Bytes that the process holds from its allocator, or -1 where the C library cannot tell.
int64_t growth_held_bytes(void);

#endif
