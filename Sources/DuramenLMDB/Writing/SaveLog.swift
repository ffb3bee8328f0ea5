import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation

/// The identifiers of the last saves, by the numbers of the saves. The last number is the store's
/// generation.
///
/// A commit writes each changed page. The page of the engine's main table always changes, so the
/// newest saves are one record in it. They are moved to other pages only sometimes.
struct SaveLog {
    private let transaction: Transaction
    private let schema: StoreSchema

    /// The minimum number of saves that can be found by their identifiers.
    static let rememberedCount: Int64 = 1_024
    /// The largest number of saves in the record of the newest ones.
    static let newestCount = 16
    /// The number of saves that are forgotten at once: they are in separate pages, which are then
    /// rarely written.
    private static let forgottenCount: Int64 = 64

    /// A save in the record of the newest ones: its number, then its identifier.
    private static let entryBytes = 24

    init(_ schema: StoreSchema, _ transaction: Transaction) {
        self.transaction = transaction
        self.schema = schema
    }

    /// Returns the number of the last save; 0 before the first one.
    func lastNumber() throws(StoreError) -> Int64 {
        if let newest = try newest() {
            return try number(newest, at: newest.count - Self.entryBytes)
        }
        // Stores of the first format get this record when they are next written.
        guard let record = try transaction.cursor(schema.tables.saves).last() else { return 0 }
        return try older(record).number
    }

    /// Adds a save, and removes old ones.
    func add(_ identifier: UUID, number: Int64) throws(StoreError) {
        var entries: [UInt8] = []
        if let newest = try newest() {
            if newest.count < Self.newestCount * Self.entryBytes {
                entries = Array(newest)
            } else {
                try move(Array(newest))
            }
        }
        withUnsafeBytes(of: number) { entries += $0 }
        withUnsafeBytes(of: identifier.uuid) { entries += $0 }
        let sum = entries.withUnsafeBytes { Checksum.of($0) }
        let record = withUnsafeBytes(of: sum) { Array($0) } + entries
        try Table.Name.newestSaves.withBytes { (key) throws(StoreError) in
            try record.withBytes { (record) throws(StoreError) in
                try transaction.put(record, for: key, in: schema.tables.main)
            }
        }
    }

    /// Moves saves into the table of older ones.
    private func move(_ entries: [UInt8]) throws(StoreError) {
        let cursor = try transaction.cursor(schema.tables.saves)
        var last: Int64 = 0
        for start in stride(from: 0, to: entries.count, by: Self.entryBytes) {
            let entry = entries[start..<start + Self.entryBytes]
            last = entry.withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
            let record = try cursor.reserve(20, for: last, appends: true)
            guard let memory = record?.baseAddress else { throw damaged }
            entry.dropFirst(8).withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(start: memory + 4, count: 16).copyMemory(from: bytes)
                withUnsafeBytes(of: last) { number in
                    memory.storeBytes(of: Checksum.of(number, then: bytes), as: UInt32.self)
                }
            }
        }
        if last % Self.forgottenCount < Int64(Self.newestCount) {
            try forget(upTo: last - Self.rememberedCount, cursor)
        }
    }

    private func forget(upTo last: Int64, _ cursor: TableCursor) throws(StoreError) {
        var record = try cursor.first()
        while let found = record, try older(found).number <= last {
            try cursor.removeCurrent()
            record = try cursor.first()
        }
    }

    /// Returns the state of a save; nil if it is not among the last ones.
    func generation(of identifier: UUID) throws(StoreError) -> StoreGeneration? {
        let sought = withUnsafeBytes(of: identifier.uuid) { Array($0) }
        if let newest = try newest() {
            for start in stride(from: 0, to: newest.count, by: Self.entryBytes)
            where newest[start + 8..<start + Self.entryBytes].elementsEqual(sought) {
                return StoreGeneration(rawValue: try number(newest, at: start))
            }
        }
        let cursor = try transaction.cursor(schema.tables.saves)
        var record = try cursor.last()
        while let found = record {
            let (number, bytes) = try older(found)
            if bytes.elementsEqual(sought) { return StoreGeneration(rawValue: number) }
            record = try cursor.previous()
        }
        return nil
    }

    /// Checks every record.
    func checkAll() throws(StoreError) {
        _ = try newest()
        let cursor = try transaction.cursor(schema.tables.saves)
        var record = try cursor.first()
        while let found = record {
            _ = try older(found)
            record = try cursor.next()
        }
    }

    // MARK: - Bytes

    /// The entries of the newest saves, the last one last, after their checksum; nil without the
    /// record.
    private func newest() throws(StoreError) -> UnsafeRawBufferPointer? {
        let found = try Table.Name.newestSaves.withBytes { (key) throws(StoreError) in
            try transaction.value(of: key, in: schema.tables.main)
        }
        guard let record = found else { return nil }
        let size = record.count - 4
        guard size > 0, size % Self.entryBytes == 0, size <= Self.newestCount * Self.entryBytes
        else { throw damaged }
        let entries = UnsafeRawBufferPointer(rebasing: record[4...])
        guard record.loadUnaligned(as: UInt32.self) == Checksum.of(entries) else { throw damaged }
        return entries
    }

    private func number(
        _ entries: UnsafeRawBufferPointer, at start: Int
    ) throws(StoreError) -> Int64 {
        try checked(entries.loadUnaligned(fromByteOffset: start, as: Int64.self))
    }

    /// The number and the identifier in a record of the older saves, whose checksum is checked.
    private func older(
        _ record: TableCursor.Record
    ) throws(StoreError) -> (number: Int64, identifier: UnsafeRawBufferPointer) {
        guard record.key.count == 8, record.value.count == 20 else { throw damaged }
        let bytes = UnsafeRawBufferPointer(rebasing: record.value[4...])
        guard
            record.value.loadUnaligned(as: UInt32.self) == Checksum.of(record.key, then: bytes)
        else { throw damaged }
        return (try checked(record.key.loadUnaligned(as: Int64.self)), bytes)
    }

    /// Checks that a number can be followed by another one.
    private func checked(_ number: Int64) throws(StoreError) -> Int64 {
        guard number >= 0, number < .max else { throw damaged }
        return number
    }

    private var damaged: StoreError {
        StoreError(
            .damagedFile,
            "The list of saves of '\(transaction.environment.path)' is damaged; restore a copy.")
    }
}
