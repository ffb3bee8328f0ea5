import CZlib
import DuramenStore

/// Compresses bytes to a raw DEFLATE stream, for ``Inflation``.
enum Deflation {
    static func deflate(_ bytes: [UInt8]) throws(StoreError) -> [UInt8] {
        var stream = z_stream()
        // Negative window bits: a stream without a header.
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY,
                ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw StoreError(.io, "zlib cannot be used.") }
        defer { deflateEnd(&stream) }
        var input = bytes
        var result = [UInt8](
            repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        let status = input.withUnsafeMutableBufferPointer { input in
            result.withUnsafeMutableBufferPointer { output in
                // Both buffers stay valid while the stream is used.
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(clamping: input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(clamping: output.count)
                return CZlib.deflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END else { throw StoreError(.io, "zlib cannot pack a model.") }
        result.removeLast(Int(stream.avail_out))
        return result
    }
}
