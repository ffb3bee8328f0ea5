import CZlib
import StoreTestSupport

extension ArchiveWriter {
    /// A raw DEFLATE stream, as model caches are.
    static func packed(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        deflateInit2_(
            &stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var bytes = bytes
        var result = [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 1_000)
        let count = bytes.withUnsafeMutableBufferPointer { source in
            result.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                deflate(&stream, Z_FINISH)
                return target.count - Int(stream.avail_out)
            }
        }
        return Array(result[..<count])
    }
}
