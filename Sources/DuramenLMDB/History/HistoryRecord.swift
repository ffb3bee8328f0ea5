import DuramenModel
import DuramenStore
import Foundation

/// The bytes of history: numbers of seven bits a byte, grouped changes, and names stored once.
///
/// ```
///   record   head in the first part, number of its first change, count of its changes, groups
///   head     seconds since 2001 (8 bytes), author, program, context, process
///   group    type, entity, list of properties, columns, tombstone, count of keys, each key as the
///            distance from the previous one
/// ```
/// Names, and lists of properties, are numbers of texts that the table has once; 0 is none. Columns
/// are a set of bits over the list, so that records can be decoded with any later model.
struct HistoryRecord {
    /// The author, time and other information of a transaction.
    struct Head {
        var timestamp: Date
        var author: UInt64
        var bundleID: UInt64
        var contextName: UInt64
        var processID: UInt64
    }

    /// Changes of one type, of objects of one entity.
    struct Group {
        var type: PersistentHistoryChange.ChangeType
        /// The number of the text with the entity's name.
        var entity: UInt64
        /// The number of the text with the names of its properties; 0 without columns.
        var properties: UInt64 = 0
        var columns: [UInt8] = []
        /// The values of a tombstone, as JSON.
        var values: [UInt8] = []
        var keys: [Int64]
    }

    /// Nil in all parts of a transaction except the first.
    var head: Head?
    var firstChange: Int64
    var groups: [Group]

    var changeCount: Int { groups.reduce(0) { $0 + $1.keys.count } }

    // MARK: - Writing

    var bytes: [UInt8] {
        var writer = HistoryBytes()
        if let head {
            writer.add(head.timestamp.timeIntervalSinceReferenceDate.bitPattern)
            for name in [head.author, head.bundleID, head.contextName, head.processID] {
                writer.add(number: name)
            }
        }
        writer.add(number: UInt64(firstChange))
        writer.add(number: UInt64(changeCount))
        for group in groups {
            writer.add(number: UInt64(group.type.rawValue))
            writer.add(number: group.entity)
            writer.add(number: group.properties)
            writer.add(group.columns)
            writer.add(group.values)
            writer.add(number: UInt64(group.keys.count))
            var last: Int64 = 0
            for key in group.keys {
                let step = key &- last
                writer.add(number: UInt64(bitPattern: step << 1 ^ step >> 63))
                last = key
            }
        }
        return writer.bytes
    }

    // MARK: - Reading

    /// - Parameters:
    ///   - bytes: The bytes of a record.
    ///   - isFirst: Whether it is the first part of its transaction.
    ///   - readsGroups: Whether to decode the changes.
    /// - Returns: Nil if the bytes are not a record.
    init?(_ bytes: UnsafeRawBufferPointer, isFirst: Bool, readsGroups: Bool) {
        var reader = HistoryBytes.Reader(bytes)
        if isFirst {
            guard let timestamp = reader.word(), let author = reader.number(),
                let bundleID = reader.number(), let contextName = reader.number(),
                let processID = reader.number()
            else { return nil }
            head = Head(
                timestamp: Date(
                    timeIntervalSinceReferenceDate: Double(bitPattern: timestamp)),
                author: author, bundleID: bundleID, contextName: contextName,
                processID: processID)
        }
        guard let first = reader.number().flatMap(Int64.init(exactly:)),
            let count = reader.number().flatMap(Int.init(exactly:))
        else { return nil }
        firstChange = first
        groups = []
        storedCount = count
        if !readsGroups { return }
        while !reader.isAtEnd {
            guard let group = Group(&reader) else { return nil }
            groups.append(group)
        }
        if changeCount != count { return nil }
    }

    init(head: Head?, firstChange: Int64, groups: [Group]) {
        self.head = head
        self.firstChange = firstChange
        self.groups = groups
        storedCount = 0
        storedCount = changeCount
    }

    /// The stored number of changes.
    private(set) var storedCount: Int
}

extension HistoryRecord.Group {
    fileprivate init?(_ reader: inout HistoryBytes.Reader) {
        guard let number = reader.number().flatMap(Int.init(exactly:)),
            let type = PersistentHistoryChange.ChangeType(rawValue: number),
            let entity = reader.number(), let properties = reader.number(),
            let columns = reader.bytes(), let values = reader.bytes(),
            // Every key has at least one byte.
            let count = reader.number(), count <= UInt64(reader.remaining)
        else { return nil }
        self.type = type
        self.entity = entity
        self.properties = properties
        self.columns = columns
        self.values = values
        keys = []
        keys.reserveCapacity(Int(count))
        var last: Int64 = 0
        for _ in 0..<count {
            guard let step = reader.number() else { return nil }
            last &+= Int64(bitPattern: step >> 1) ^ -Int64(bitPattern: step & 1)
            keys.append(last)
        }
    }
}

/// Numbers as bytes: seven bits each, the lowest first, with the highest bit set in all bytes
/// except the last.
struct HistoryBytes {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ word: UInt64) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func add(number: UInt64) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func add(_ other: [UInt8]) {
        add(number: UInt64(other.count))
        bytes += other
    }

    /// Reads what was added; nil at a premature end.
    struct Reader {
        private let memory: UnsafeRawBufferPointer
        private var place = 0

        init(_ memory: UnsafeRawBufferPointer) { self.memory = memory }

        var isAtEnd: Bool { place == memory.count }
        var remaining: Int { memory.count - place }

        mutating func word() -> UInt64? {
            guard remaining >= 8 else { return nil }
            defer { place += 8 }
            return UInt64(
                littleEndian: memory.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        }

        mutating func number() -> UInt64? {
            var number: UInt64 = 0
            var shift: UInt64 = 0
            while place < memory.count, shift < 64 {
                let byte = memory[place]
                place += 1
                number |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return number }
                shift += 7
            }
            return nil
        }

        mutating func bytes() -> [UInt8]? {
            guard let count = number(), count <= UInt64(remaining) else { return nil }
            defer { place += Int(count) }
            return Array(memory[place..<place + Int(count)])
        }
    }
}
