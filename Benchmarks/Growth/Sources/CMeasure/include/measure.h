#ifndef DURAMEN_MEASURE_H
#define DURAMEN_MEASURE_H

#include <stdint.h>

/// Uses a value in a way the optimiser cannot see through and that costs nothing. Memory counts as
/// changed, so a loop around it reads its property again each time.
static inline void measure_keep(int64_t value) { __asm__ volatile("" : : "r"(value) : "memory"); }

/// Processor time of the process, user and system, all threads, in nanoseconds.
uint64_t measure_processor_nanoseconds(void);

/// Bytes that the process holds from its allocator, or -1 where the C library cannot tell.
int64_t measure_held_bytes(void);

/// Calls a function. Where instructions are counted, they are counted within this call, by its
/// name.
void measure_counted(void (*body)(void *), void *argument);

#endif
