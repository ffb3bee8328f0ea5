/// The objects of a binary property list, decoded on demand.
///
/// Foundation's reader does not expose the UIDs of keyed archives. This reader checks every offset
/// and count against the bytes. It does not follow references itself, and so needs no recursion. A
/// container may have one object many times, so a small list could cause endless work. The number
/// of decoded bytes is therefore limited.
///
/// ```
/// "bplist00" | objects … | offsets of the objects | trailer of 32 bytes
///                           each offsetSize bytes   ……offsetSize referenceSize count top table
/// ```
public struct BinaryPropertyList {
    /// An object of a list. Containers have the places of other objects in the list.
    public enum Object: Sendable {
        /// Null.
        case null
        /// A Boolean.
        case boolean(Bool)
        /// An integer.
        case integer(Int64)
        /// An integer above the largest `Int64`.
        case unsigned(UInt64)
        /// A double.
        case double(Double)
        /// A float.
        case float(Float)
        /// A date, in seconds since 2001-01-01 00:00 UTC.
        case date(Double)
        /// Bytes, as a range of the list.
        case data(Range<Int>)
        /// Text.
        case text(String)
        /// A UID of a keyed archive.
        case uid(Int)
        /// An array, as the places of its elements.
        case array([Int])
        /// A dictionary, as the places of its keys and values.
        case dictionary(keys: [Int], values: [Int])
    }

    /// The bytes of the whole list.
    public let bytes: [UInt8]
    /// The place of the outermost object.
    public let top: Int
    private let offsets: [Int]
    private let referenceSize: Int
    private let mostDecodedBytes: Int

    /// The maximum number of objects of a list.
    private static let mostObjects = 1_000_000

    /// The number of decoded bytes so far.
    private final class Work { var byteCount = 0 }
    private let work = Work()

    /// Reads the trailer and the offsets of a list.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the list.
    ///   - mostDecodedBytes: The maximum number of decoded bytes. An object that is decoded again
    ///     counts again.
    /// - Throws: ``ArchiveError`` `.notAnArchive` if the bytes are not a property list, `.damaged`
    ///   for an invalid trailer.
    public init(_ bytes: [UInt8], mostDecodedBytes: Int) throws(ArchiveError) {
        self.bytes = bytes
        self.mostDecodedBytes = mostDecodedBytes
        let trailer = bytes.count - 32
        guard trailer >= 8, Self.isPropertyList(bytes) else {
            throw ArchiveError(.notAnArchive, "is not a binary property list")
        }
        let offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard let count = Self.unsigned(bytes, trailer + 8, 8),
            let top = Self.unsigned(bytes, trailer + 16, 8),
            let table = Self.unsigned(bytes, trailer + 24, 8),
            (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            count > 0, count <= Self.mostObjects, top < count, table >= 8, table <= trailer,
            count <= (trailer - table) / offsetSize
        else { throw .damaged("has a property list with a wrong trailer") }
        self.top = top
        var offsets: [Int] = []
        offsets.reserveCapacity(count)
        for place in 0..<count {
            guard let offset = Self.unsigned(bytes, table + place * offsetSize, offsetSize),
                offset >= 8, offset < table
            else { throw .damaged("has a property list with an object out of place") }
            offsets.append(offset)
        }
        self.offsets = offsets
    }

    /// Returns whether bytes begin like a binary property list.
    public static func isPropertyList(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.starts(with: "bplist00".utf8)
    }

    /// The number of objects.
    public var count: Int { offsets.count }

    /// Decodes the object at a place.
    ///
    /// - Throws: ``ArchiveError`` `.damaged` if the object is invalid, `.limitExceeded` after too
    ///   many bytes.
    public func object(_ place: Int) throws(ArchiveError) -> Object {
        guard offsets.indices.contains(place) else { throw Self.wrongReference }
        let start = offsets[place]
        let marker = bytes[start]
        let low = Int(marker & 0x0F)
        try note(byteCount: 16)
        switch marker >> 4 {
        case 0x0:
            switch low {
            case 0: return .null
            case 8: return .boolean(false)
            case 9: return .boolean(true)
            default: throw Self.wrongObject
            }
        case 0x1: return try integer(start + 1, sizeExponent: low)
        case 0x2:
            switch low {
            case 2:
                let bits = UInt32(truncatingIfNeeded: try number(start + 1, size: 4))
                return .float(Float(bitPattern: bits))
            case 3: return .double(Double(bitPattern: try bits(start + 1)))
            default: throw Self.wrongObject
            }
        case 0x3 where low == 3: return .date(Double(bitPattern: try bits(start + 1)))
        case 0x4: return .data(try content(start, low, width: 1))
        case 0x5: return .text(try text(try content(start, low, width: 1)))
        case 0x6: return .text(try wideText(try content(start, low, width: 2)))
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

    private static var wrongObject: ArchiveError { .damaged("has a damaged object") }
    private static var wrongReference: ArchiveError {
        .damaged("refers to an object that is not there")
    }

    private func note(byteCount: Int) throws(ArchiveError) {
        work.byteCount += byteCount
        if work.byteCount > mostDecodedBytes {
            throw ArchiveError(.limitExceeded, "goes over the same objects without end")
        }
    }

    /// Returns a number; nil if it does not fit `Int`, or is cut off.
    private static func unsigned(_ bytes: [UInt8], _ place: Int, _ size: Int) -> Int? {
        guard place >= 0, size <= 8, place <= bytes.count - size else { return nil }
        var number: UInt64 = 0
        for byte in bytes[place..<place + size] { number = number << 8 | UInt64(byte) }
        return Int(exactly: number)
    }

    private func number(_ place: Int, size: Int) throws(ArchiveError) -> Int {
        guard let number = Self.unsigned(bytes, place, size) else { throw Self.wrongObject }
        return number
    }

    private func bits(_ place: Int) throws(ArchiveError) -> UInt64 {
        guard place <= bytes.count - 8 else { throw Self.wrongObject }
        return bytes[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads an integer. Integers of 8 and 16 bytes are signed, shorter ones unsigned.
    private func integer(_ place: Int, sizeExponent: Int) throws(ArchiveError) -> Object {
        switch sizeExponent {
        case 0...2: return .integer(Int64(try number(place, size: 1 << sizeExponent)))
        case 3: return .integer(Int64(bitPattern: try bits(place)))
        case 4:
            let high = try bits(place)
            let low = try bits(place + 8)
            if high == 0 { return Int64(exactly: low).map { .integer($0) } ?? .unsigned(low) }
            guard high == .max, Int64(bitPattern: low) < 0 else {
                throw .damaged("has a number of more than 64 bits")
            }
            return .integer(Int64(bitPattern: low))
        default: throw Self.wrongObject
        }
    }

    /// Returns the range of the bytes after a marker and its count. A count of 15 or more is a
    /// separate integer.
    private func content(_ start: Int, _ low: Int, width: Int) throws(ArchiveError) -> Range<Int> {
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
        try note(byteCount: count * width)
        return begin..<begin + count * width
    }

    private func text(_ range: Range<Int>) throws(ArchiveError) -> String {
        // A repaired text would not be written back with its original bytes.
        guard let text = String(validating: bytes[range], as: UTF8.self),
            text.utf8.count == text.unicodeScalars.count
        else { throw .damaged("has a text that is not in its encoding") }
        return text
    }

    private func wideText(_ range: Range<Int>) throws(ArchiveError) -> String {
        let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw .damaged("has a text that is not in its encoding")
        }
        return text
    }

    private func references(_ range: Range<Int>) throws(ArchiveError) -> [Int] {
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
