#include "measure.h"

#include <time.h>

#if defined(__GLIBC__)
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#endif

uint64_t measure_processor_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int64_t measure_held_bytes(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    // uordblks counts the arenas only; large blocks, such as long arrays, are mapped one by one
    // and counted in hblkhd.
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
#elif defined(__APPLE__)
    struct mstats info = mstats();
    return (int64_t)info.bytes_used;
#else
    return -1;
#endif
}

__attribute__((noinline)) void measure_counted(void (*body)(void *), void *argument) {
    body(argument);
    // Without something after it the call would be a jump, which leaves this function before it
    // begins.
    __asm__ volatile("" : : : "memory");
}
