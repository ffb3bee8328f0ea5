#ifndef DURAMEN_CSWIFTRUNTIME_SHIM_H
#define DURAMEN_CSWIFTRUNTIME_SHIM_H

#include <stdint.h>

// Functions of Swift's runtime, part of its stable binary interface, that the language has no words for. They are
// what the compiler itself calls.

/// Counts many references to an object at once.
void *swift_retain_n(void *object, uint32_t count);

/// Gives many references to an object back at once.
void swift_release_n(void *object, uint32_t count);

void *swift_nonatomic_retain(void *object);

/// Counts a reference to an object that no other thread can reach.
static inline void duramen_retain_unshared(void *object) {
    // The optimiser knows the function by its name, and would make the usual, atomic one of it.
    __asm__ volatile("" : "+r"(object));
    swift_nonatomic_retain(object);
}

#endif
