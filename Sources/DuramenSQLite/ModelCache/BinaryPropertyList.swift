import Foundation

/// The objects of a binary property list, each decoded when it is asked for.
///
/// Foundation's reader has no word for the UIDs of keyed archives. This one checks every offset and
/// count against the bytes, follows no reference by itself, and so needs no recursion. Since objects may
/// share parts, a small list can stand for endless work: decoding ends after a number of bytes.
struct BinaryPropertyList {
    /// One object. Containers hold the places of other objects in the list.
    enum Object {
        case null
        case boolean(Bool)
        case integer(Int64)
        case real(Double)
        /// Seconds since 2001-01-01 00:00 UTC.
        case date(Double)
        case data(Range<Int>)
        case text(String)
        case uid(Int)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    let bytes: [UInt8]
    /// The place of the outermost object.
    let top: Int
    private let offsets: [Int]
    private let referenceSize: Int

    /// The most objects that a list may have.
    private static let mostObjects = 1_000_000
    /// The most bytes that are decoded, counting again what is asked for again. The largest archives known
    /// have 2 MB and need about ten times as many.
    private static let mostDecodedBytes = 400_000_000

    /// What was decoded so far.
    private final class Work { var byteCount = 0 }
    private let work = Work()

    init(_ bytes: [UInt8]) throws(ModelCacheDamage) {
        self.bytes = bytes
        let trailer = bytes.count - 32
        guard trailer >= 8, bytes.starts(with: Array("bplist00".utf8)) else {
            throw ModelCacheDamage("it is no binary property list")
        }
        let offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard let count = Self.unsigned(bytes, trailer + 8, 8),
            let top = Self.unsigned(bytes, trailer + 16, 8),
            let table = Self.unsigned(bytes, trailer + 24, 8),
            (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            count > 0, count <= Self.mostObjects, top < count, table >= 8, table <= trailer,
            count <= (trailer - table) / offsetSize
        else { throw ModelCacheDamage("the trailer of its property list is wrong") }
        self.top = top
        var offsets: [Int] = []
        offsets.reserveCapacity(count)
        for place in 0..<count {
            guard let offset = Self.unsigned(bytes, table + place * offsetSize, offsetSize),
                offset >= 8, offset < table
            else { throw ModelCacheDamage("an object of its property list is out of place") }
            offsets.append(offset)
        }
        self.offsets = offsets
    }

    /// The number of objects.
    var count: Int { offsets.count }

    /// The object at a place.
    func object(_ place: Int) throws(ModelCacheDamage) -> Object {
        guard offsets.indices.contains(place) else { throw Self.wrongReference }
        let start = offsets[place]
        let marker = bytes[start]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0:
            switch low {
            case 8: return .boolean(false)
            case 9: return .boolean(true)
            default: return .null
            }
        case 0x1: return .integer(try integer(start + 1, size: 1 << low))
        case 0x2:
            switch low {
            case 2:
                let bits = UInt32(truncatingIfNeeded: try number(start + 1, size: 4))
                return .real(Double(Float(bitPattern: bits)))
            case 3:
                return .real(Double(bitPattern: UInt64(try bits(start + 1))))
            default: throw Self.wrongObject
            }
        case 0x3 where low == 3: return .date(Double(bitPattern: UInt64(try bits(start + 1))))
        case 0x4: return .data(try content(start, low, width: 1))
        case 0x5:
            return .text(String(decoding: bytes[try content(start, low, width: 1)], as: UTF8.self))
        case 0x6: return .text(wideText(try content(start, low, width: 2)))
        case 0x8: return .uid(try number(start + 1, size: low + 1))
        case 0xA:
            return .array(try references(try content(start, low, width: referenceSize)))
        case 0xD:
            let all = try references(try content(start, low, width: referenceSize * 2))
            return .dictionary(
                keys: Array(all[..<(all.count / 2)]), values: Array(all[(all.count / 2)...]))
        default: throw Self.wrongObject
        }
    }

    // MARK: - Parts of objects

    private static var wrongObject: ModelCacheDamage {
        ModelCacheDamage("an object of its property list is damaged")
    }
    private static var wrongReference: ModelCacheDamage {
        ModelCacheDamage("its property list refers to an object that is not there")
    }

    /// A number that fits `Int`; nil when it does not, or is cut off.
    private static func unsigned(_ bytes: [UInt8], _ place: Int, _ size: Int) -> Int? {
        guard place >= 0, size <= 8, place <= bytes.count - size else { return nil }
        var number: UInt64 = 0
        for byte in bytes[place..<place + size] { number = number << 8 | UInt64(byte) }
        return Int(exactly: number)
    }

    private func number(_ place: Int, size: Int) throws(ModelCacheDamage) -> Int {
        guard let number = Self.unsigned(bytes, place, size) else { throw Self.wrongObject }
        return number
    }

    private func bits(_ place: Int) throws(ModelCacheDamage) -> UInt64 {
        guard place <= bytes.count - 8 else { throw Self.wrongObject }
        return bytes[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Numbers of 8 bytes have a sign; those of 16 stand for what is above the largest of them.
    private func integer(_ place: Int, size: Int) throws(ModelCacheDamage) -> Int64 {
        switch size {
        case 8: return Int64(bitPattern: try bits(place))
        case 16: return Int64(clamping: try bits(place + 8))
        default: return Int64(try number(place, size: size))
        }
    }

    /// The bytes behind a marker and its count; counts of 15 and more stand in an integer of their own.
    private func content(
        _ start: Int, _ low: Int, width: Int
    ) throws(ModelCacheDamage) -> Range<Int> {
        var count = low
        var begin = start + 1
        if low == 15 {
            guard begin < bytes.count, bytes[begin] >> 4 == 1, bytes[begin] & 0x0F <= 3 else {
                throw Self.wrongObject
            }
            let size = 1 << Int(bytes[begin] & 0x0F)
            count = try number(begin + 1, size: size)
            begin += 1 + size
        }
        guard begin <= bytes.count, count <= (bytes.count - begin) / width else {
            throw Self.wrongObject
        }
        work.byteCount += 16 + count * width
        if work.byteCount > Self.mostDecodedBytes {
            throw ModelCacheDamage("its archive goes over the same objects without end")
        }
        return begin..<begin + count * width
    }

    private func wideText(_ range: Range<Int>) -> String {
        let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return String(decoding: units, as: UTF16.self)
    }

    private func references(_ range: Range<Int>) throws(ModelCacheDamage) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(range.count / referenceSize)
        var place = range.lowerBound
        while place < range.upperBound {
            let reference = try number(place, size: referenceSize)
            guard reference < offsets.count else { throw Self.wrongReference }
            result.append(reference)
            place += referenceSize
        }
        return result
    }
}
