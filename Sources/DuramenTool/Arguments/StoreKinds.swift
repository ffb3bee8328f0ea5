import DuramenLMDB
import DuramenModel
import DuramenSQLite
import DuramenStore

/// The kinds of stores that the program knows.
enum StoreKinds {
    private static let files: [any InspectableStoreType] = [SQLiteStoreType(), LMDBStoreType()]
    private static let others = Locked<[any InspectableStoreType]>([])

    /// All kinds: those in files, and those of the program.
    static var all: [any InspectableStoreType] { files + others.withLock { $0 } }

    /// Adds kinds, before any argument is read.
    static func add(_ types: [any InspectableStoreType]) { others.withLock { $0 += types } }

    /// Whether stores of a kind are files or folders.
    static func areFiles(_ type: any InspectableStoreType) -> Bool {
        files.contains { StoredText($0.name) == StoredText(type.name) }
    }
}
