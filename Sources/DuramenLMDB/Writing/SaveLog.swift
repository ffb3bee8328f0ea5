import DuramenStore
import Foundation

/// The identifiers of the last saves, by the numbers of the saves.
struct SaveLog {
    let transaction: Transaction
    let table: Table

    /// As many saves are found by their identifiers at least.
    static let rememberedCount: Int64 = 1_024

    /// Adds a save, and takes the one away that is too old.
    func add(_ identifier: UUID, number: Int64) throws(StoreError) {
        let cursor = try transaction.cursor(table)
        let record = try cursor.reserve(20, for: number, appends: true)
        guard let memory = record?.baseAddress else { throw damaged }
        withUnsafeBytes(of: identifier.uuid) { bytes in
            UnsafeMutableRawBufferPointer(start: memory + 4, count: 16).copyMemory(from: bytes)
            withUnsafeBytes(of: number) { number in
                memory.storeBytes(of: Checksum.of(number, then: bytes), as: UInt32.self)
            }
        }
        try transaction.remove(number - Self.rememberedCount, from: table)
    }

    /// The state that a save made; nil when it is not among the last ones.
    func generation(of identifier: UUID) throws(StoreError) -> StoreGeneration? {
        let cursor = try transaction.cursor(table)
        let sought = withUnsafeBytes(of: identifier.uuid) { Array($0) }
        var record = try cursor.last()
        while let found = record {
            let bytes = UnsafeRawBufferPointer(rebasing: found.value.dropFirst(4))
            guard found.key.count == 8, bytes.count == 16,
                found.value.loadUnaligned(as: UInt32.self) == Checksum.of(found.key, then: bytes)
            else { throw damaged }
            if bytes.elementsEqual(sought) {
                return StoreGeneration(rawValue: found.key.loadUnaligned(as: Int64.self))
            }
            record = try cursor.previous()
        }
        return nil
    }

    private var damaged: StoreError {
        StoreError(
            .damagedFile,
            "The list of saves of '\(transaction.environment.path)' is damaged; restore a copy.")
    }
}
