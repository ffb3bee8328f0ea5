#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Memory that can grow, which `UnsafeMutableRawPointer.allocate` cannot give.
enum MemoryBlock {
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        guard let memory = malloc(max(count, 1)) else { outOfMemory(count) }
        return memory
    }

    /// The size of ``allocateLarge()``, that of a large page on most machines.
    static let largeCount = 2 << 20

    /// Allocates a block that begins with a page, and asks the system to back it by one large page:
    /// that costs one interruption in place of hundreds, and fewer misses when the block is read.
    static func allocateLarge() -> UnsafeMutableRawPointer {
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, largeCount, largeCount) == 0, let memory else {
            outOfMemory(largeCount)
        }
        #if os(Linux)
        // Advice only: without it the block is made of small pages.
        madvise(memory, largeCount, MADV_HUGEPAGE)
        #endif
        return memory
    }

    static func grow(_ memory: UnsafeMutableRawPointer, to count: Int) -> UnsafeMutableRawPointer {
        // Of nothing, `realloc` makes nothing.
        guard let grown = realloc(memory, max(count, 1)) else { outOfMemory(count) }
        return grown
    }

    static func release(_ memory: UnsafeMutableRawPointer) { free(memory) }

    /// The sign of the first difference of two stretches of memory, as `memcmp` gives it.
    static func order(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Int {
        Int(memcmp(a, b, count))
    }

    // Swift itself traps when it cannot allocate; so do rows.
    private static func outOfMemory(_ count: Int) -> Never {
        fatalError("Duramen: no memory for \(count) bytes of rows.")
    }
}
