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
