#ifndef DURAMEN_CPROCESSOR_CRC32C_H
#define DURAMEN_CPROCESSOR_CRC32C_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

// CRC-32C: the reflected Castagnoli polynomial, 0x82F63B78, as in RFC 3720. The portable form uses
// tables. The fast form uses an instruction that not every processor has. A sum begins as ~0, and
// the caller inverts the last one.

// Entry n of a table is the exclusive or of the entries for the bits of n. So the entries 1, 2, 4,
// …, 128 define a table, and the compiler computes the rest.
#define DURAMEN_2(s, a) (s), (s) ^ (a)
#define DURAMEN_4(s, a, b) DURAMEN_2(s, a), DURAMEN_2((s) ^ (b), a)
#define DURAMEN_8(s, a, b, c) DURAMEN_4(s, a, b), DURAMEN_4((s) ^ (c), a, b)
#define DURAMEN_16(s, a, b, c, d) DURAMEN_8(s, a, b, c), DURAMEN_8((s) ^ (d), a, b, c)
#define DURAMEN_32(s, a, b, c, d, e) \
    DURAMEN_16(s, a, b, c, d), DURAMEN_16((s) ^ (e), a, b, c, d)
#define DURAMEN_64(s, a, b, c, d, e, f) \
    DURAMEN_32(s, a, b, c, d, e), DURAMEN_32((s) ^ (f), a, b, c, d, e)
#define DURAMEN_128(s, a, b, c, d, e, f, g) \
    DURAMEN_64(s, a, b, c, d, e, f), DURAMEN_64((s) ^ (g), a, b, c, d, e, f)
#define DURAMEN_256(s, a, b, c, d, e, f, g, h) \
    DURAMEN_128(s, a, b, c, d, e, f, g), DURAMEN_128((s) ^ (h), a, b, c, d, e, f, g)

/// Continues a sum over further bytes, eight at a time, by tables ("slicing by 8").
static inline uint32_t duramen_crc32c_portable(uint32_t crc, const uint8_t *bytes, size_t count) {
    // Table k has the sum of each byte followed by k zeros. The array is inside the function so
    // that Swift does not import it.
    static const uint32_t tables[8][256] = {
        {DURAMEN_256(0u, 0xF26B8303u, 0xE13B70F7u, 0xC79A971Fu, 0x8AD958CFu,
                     0x105EC76Fu, 0x20BD8EDEu, 0x417B1DBCu, 0x82F63B78u)},
        {DURAMEN_256(0u, 0x13A29877u, 0x274530EEu, 0x4E8A61DCu, 0x9D14C3B8u,
                     0x3FC5F181u, 0x7F8BE302u, 0xFF17C604u, 0xFBC3FAF9u)},
        {DURAMEN_256(0u, 0xA541927Eu, 0x4F6F520Du, 0x9EDEA41Au, 0x38513EC5u,
                     0x70A27D8Au, 0xE144FB14u, 0xC76580D9u, 0x8B277743u)},
        {DURAMEN_256(0u, 0xDD45AAB8u, 0xBF672381u, 0x7B2231F3u, 0xF64463E6u,
                     0xE964B13Du, 0xD725148Bu, 0xABA65FE7u, 0x52A0C93Fu)},
        {DURAMEN_256(0u, 0x38116FACu, 0x7022DF58u, 0xE045BEB0u, 0xC5670B91u,
                     0x8F2261D3u, 0x1BA8B557u, 0x37516AAEu, 0x6EA2D55Cu)},
        {DURAMEN_256(0u, 0xEF306B19u, 0xDB8CA0C3u, 0xB2F53777u, 0x6006181Fu,
                     0xC00C303Eu, 0x85F4168Du, 0x0E045BEBu, 0x1C08B7D6u)},
        {DURAMEN_256(0u, 0x68032CC8u, 0xD0065990u, 0xA5E0C5D1u, 0x4E2DFD53u,
                     0x9C5BFAA6u, 0x3D5B83BDu, 0x7AB7077Au, 0xF56E0EF4u)},
        {DURAMEN_256(0u, 0x493C7D27u, 0x9278FA4Eu, 0x211D826Du, 0x423B04DAu,
                     0x847609B4u, 0x0D006599u, 0x1A00CB32u, 0x34019664u)},
    };
    while (count >= 8) {
        // Works in either byte order. Where the order fits, compilers load whole words.
        uint32_t low = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16
                       | (uint32_t)bytes[3] << 24;
        uint32_t high = (uint32_t)bytes[4] | (uint32_t)bytes[5] << 8 | (uint32_t)bytes[6] << 16
                        | (uint32_t)bytes[7] << 24;
        low ^= crc;
        crc = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255]
              ^ tables[4][low >> 24] ^ tables[3][high & 255] ^ tables[2][high >> 8 & 255]
              ^ tables[1][high >> 16 & 255] ^ tables[0][high >> 24];
        bytes += 8;
        count -= 8;
    }
    for (size_t i = 0; i < count; i++) crc = crc >> 8 ^ tables[0][(crc ^ bytes[i]) & 255];
    return crc;
}

#undef DURAMEN_2
#undef DURAMEN_4
#undef DURAMEN_8
#undef DURAMEN_16
#undef DURAMEN_32
#undef DURAMEN_64
#undef DURAMEN_128
#undef DURAMEN_256

// The instruction for 8, 4, 2 and 1 bytes, and the type of the sum in the form for 8.
#if defined(__x86_64__)
#define DURAMEN_CRC32C_FUNCTION __attribute__((target("sse4.2"))) static inline
#define DURAMEN_CRC32C_SUM uint64_t
#define DURAMEN_CRC32C_8(sum, word) __builtin_ia32_crc32di(sum, word)
#define DURAMEN_CRC32C_4(sum, word) __builtin_ia32_crc32si(sum, word)
#define DURAMEN_CRC32C_2(sum, word) __builtin_ia32_crc32hi(sum, word)
#define DURAMEN_CRC32C_1(sum, byte) __builtin_ia32_crc32qi(sum, byte)

/// Returns whether this processor has the instruction. Call the fast form only if it has.
static inline int duramen_crc32c_has_instruction(void) {
    unsigned a = 1, b, c, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    return (c >> 20) & 1;
}
#elif defined(__aarch64__) && (defined(__ARM_FEATURE_CRC32) || defined(__linux__))
#define DURAMEN_CRC32C_SUM uint32_t
#define DURAMEN_CRC32C_8(sum, word) __builtin_arm_crc32cd(sum, word)
#define DURAMEN_CRC32C_4(sum, word) __builtin_arm_crc32cw(sum, word)
#define DURAMEN_CRC32C_2(sum, word) __builtin_arm_crc32ch(sum, word)
#define DURAMEN_CRC32C_1(sum, byte) __builtin_arm_crc32cb(sum, byte)

#if defined(__ARM_FEATURE_CRC32)
#define DURAMEN_CRC32C_FUNCTION static inline

/// Returns 1: every processor that the code is compiled for has the instruction.
///
/// So it is on macOS and iOS 18.
static inline int duramen_crc32c_has_instruction(void) { return 1; }
#else
#define DURAMEN_CRC32C_FUNCTION __attribute__((target("+crc"))) static inline

/// Returns whether this processor has the instruction. Call the fast form only if it has.
///
/// The instruction is optional in Armv8.0, so compilers for Linux do not assume it.
static inline int duramen_crc32c_has_instruction(void) {
    // The bit is HWCAP_CRC32, which not every C library defines.
    return (getauxval(AT_HWCAP) >> 7) & 1;
}
#endif
#endif

#if defined(DURAMEN_CRC32C_FUNCTION)
/// Continues a sum over further bytes by the processor's instruction.
DURAMEN_CRC32C_FUNCTION uint32_t duramen_crc32c_fast(
    uint32_t crc, const uint8_t *bytes, size_t count) {
    DURAMEN_CRC32C_SUM wide = crc;
    while (count >= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        wide = DURAMEN_CRC32C_8(wide, word);
        bytes += 8;
        count -= 8;
    }
    crc = (uint32_t)wide;
    // Each instruction waits for the one before it, so the fewest possible take the rest.
    if (count & 4) {
        uint32_t word;
        memcpy(&word, bytes, 4);
        crc = DURAMEN_CRC32C_4(crc, word);
        bytes += 4;
    }
    if (count & 2) {
        uint16_t word;
        memcpy(&word, bytes, 2);
        crc = DURAMEN_CRC32C_2(crc, word);
        bytes += 2;
    }
    if (count & 1) crc = DURAMEN_CRC32C_1(crc, *bytes);
    return crc;
}

/// Begins a sum, from ~0, by the processor's instruction.
// Records have all lengths, so a branch on the bytes behind the last whole word is mispredicted
// every other time. Zeros before the first bytes fill up the first word instead, and the rest is
// whole words. The sum begins with a value that these zeros turn into ~0.
DURAMEN_CRC32C_FUNCTION uint32_t duramen_crc32c_fast_whole(const uint8_t *bytes, size_t count) {
    static const uint32_t before_zeros[8] = {0xFFFFFFFFu, 0xA942E6BCu, 0x2804363Bu, 0x96DB52A8u,
                                             0x641F6454u, 0xCBAA9B55u, 0x08DE2648u, 0xF145FF88u};
    if (count < 8) return duramen_crc32c_fast(~0u, bytes, count);
    size_t zeros = -count & 7;
    uint64_t word;
    memcpy(&word, bytes, 8);
    DURAMEN_CRC32C_SUM wide = DURAMEN_CRC32C_8(before_zeros[zeros], word << (8 * zeros));
    for (size_t place = 8 - zeros; place < count; place += 8) {
        memcpy(&word, bytes + place, 8);
        wide = DURAMEN_CRC32C_8(wide, word);
    }
    return (uint32_t)wide;
}

#undef DURAMEN_CRC32C_FUNCTION
#undef DURAMEN_CRC32C_SUM
#undef DURAMEN_CRC32C_8
#undef DURAMEN_CRC32C_4
#undef DURAMEN_CRC32C_2
#undef DURAMEN_CRC32C_1
#else
// Other processors have no such instruction. Every function is the portable form there.
static inline int duramen_crc32c_has_instruction(void) { return 0; }

static inline uint32_t duramen_crc32c_fast(uint32_t crc, const uint8_t *bytes, size_t count) {
    return duramen_crc32c_portable(crc, bytes, count);
}

static inline uint32_t duramen_crc32c_fast_whole(const uint8_t *bytes, size_t count) {
    return duramen_crc32c_portable(~0u, bytes, count);
}
#endif

#endif
