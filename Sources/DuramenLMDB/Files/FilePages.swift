import DuramenFileStore
import DuramenStore
import Foundation

/// Reads parts of a file with plain reads, since a damaged file must not be mapped.
final class FilePages {
    private let file: Int32
    private let isBorrowed: Bool
    /// The length of the file in bytes.
    let byteCount: Int

    /// Opens a file that no engine of this process has open; nil if it cannot be read.
    init?(path: String) {
        guard case .file(_, let size) = SystemCalls.kind(of: path) else { return nil }
        file = SystemCalls.openForReading(path)
        if file < 0 { return nil }
        byteCount = Int(size)
        isBorrowed = false
    }

    /// Reads through an open file handle of somebody else; nil if the file's size is unknown.
    init?(borrowing file: Int32) {
        guard let size = SystemCalls.byteCount(of: file) else { return nil }
        self.file = file
        byteCount = size
        isBorrowed = true
    }

    deinit { if file >= 0, !isBorrowed { SystemCalls.closeFile(file) } }

    /// Reads the whole file in order, so that later reads in any order find it in the system's
    /// memory. A file larger than half of the memory is skipped: its end would displace its
    /// beginning.
    func readThrough() {
        guard byteCount <= ProcessInfo.processInfo.physicalMemory / 2 else { return }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 8)
        defer { memory.deallocate() }
        var place = 0
        while let count = SystemCalls.read(file, at: place, into: memory), count > 0 {
            place += count
        }
    }

    /// Returns the bytes at an offset; nil if the file is too short.
    func bytes(at offset: Int, count: Int) -> PageBytes? {
        guard offset >= 0, count >= 0, offset <= byteCount - count else { return nil }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
        let bytes = PageBytes(memory)
        return SystemCalls.read(file, at: offset, into: memory) == count ? bytes : nil
    }
}

/// Bytes of a file, for reads with bounds checks.
final class PageBytes {
    private let memory: UnsafeMutableRawBufferPointer

    init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    deinit { memory.deallocate() }

    var count: Int { memory.count }

    /// Returns a number at an offset, which must be within the bytes.
    func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Int {
        Int(
            truncatingIfNeeded: UnsafeRawBufferPointer(memory)
                .loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// Returns a part of the bytes; the range must be within them.
    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[range])
    }
}
