#ifndef DURAMEN_CSWIFTRUNTIME_H
#define DURAMEN_CSWIFTRUNTIME_H

#include <stdbool.h>
#include <stdint.h>

// A function of Swift's runtime, part of its stable binary interface, that the language has no
// words for.

#if defined(__linux__)
/// Whether the caller runs on an executor, as far as the runtime knows. Without flags it does not
/// trap.
__attribute__((swiftcall)) bool swift_task_isCurrentExecutorWithFlags(
    uintptr_t identity, uintptr_t implementation, uint64_t flags);
#endif

#endif
