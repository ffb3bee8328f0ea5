/// Writes a binary property list byte for byte as Apple's keyed archiver does.
///
/// Objects are numbered in the order of writing: a container first, then its keys, then its values.
/// A UID or a Boolean is written again for every occurrence, and every reference is to the first
/// copy. All of our 127 sample archives are written in this way.
public struct BinaryPropertyListWriter: Sendable {
    /// An object of the list.
    public enum Part: Sendable {
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
        /// Bytes.
        case data([UInt8])
        /// Text. Equal short texts are written once.
        case text(String)
        /// A UID of a keyed archive.
        case uid(Int)
        /// An array.
        case array([Part])
        /// A dictionary. Equal keys of all dictionaries are written once.
        case dictionary([(key: String, value: Part)])
    }

    /// The object at a place.
    private enum Entry {
        case plain([UInt8])
        case container(kind: UInt8, count: Int, references: [Int])
    }

    private var entries: [Entry] = []
    private var keys: [[UInt8]: Int] = [:]
    private var texts: [[UInt8]: Int] = [:]
    private var uids: [Int: Int] = [:]
    private var booleans: [Bool: Int] = [:]
    private var integers: [Int64: Int] = [:]
    private let sharesValues: Bool

    private init(sharesValues: Bool) { self.sharesValues = sharesValues }

    /// Returns the bytes of a list.
    ///
    /// - Parameters:
    ///   - part: The outermost object.
    ///   - sharesValues: Whether equal UIDs, Booleans and integers are written once. This halves a
    ///     list of many small dictionaries.
    /// - Complexity: O(*n*) in the number of objects. It recurses into containers; archives have
    ///   four levels of them.
    public static func bytes(of part: Part, sharesValues: Bool = false) -> [UInt8] {
        var writer = BinaryPropertyListWriter(sharesValues: sharesValues)
        _ = writer.place(of: part)
        return writer.bytes
    }

    // MARK: - Numbering

    private mutating func add(_ entry: Entry) -> Int {
        entries.append(entry)
        return entries.count - 1
    }

    /// Assigns a place to a part, and then places to its own parts.
    private mutating func place(of part: Part) -> Int {
        switch part {
        case .boolean(let flag):
            if sharesValues, let place = booleans[flag] { return place }
            let place = add(.plain([flag ? 9 : 8]))
            return Self.first(place, of: flag, in: &booleans)
        case .uid(let index):
            if sharesValues, let place = uids[index] { return place }
            let place = add(.plain(Self.uid(index)))
            return Self.first(place, of: index, in: &uids)
        case .integer(let number):
            if sharesValues, let place = integers[number] { return place }
            integers[number] = entries.count
            return add(.plain(Self.integer(number)))
        case .unsigned(let number):
            return add(.plain([0x14] + Self.big(0, 8) + Self.big(number, 8)))
        case .double(let number): return add(.plain([0x23] + Self.big(number.bitPattern, 8)))
        case .float(let number): return add(.plain([0x22] + Self.big(UInt64(number.bitPattern), 4)))
        case .date(let seconds): return add(.plain([0x33] + Self.big(seconds.bitPattern, 8)))
        case .data(let bytes): return add(.plain(Self.marker(0x40, bytes.count) + bytes))
        case .text(let text):
            if TaggedText.isShared(text) { return shared(text, in: \.texts) }
            return add(.plain(Self.text(text)))
        case .array(let elements): return container(0xA0, keys: [], elements)
        case .dictionary(let entries):
            return container(0xD0, keys: entries.map(\.key), entries.map(\.value))
        }
    }

    /// Returns the place for references, which is the place of the first equal object.
    private static func first<Key>(_ place: Int, of key: Key, in places: inout [Key: Int]) -> Int {
        if let first = places[key] { return first }
        places[key] = place
        return place
    }

    private mutating func shared(
        _ text: String, in places: WritableKeyPath<Self, [[UInt8]: Int]>
    ) -> Int {
        let bytes = Self.text(text)
        if let place = self[keyPath: places][bytes] { return place }
        let place = add(.plain(bytes))
        self[keyPath: places][bytes] = place
        return place
    }

    private mutating func container(_ kind: UInt8, keys: [String], _ values: [Part]) -> Int {
        let own = add(.container(kind: kind, count: values.count, references: []))
        var references: [Int] = []
        references.reserveCapacity(keys.count + values.count)
        for key in keys { references.append(shared(key, in: \.keys)) }
        for value in values { references.append(place(of: value)) }
        entries[own] = .container(kind: kind, count: values.count, references: references)
        return own
    }

    // MARK: - Bytes

    private var bytes: [UInt8] {
        let referenceSize = Self.size(of: entries.count)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        offsets.reserveCapacity(entries.count)
        for entry in entries {
            offsets.append(bytes.count)
            switch entry {
            case .plain(let own): bytes += own
            case .container(let kind, let count, let references):
                bytes += Self.marker(kind, count)
                for reference in references { bytes += Self.big(UInt64(reference), referenceSize) }
            }
        }
        let table = bytes.count
        let offsetSize = Self.size(of: table)
        for offset in offsets { bytes += Self.big(UInt64(offset), offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        return bytes + Self.big(UInt64(entries.count), 8) + Self.big(0, 8)
            + Self.big(UInt64(table), 8)
    }

    private static func big(_ number: UInt64, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// Returns the smallest number of bytes for a number.
    private static func size(of number: Int) -> Int {
        (1..<8).first { number >> ($0 * 8) == 0 } ?? 8
    }

    private static func integer(_ number: Int64) -> [UInt8] {
        switch number {
        case 0...0xFF: [0x10, UInt8(number)]
        case 0...0xFFFF: [0x11] + big(UInt64(number), 2)
        case 0...0xFFFF_FFFF: [0x12] + big(UInt64(number), 4)
        default: [0x13] + big(UInt64(bitPattern: number), 8)
        }
    }

    private static func uid(_ index: Int) -> [UInt8] {
        let size = Self.size(of: index)
        // UIDs of three bytes are written with four.
        let rounded = size == 3 ? 4 : size > 4 ? 8 : size
        return [0x80 | UInt8(rounded - 1)] + big(UInt64(index), rounded)
    }

    private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind | UInt8(count)] : [kind | 15] + integer(Int64(count))
    }

    private static func text(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 128 }) {
            return marker(0x50, text.utf8.count) + Array(text.utf8)
        }
        return marker(0x60, text.utf16.count) + text.utf16.flatMap { big(UInt64($0), 2) }
    }
}
