#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Allocates memory that can grow, unlike that of `UnsafeMutableRawPointer.allocate`.
enum MemoryBlock {
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        guard let memory = malloc(max(count, 1)) else { outOfMemory(count) }
        return memory
    }

    /// The size of a block of ``allocateLarge()``: one large page on most machines.
    static let largeCount = 2 << 20

    /// Allocates a block at the start of a page, and asks the system for one large page. That costs
    /// one page fault in place of hundreds, and fewer misses when the block is read.
    static func allocateLarge() -> UnsafeMutableRawPointer {
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, largeCount, largeCount) == 0, let memory else {
            outOfMemory(largeCount)
        }
        #if os(Linux)
        // Only advice: without it the block has small pages.
        madvise(memory, largeCount, MADV_HUGEPAGE)
        #endif
        return memory
    }

    static func grow(_ memory: UnsafeMutableRawPointer, to count: Int) -> UnsafeMutableRawPointer {
        // `realloc` to no bytes would free the memory.
        guard let grown = realloc(memory, max(count, 1)) else { outOfMemory(count) }
        return grown
    }

    static func release(_ memory: UnsafeMutableRawPointer) { free(memory) }

    /// Returns the sign of the first difference of two byte ranges, as `memcmp` does.
    static func order(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Int {
        Int(memcmp(a, b, count))
    }

    // Swift traps when it cannot allocate memory; so do rows.
    private static func outOfMemory(_ count: Int) -> Never {
        fatalError("Duramen: no memory for \(count) bytes of rows.")
    }
}
