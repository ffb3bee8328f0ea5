import DuramenLMDB
import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation

/// The store that an argument names.
struct NamedStore {
    private let types: [any InspectableStoreType] = [SQLiteStoreType(), LMDBStoreType()]
    private let type: any InspectableStoreType
    private let path: String

    /// A path with a kind before it, or a path alone: a folder is an LMDB store, a file one of
    /// SQLite.
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

    var description: PersistentStoreDescription {
        PersistentStoreDescription(type: type, location: path)
    }

    /// Whether an argument says which kind of store it names.
    static func namesKind(_ argument: String) -> Bool {
        NamedStore(argument).path.utf8.count < argument.utf8.count
    }

    /// Makes sure that nothing is where the store is to be made.
    func checkAbsent(_ remedy: String) throws(StoreError) {
        if FileManager.default.fileExists(atPath: path) {
            throw StoreError(
                .invalidRequest, "There is something at '\(path)' already; \(remedy).")
        }
    }

    /// The name of a root entity that the store has objects of; nil for an empty store.
    func firstEntityWithObjects(of model: ManagedObjectModel) throws(StoreError) -> String? {
        let store = try description.readOnly().open(model: model)
        let snapshot = try store.snapshot()
        for root in model.entities where root.superentity == nil {
            if try snapshot.count(StoreQuery(entity: root.id)) > 0 {
                try store.close()
                return root.name
            }
        }
        try store.close()
        return nil
    }

    /// Makes the store.
    func make(_ model: ManagedObjectModel) throws(StoreError) -> any PersistentStore {
        try description.open(model: model)
    }

    /// A store of the same kind at a place beside.
    func beside(_ ending: String) -> NamedStore { NamedStore("\(type.name):\(path)\(ending)") }

    /// Copies the store to a place where nothing is.
    func copy(to other: NamedStore) throws(StoreError) {
        try type.copy(description.readOnly(), to: other.description)
    }

    /// Takes a store away that was made here.
    func destroy() throws(StoreError) {
        try type.destroy(description)
        // Nobody waits for a store that is no more.
        try? FileManager.default.removeItem(atPath: path + ".lock")
    }

    func report(
        model: ManagedObjectModel? = nil, checks: Bool
    ) throws(StoreError) -> StoreReport {
        let description = description.readOnly()
        return try type.report(on: description, model: model, checks: checks)
    }

    /// In what the store's file differs from those of Core Data.
    ///
    /// - Parameter model: The store's; nil for the one that it keeps.
    func differencesFromCoreData(_ model: ManagedObjectModel?) throws(StoreError) -> [String] {
        guard let sqlite = type as? SQLiteStoreType else {
            throw StoreError(
                .invalidRequest,
                "'\(path)' is not a SQLite store, the only kind that Core Data shares with Duramen."
            )
        }
        let model = if let model { model } else { try storedModel() }
        return try sqlite.differencesFromCoreData(in: description.readOnly(), model: model)
    }

    /// Adds tables and columns that the store lacks of the model that it keeps.
    ///
    /// - Returns: What was added.
    func repairSchema() throws(StoreError) -> [String] {
        guard let sqlite = type as? SQLiteStoreType else {
            throw StoreError(
                .invalidRequest,
                "'\(path)' is not a SQLite store. Only SQLite stores have tables and columns."
            )
        }
        return try sqlite.repairSchema(of: description, model: storedModel())
    }

    /// Makes sure that the store is there and can be read.
    func checkPresent() throws(StoreError) { _ = try type.metadata(of: description.readOnly()) }

    /// Whether the store was written with a version of a model, as far as it says that.
    func isOfVersion(_ model: ManagedObjectModel) -> Bool {
        guard let metadata = try? type.metadata(of: description.readOnly()) else { return false }
        // Of which format the store is shows when it is opened.
        return [false, true].contains { omitsReferences in
            model.entities(
                unlike: metadata.modelChecksum, metadata.entityVersionHashes,
                omitsReferences: omitsReferences
            ).isEmpty
        }
    }

    /// Opens the store for reading only.
    func open(
        with model: ManagedObjectModel, missingValuesAreNull: Bool
    ) throws(StoreError) -> any PersistentStore {
        var description = description.readOnly()
        description.opening.missingValuesAreNull = missingValuesAreNull
        return try description.open(model: model)
    }

    /// The model that the store keeps of itself; one of its columns where Core Data wrote the store
    /// before it kept models, which is said beside the output.
    func storedModel() throws(StoreError) -> ManagedObjectModel {
        let description = description.readOnly()
        do throws(StoreError) {
            do throws(StoreError) {
                return try type.storedModel(of: description).model
            } catch {
                guard error.code == .modelMissing, let sqlite = type as? SQLiteStoreType else {
                    throw error
                }
                let stored = try sqlite.columnModel(of: description)
                for finding in stored.findings {
                    Screen.printNote("note: '\(path)': \(finding)")
                }
                return stored.model
            }
        } catch {
            if error.code != .modelMissing { throw error }
        }
        throw StoreError(
            .modelMissing,
            "'\(path)' keeps no model of its own; name a model file with --model, or a store that keeps the "
                + "model with --model-of.")
    }
}
