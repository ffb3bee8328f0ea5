#ifndef DURAMEN_CSWIFTRUNTIME_H
#define DURAMEN_CSWIFTRUNTIME_H

#include <stdbool.h>
#include <stdint.h>

// Functions of Swift's runtime, part of its stable binary interface, that the language has no words for. They are
// what the compiler itself calls.

/// Counts many references to an object at once.
void *swift_retain_n(void *object, uint32_t count);

/// Gives many references to an object back at once.
void swift_release_n(void *object, uint32_t count);

#if defined(__linux__)
/// Whether the caller runs on an executor, as far as the runtime knows. Without flags it does not trap.
__attribute__((swiftcall)) bool swift_task_isCurrentExecutorWithFlags(
    uintptr_t identity, uintptr_t implementation, uint64_t flags);
#endif

/// What collects references on this thread; null for nothing.
void *duramen_collector(void);

/// Sets what collects references on this thread.
void duramen_set_collector(void *collector);

#endif
