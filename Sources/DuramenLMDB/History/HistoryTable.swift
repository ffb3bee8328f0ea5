import DuramenFileStore
import DuramenModel
import DuramenStore

/// The table of history within a transaction. Every value follows the checksum of its key and
/// itself.
///
/// ```
///   0                      the number of the next change; exists once a history was started
///   1, number              a text: a name, or names of properties
///   2, name                a consumer
///   3, transaction, part   a part of a transaction, see HistoryRecord
/// ```
struct HistoryTable {
    private let transaction: Transaction
    private let table: Table

    init(_ transaction: Transaction, _ table: Table) {
        self.transaction = transaction
        self.table = table
    }

    private enum Kind: UInt8 {
        case state, text, consumer, transaction
    }

    private static let stateKey = [Kind.state.rawValue]

    private static func key(_ kind: Kind, _ number: UInt64) -> [UInt8] {
        [kind.rawValue] + withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func key(_ number: Int64, part: UInt32) -> [UInt8] {
        key(.transaction, UInt64(number)) + withUnsafeBytes(of: part.bigEndian) { Array($0) }
    }

    // MARK: - State

    /// Whether a history was started.
    func isBegun() throws(StoreError) -> Bool { try value(Self.stateKey) != nil }

    /// Starts a history.
    func begin() throws(StoreError) { try setNextChange(1) }

    private func setNextChange(_ number: UInt64) throws(StoreError) {
        try put(withUnsafeBytes(of: number.littleEndian) { Array($0) }, Self.stateKey)
    }

    /// The number of the next change to write.
    func nextChange() throws(StoreError) -> Int64 {
        let cursor = try transaction.cursor(table)
        if let last = try cursor.last(), let (_, part) = place(of: last.key) {
            let record = try record(last, isFirst: part == 0, readsGroups: false)
            let (next, overflows) = record.firstChange.addingReportingOverflow(
                Int64(record.storedCount))
            if overflows { throw damaged }
            return next
        }
        guard let state = try value(Self.stateKey), state.count == 8 else { throw damaged }
        return Int64(
            clamping: UInt64(
                littleEndian: state.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }))
    }

    // MARK: - Texts

    /// Returns a text; nil if its number is unused.
    func text(_ number: UInt64) throws(StoreError) -> String? {
        try value(Self.key(.text, number)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// All texts, by number.
    func texts() throws(StoreError) -> [UInt64: String] {
        var texts: [UInt64: String] = [:]
        try forEach(.text) { (key, value) throws(StoreError) in
            guard key.count == 9 else { throw damaged }
            let number = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
            texts[number] = String(decoding: value, as: UTF8.self)
        }
        return texts
    }

    func add(_ text: String, number: UInt64) throws(StoreError) {
        try put(Array(text.utf8), Self.key(.text, number))
    }

    // MARK: - Consumers

    func consumers() throws(StoreError) -> [HistoryConsumer] {
        var consumers: [HistoryConsumer] = []
        try forEach(.consumer) { (_, value) throws(StoreError) in
            guard let consumer = StoredJSON.value(HistoryConsumer.self, of: value) else {
                throw damaged
            }
            consumers.append(consumer)
        }
        return consumers
    }

    func set(_ consumer: HistoryConsumer) throws(StoreError) {
        try put(try StoredJSON.bytes(of: consumer), try key(ofConsumer: consumer.name))
    }

    func removeConsumer(named name: String) throws(StoreError) {
        try key(ofConsumer: name).withBytes { (key) throws(StoreError) in
            _ = try transaction.remove(key, from: table)
        }
    }

    private func key(ofConsumer name: String) throws(StoreError) -> [UInt8] {
        let key = [Kind.consumer.rawValue] + Array(name.utf8)
        if key.count > KeyBuilder.engineLimit {
            throw StoreError(
                .tooLarge,
                "The name of a consumer of history has \(name.utf8.count) bytes; an LMDB store takes "
                    + "\(KeyBuilder.engineLimit - 1).")
        }
        return key
    }

    // MARK: - Transactions

    func add(_ record: HistoryRecord, number: Int64, part: UInt32) throws(StoreError) {
        try put(record.bytes, Self.key(number, part: part))
    }

    /// The numbers of the first and the last transaction; nil for none.
    func bounds() throws(StoreError) -> (first: Int64, last: Int64)? {
        let cursor = try transaction.cursor(table)
        guard let last = try cursor.last(), let end = place(of: last.key)?.number else {
            return nil
        }
        let start = try Self.key(0, part: 0).withBytes { (key) throws(StoreError) in
            try cursor.seek(key)
        }
        guard let first = start.flatMap({ place(of: $0.key)?.number }) else { throw damaged }
        return (first, end)
    }

    /// Calls `body` with records from a transaction on, until it returns false.
    ///
    /// - Throws: `.damagedFile` for records that are not in order.
    func forEachRecord(
        from number: Int64, readsGroups: Bool,
        _ body: (Int64, HistoryRecord) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let cursor = try transaction.cursor(table)
        var next = try Self.key(number, part: 0).withBytes { (key) throws(StoreError) in
            try cursor.seek(key)
        }
        var last: (number: Int64, part: UInt32) = (number, 0)
        var isFirst = true
        while let found = next {
            guard let (number, part) = place(of: found.key),
                isFirst ? (number, part) >= last : (number, part) > last
            else { throw damaged }
            last = (number, part)
            isFirst = false
            let record = try record(found, isFirst: part == 0, readsGroups: readsGroups)
            if try !body(number, record) { return }
            next = try cursor.next()
        }
    }

    /// Deletes the oldest transactions.
    ///
    /// - Returns: The number of deleted transactions.
    func remove(through number: Int64) throws(StoreError) -> Int {
        let following = try nextChange()
        let cursor = try transaction.cursor(table)
        var count = 0
        while true {
            let first = try Self.key(0, part: 0).withBytes { (key) throws(StoreError) in
                try cursor.seek(key)
            }
            guard let first, let (found, part) = place(of: first.key), found <= number else {
                break
            }
            if part == 0 { count += 1 }
            try cursor.removeCurrent()
        }
        if try bounds() == nil {
            // Numbers of changes are not reused.
            try setNextChange(UInt64(following))
            // No record refers to them any more.
            for number in try texts().keys {
                try Self.key(.text, number).withBytes { (key) throws(StoreError) in
                    _ = try transaction.remove(key, from: table)
                }
            }
        }
        return count
    }

    private func place(of key: UnsafeRawBufferPointer) -> (number: Int64, part: UInt32)? {
        guard key.count == 13, key[0] == Kind.transaction.rawValue,
            let number = Int64(
                exactly: UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 1, as: UInt64.self)))
        else { return nil }
        return (number, UInt32(bigEndian: key.loadUnaligned(fromByteOffset: 9, as: UInt32.self)))
    }

    private func record(
        _ found: TableCursor.Record, isFirst: Bool, readsGroups: Bool
    ) throws(StoreError) -> HistoryRecord {
        guard
            let record = HistoryRecord(
                try checked(found.value, found.key), isFirst: isFirst, readsGroups: readsGroups)
        else { throw damaged }
        return record
    }

    /// Checks that every record is undamaged.
    func check() throws(StoreError) {
        _ = try value(Self.stateKey)
        _ = try texts()
        _ = try consumers()
        try forEachRecord(from: 0, readsGroups: true) { (_, _) in true }
    }

    // MARK: - Bytes

    private func forEach(
        _ kind: Kind,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        let cursor = try transaction.cursor(table)
        var record = try [kind.rawValue].withBytes { (key) throws(StoreError) in
            try cursor.seek(key)
        }
        while let found = record, found.key.first == kind.rawValue {
            try body(found.key, try checked(found.value, found.key))
            record = try cursor.next()
        }
    }

    private func value(_ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        try key.withBytes { (key) throws(StoreError) -> [UInt8]? in
            guard let record = try transaction.value(of: key, in: table) else { return nil }
            return Array(try checked(record, key))
        }
    }

    private func checked(
        _ record: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        guard record.count >= 4 else { throw damaged }
        let payload = UnsafeRawBufferPointer(rebasing: record[4...])
        guard record.loadUnaligned(as: UInt32.self) == Checksum.of(key, then: payload) else {
            throw damaged
        }
        return payload
    }

    private func put(_ payload: [UInt8], _ key: [UInt8]) throws(StoreError) {
        try key.withBytes { (key) throws(StoreError) in
            let sum = payload.withUnsafeBytes { Checksum.of(key, then: $0) }
            let record = withUnsafeBytes(of: sum) { Array($0) } + payload
            try record.withBytes { (record) throws(StoreError) in
                try transaction.put(record, for: key, in: table)
            }
        }
    }

    var damaged: StoreError {
        StoreError(
            .damagedFile,
            "The history of '\(transaction.environment.path)' is damaged; restore a copy.")
    }
}
