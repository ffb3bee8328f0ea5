import DuramenLMDB
import DuramenSQLite
import DuramenStore
import Foundation

/// The store that an argument names.
struct NamedStore {
    private let types: [any InspectableStoreType] = [SQLiteStoreType(), LMDBStoreType()]
    private let type: any InspectableStoreType
    private let path: String

    /// A path with a kind before it, or a path alone: a folder is an LMDB store, a file one of SQLite.
    init(_ argument: String) {
        for type in types where argument.hasPrefix(type.name + ":") {
            self.type = type
            path = String(argument.dropFirst(type.name.count + 1))
            return
        }
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder)
        type = isFolder.boolValue ? LMDBStoreType() : SQLiteStoreType()
        path = argument
    }

    func report(checks: Bool) throws(StoreError) -> StoreReport {
        let description = PersistentStoreDescription(type: type, location: path).readOnly()
        return try type.report(on: description, checks: checks)
    }
}
