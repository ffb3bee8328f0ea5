#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Finds bytes in bytes.
public enum ByteSearch {
    /// Returns the first index at or after `start` at which `bytes` has `needle`; nil if there is
    /// none.
    ///
    /// - Complexity: Linear. Candidates are found by the C library's byte search and compared,
    ///   which is fastest on common text. If there are too many candidates, as in "aaaa…", a search
    ///   that examines each byte once takes over.
    public static func first(
        _ needle: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer, from start: Int = 0
    ) -> Int? {
        if needle.isEmpty { return start <= bytes.count ? start : nil }
        guard let base = bytes.baseAddress else { return nil }
        let last = bytes.count - needle.count
        let lead = Int32(needle[0])
        var place = start
        var budget = 8 * (bytes.count - start) + 1024
        while place <= last {
            // In bounds: `place` is at most `last`, and the search ends with `last`.
            guard let found = memchr(base + place, lead, last - place + 1) else { return nil }
            place = UnsafeRawPointer(found) - base
            if stands(needle, at: place, in: bytes) { return place }
            place += 1
            budget -= needle.count
            if budget < 0 { return steadyFirst(needle, in: bytes, from: place) }
        }
        return nil
    }

    /// Returns the first index by the search of Knuth, Morris and Pratt.
    private static func steadyFirst(
        _ needle: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer, from start: Int
    ) -> Int? {
        // borders[i]: the length of the longest proper prefix of needle[...i] that also ends it.
        var borders = [Int](repeating: 0, count: needle.count)
        var length = 0
        for index in 1..<max(needle.count, 1) {
            while length > 0, needle[index] != needle[length] { length = borders[length - 1] }
            if needle[index] == needle[length] { length += 1 }
            borders[index] = length
        }
        var matched = 0
        for place in start..<max(bytes.count, start) {
            while matched > 0, bytes[place] != needle[matched] { matched = borders[matched - 1] }
            if bytes[place] == needle[matched] { matched += 1 }
            if matched == needle.count { return place - matched + 1 }
        }
        return nil
    }

    /// Returns whether `bytes` has `part` at `place`.
    static func stands(
        _ part: UnsafeRawBufferPointer, at place: Int, in bytes: UnsafeRawBufferPointer
    ) -> Bool {
        guard place >= 0, bytes.count - place >= part.count else { return false }
        guard part.count > 0, let base = bytes.baseAddress, let sought = part.baseAddress else {
            return part.isEmpty
        }
        // In bounds: the guard above leaves `part.count` bytes from `place`.
        return memcmp(base + place, sought, part.count) == 0
    }
}
