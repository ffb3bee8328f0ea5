#include "growth.h"

#include <time.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

__attribute__((noinline)) void growth_measured(void (*body)(void *), void *argument) {
    body(argument);
    // Keeps the call above from being the last thing done, which would leave this function early.
    __asm__ volatile("" : : : "memory");
}

uint64_t growth_processor_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int64_t growth_held_bytes(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
#else
    return -1;
#endif
}
