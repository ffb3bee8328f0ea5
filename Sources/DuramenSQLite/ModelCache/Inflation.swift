import CZlib
import DuramenArchives

/// The reason why a model cache cannot be read, as the end of a sentence.
struct ModelCacheDamage: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }

    init(_ error: ArchiveError) { reason = "its archive \(error.problem)" }
}

/// Decompresses a raw DEFLATE stream, which has neither header nor checksum.
enum Inflation {
    /// Returns the bytes of a stream.
    ///
    /// - Parameters:
    ///   - bytes: The compressed bytes.
    ///   - maximumBytes: The largest accepted size, so that a small file cannot fill the memory.
    static func inflate(
        _ bytes: UnsafeRawBufferPointer, maximumBytes: Int
    ) throws(ModelCacheDamage) -> [UInt8] {
        var stream = z_stream()
        // A negative number of window bits means a stream without a header.
        guard
            inflateInit2_(
                &stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw ModelCacheDamage("zlib cannot be used") }
        defer { inflateEnd(&stream) }
        // Sound: zlib only reads what is packed.
        stream.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.avail_in = UInt32(clamping: bytes.count)
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let (status, count) = chunk.withUnsafeMutableBufferPointer { buffer in
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(buffer.count)
                let status = CZlib.inflate(&stream, Z_NO_FLUSH)
                return (status, buffer.count - Int(stream.avail_out))
            }
            if result.count + count > maximumBytes {
                throw ModelCacheDamage("it unpacks to more than \(maximumBytes) bytes")
            }
            result += chunk[..<count]
            if status == Z_STREAM_END { return result }
            // Without progress the stream is incomplete.
            guard status == Z_OK, count > 0 || stream.avail_in > 0 else {
                throw ModelCacheDamage("it is not a whole DEFLATE stream")
            }
        }
    }
}
