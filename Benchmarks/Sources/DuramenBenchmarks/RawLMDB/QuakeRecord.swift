/// A quake as a value in LMDB: what somebody writes who knows only this workload.
///
/// ```
///    0  magnitude, time, depth, felt (0 when null), region: 8 bytes each
///   40  count of the code's bytes, of the place's bytes: 2 bytes each
///   44  whether it was felt, whether it is reviewed: 1 byte each
///   46  code, place
/// ```
/// LMDB aligns values to 2 bytes only. The identifier is the key.
enum QuakeRecord {
    private static let textStart = 46

    @inline(__always)
    static func byteCount(_ quake: QuakeValues) -> Int {
        textStart + quake.code.utf8.count + quake.place.utf8.count
    }

    /// Writes a quake to memory of its size.
    @inline(__always)
    static func write(_ quake: QuakeValues, to memory: UnsafeMutableRawPointer) {
        memory.storeBytes(of: quake.magnitude, as: Double.self)
        memory.storeBytes(of: quake.time, toByteOffset: 8, as: Double.self)
        memory.storeBytes(of: quake.depth, toByteOffset: 16, as: Double.self)
        memory.storeBytes(of: quake.felt ?? 0, toByteOffset: 24, as: Int64.self)
        memory.storeBytes(of: quake.regionID, toByteOffset: 32, as: Int64.self)
        let codeCount = copy(quake.code, to: memory + textStart)
        let placeCount = copy(quake.place, to: memory + textStart + codeCount)
        memory.storeBytes(of: UInt16(codeCount), toByteOffset: 40, as: UInt16.self)
        memory.storeBytes(of: UInt16(placeCount), toByteOffset: 42, as: UInt16.self)
        memory.storeBytes(of: quake.felt == nil ? 0 : 1, toByteOffset: 44, as: UInt8.self)
        memory.storeBytes(of: quake.isReviewed ? 1 : 0, toByteOffset: 45, as: UInt8.self)
    }

    @inline(__always)
    private static func copy(_ text: String, to memory: UnsafeMutableRawPointer) -> Int {
        var text = text
        return text.withUTF8 { bytes in
            if let start = bytes.baseAddress {
                memory.copyMemory(from: start, byteCount: bytes.count)
            }
            return bytes.count
        }
    }

    /// Makes the typed values of a record.
    @inline(__always)
    static func quake(_ id: Int64, _ record: UnsafeRawPointer) -> QuakeValues {
        let codeCount = Int(record.loadUnaligned(fromByteOffset: 40, as: UInt16.self))
        let placeCount = Int(record.loadUnaligned(fromByteOffset: 42, as: UInt16.self))
        let wasFelt = record.load(fromByteOffset: 44, as: UInt8.self) != 0
        return QuakeValues(
            id: id,
            code: text(record + textStart, count: codeCount),
            place: text(record + textStart + codeCount, count: placeCount),
            magnitude: magnitude(record),
            time: record.loadUnaligned(fromByteOffset: 8, as: Double.self),
            depth: record.loadUnaligned(fromByteOffset: 16, as: Double.self),
            felt: wasFelt ? record.loadUnaligned(fromByteOffset: 24, as: Int64.self) : nil,
            isReviewed: record.load(fromByteOffset: 45, as: UInt8.self) != 0,
            regionID: record.loadUnaligned(fromByteOffset: 32, as: Int64.self))
    }

    @inline(__always)
    static func magnitude(_ record: UnsafeRawPointer) -> Double {
        record.loadUnaligned(as: Double.self)
    }

    @inline(__always)
    static func text(_ start: UnsafeRawPointer, count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
