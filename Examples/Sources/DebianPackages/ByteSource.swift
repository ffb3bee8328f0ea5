#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Where a reader takes its bytes from, a block at a time.
protocol ByteSource {
    /// How many bytes there are in all, or `nil` when that shows only at the end.
    var totalBytes: Int? { get }

    /// Fills the block from its start and returns how many bytes it wrote, 0 only at the end.
    mutating func read(into block: inout [UInt8]) throws(PackageReaderError) -> Int
}

/// Bytes that are in memory already.
struct MemorySource: ByteSource {
    private var rest: ArraySlice<UInt8>
    let totalBytes: Int?

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
        totalBytes = bytes.count
    }

    mutating func read(into block: inout [UInt8]) -> Int {
        let count = min(block.count, rest.count)
        block.replaceSubrange(..<count, with: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
    }
}

/// A file, pipe or device, closed when the last reference goes.
final class FileSource: ByteSource {
    private let path: String
    private let descriptor: Int32
    let totalBytes: Int?

    init(path: String) throws(PackageReaderError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw PackageReaderError(path: path, systemErrorCode: errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw PackageReaderError(path: path, systemErrorCode: code)
        }
        self.path = path
        self.descriptor = descriptor
        totalBytes = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    deinit {
        close(descriptor)
    }

    func read(into block: inout [UInt8]) throws(PackageReaderError) -> Int {
        while true {
            // Safe: the call writes at most `count` bytes at the start of a buffer that is as long.
            let count = unsafe block.withUnsafeMutableBytes { buffer in
                unsafe systemRead(descriptor, buffer.baseAddress, buffer.count)
            }
            if count >= 0 { return count }
            let code = errno
            guard code == EINTR else {
                throw PackageReaderError(path: path, systemErrorCode: code)
            }
        }
    }
}

// A function of its own, because inside the class `read` is the class's method.
private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(file, buffer, count)
}

/// What the system calls the error of that number.
func systemErrorText(_ code: Int32) -> String {
    // Safe: the system returns a terminated string, which is copied at once.
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
}
