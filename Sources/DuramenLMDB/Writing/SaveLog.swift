import DuramenModel
import DuramenStore
import Foundation

/// The identifiers of the last saves, by the numbers of the saves. The last number is the store's generation.
struct SaveLog {
    private let transaction: Transaction
    private let cursor: TableCursor

    /// As many saves are found by their identifiers at least.
    static let rememberedCount: Int64 = 1_024
    /// As many are forgotten at once: they are in pages of their own, which are then seldom written.
    private static let forgottenCount: Int64 = 64

    init(_ schema: StoreSchema, _ transaction: Transaction) throws(StoreError) {
        self.transaction = transaction
        cursor = try transaction.cursor(schema.saves)
    }

    /// The number of the last save; 0 before the first one.
    func lastNumber() throws(StoreError) -> Int64 {
        guard let record = try cursor.last() else { return 0 }
        return try save(record).number
    }

    /// Adds a save, and takes away those that are too old.
    func add(_ identifier: UUID, number: Int64) throws(StoreError) {
        let record = try cursor.reserve(20, for: number, appends: true)
        guard let memory = record?.baseAddress else { throw damaged }
        withUnsafeBytes(of: identifier.uuid) { bytes in
            UnsafeMutableRawBufferPointer(start: memory + 4, count: 16).copyMemory(from: bytes)
            withUnsafeBytes(of: number) { number in
                memory.storeBytes(of: Checksum.of(number, then: bytes), as: UInt32.self)
            }
        }
        if number % Self.forgottenCount == 0 { try forget(upTo: number - Self.rememberedCount) }
    }

    private func forget(upTo last: Int64) throws(StoreError) {
        var record = try cursor.first()
        while let found = record, try save(found).number <= last {
            try cursor.removeCurrent()
            record = try cursor.first()
        }
    }

    /// The state that a save made; nil when it is not among the last ones.
    func generation(of identifier: UUID) throws(StoreError) -> StoreGeneration? {
        let sought = withUnsafeBytes(of: identifier.uuid) { Array($0) }
        var record = try cursor.last()
        while let found = record {
            let (number, bytes) = try save(found)
            if bytes.elementsEqual(sought) { return StoreGeneration(rawValue: number) }
            record = try cursor.previous()
        }
        return nil
    }

    /// The number and the identifier of a record, whose checksum is looked at.
    private func save(
        _ record: TableCursor.Record
    ) throws(StoreError) -> (number: Int64, identifier: UnsafeRawBufferPointer) {
        guard record.key.count == 8, record.value.count == 20 else { throw damaged }
        let bytes = UnsafeRawBufferPointer(rebasing: record.value[4...])
        guard
            record.value.loadUnaligned(as: UInt32.self) == Checksum.of(record.key, then: bytes)
        else { throw damaged }
        let number = record.key.loadUnaligned(as: Int64.self)
        // Another one follows.
        guard number >= 0, number < .max else { throw damaged }
        return (number, bytes)
    }

    private var damaged: StoreError {
        StoreError(
            .damagedFile,
            "The list of saves of '\(transaction.environment.path)' is damaged; restore a copy.")
    }
}
