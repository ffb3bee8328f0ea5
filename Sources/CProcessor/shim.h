#ifndef DURAMEN_CPROCESSOR_SHIM_H
#define DURAMEN_CPROCESSOR_SHIM_H

#include <stdint.h>
#include <string.h>

// Instructions of processors that the language has no words for.

/// Asks for memory that will be read soon. Any address will do: one that is not mapped is passed over.
static inline void duramen_prefetch(const void *address, size_t count) {
    for (size_t place = 0; place < count; place += 64) __builtin_prefetch((const char *)address + place);
}

// CRC32C (Castagnoli, reflected polynomial 0x82F63B78, as in RFC 3720), which processors compute by an
// instruction of their own.

static inline uint32_t duramen_crc32c_portable(uint32_t crc, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0x82F63B78u & (0u - (crc & 1)));
    }
    return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static inline uint32_t duramen_crc32c_fast(
    uint32_t crc, const uint8_t *bytes, size_t count) {
    uint64_t wide = crc;
    while (count >= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        wide = __builtin_ia32_crc32di(wide, word);
        bytes += 8;
        count -= 8;
    }
    crc = (uint32_t)wide;
    // Each instruction waits for the one before it, so the rest is taken in as few as there can be.
    if (count & 4) {
        uint32_t word;
        memcpy(&word, bytes, 4);
        crc = __builtin_ia32_crc32si(crc, word);
        bytes += 4;
    }
    if (count & 2) {
        uint16_t word;
        memcpy(&word, bytes, 2);
        crc = __builtin_ia32_crc32hi(crc, word);
        bytes += 2;
    }
    if (count & 1) crc = __builtin_ia32_crc32qi(crc, *bytes);
    return crc;
}

// The same from the beginning, when the sum is ~0. Records have all lengths, and each test of what is left behind the
// last whole word would be guessed wrong every other time. So the first word is taken with as many zeros before it
// as make the rest whole words, from a sum that these zeros turn into ~0.
__attribute__((target("sse4.2"))) static inline uint32_t duramen_crc32c_fast_whole(
    const uint8_t *bytes, size_t count) {
    static const uint32_t before_zeros[8] = {0xFFFFFFFFu, 0xA942E6BCu, 0x2804363Bu, 0x96DB52A8u,
                                             0x641F6454u, 0xCBAA9B55u, 0x08DE2648u, 0xF145FF88u};
    if (count < 8) return duramen_crc32c_fast(~0u, bytes, count);
    size_t zeros = -count & 7;
    uint64_t word;
    memcpy(&word, bytes, 8);
    uint64_t wide = __builtin_ia32_crc32di(before_zeros[zeros], word << (8 * zeros));
    for (size_t place = 8 - zeros; place < count; place += 8) {
        memcpy(&word, bytes + place, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    return (uint32_t)wide;
}

static inline int duramen_crc32c_has_instruction(void) {
    unsigned a = 1, b, c, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    return (c >> 20) & 1;
}
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
static inline uint32_t duramen_crc32c_fast(uint32_t crc, const uint8_t *bytes, size_t count) {
    while (count >= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        crc = __builtin_arm_crc32cd(crc, word);
        bytes += 8;
        count -= 8;
    }
    while (count > 0) {
        crc = __builtin_arm_crc32cb(crc, *bytes);
        bytes += 1;
        count -= 1;
    }
    return crc;
}

static inline uint32_t duramen_crc32c_fast_whole(const uint8_t *bytes, size_t count) {
    return duramen_crc32c_fast(~0u, bytes, count);
}

static inline int duramen_crc32c_has_instruction(void) { return 1; }
#else
static inline uint32_t duramen_crc32c_fast(uint32_t crc, const uint8_t *bytes, size_t count) {
    return duramen_crc32c_portable(crc, bytes, count);
}

static inline uint32_t duramen_crc32c_fast_whole(const uint8_t *bytes, size_t count) {
    return duramen_crc32c_fast(~0u, bytes, count);
}

static inline int duramen_crc32c_has_instruction(void) { return 0; }
#endif

#endif
