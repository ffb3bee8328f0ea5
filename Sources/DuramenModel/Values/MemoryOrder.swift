#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The sign of the first difference of two stretches of memory, as `memcmp` gives it.
func memoryOrder(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Int {
    Int(memcmp(a, b, count))
}
