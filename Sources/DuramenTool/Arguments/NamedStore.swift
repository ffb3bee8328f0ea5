import DuramenLMDB
import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation

/// A store that an argument names.
struct NamedStore {
    private let type: any InspectableStoreType
    private let described: Result<PersistentStoreDescription, StoreError>
    /// The text after the kind, which for some kinds has a password.
    private let text: String

    /// Parses a path with or without a kind before it. Without, a folder is an LMDB store, and a
    /// file an SQLite store.
    init(_ argument: String) {
        for type in StoreKinds.all {
            for name in [type.name] + type.otherNames where argument.hasPrefix(name + ":") {
                self.init(type, String(argument.dropFirst(name.count + 1)))
                return
            }
        }
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder)
        self.init(isFolder.boolValue ? LMDBStoreType() : SQLiteStoreType(), argument)
    }

    private init(_ type: any InspectableStoreType, _ text: String) {
        self.text = text
        do throws(StoreError) {
            let description = try type.description(forLocation: text)
            described = .success(description)
            // The type may be that of one server.
            self.type = description.type as? any InspectableStoreType ?? type
        } catch {
            described = .failure(error)
            self.type = type
        }
    }

    private init(_ description: PersistentStoreDescription, _ type: any InspectableStoreType) {
        described = .success(description)
        text = description.location
        self.type = type
    }

    var description: PersistentStoreDescription {
        get throws(StoreError) { try described.get() }
    }

    /// The location for messages, without what a connection string keeps secret.
    var path: String {
        if case .success(let description) = described { description.location } else { type.name }
    }

    /// Whether an argument names the kind of the store.
    static func namesKind(_ argument: String) -> Bool {
        NamedStore(argument).text.utf8.count < argument.utf8.count
    }

    /// Whether something is at the location.
    var exists: Bool {
        if StoreKinds.areFiles(type) { return FileManager.default.fileExists(atPath: text) }
        guard let description = try? description else { return false }
        return (try? type.metadata(of: description.readOnly())) != nil
    }

    /// Checks that the location of a new store is unused.
    func checkAbsent(_ remedy: String) throws(StoreError) {
        if exists {
            throw StoreError(
                .invalidRequest, "There is something at '\(path)' already; \(remedy).")
        }
    }

    /// Returns the name of a root entity with objects in the store; nil for an empty store.
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

    /// Creates the store.
    func make(_ model: ManagedObjectModel) throws(StoreError) -> any PersistentStore {
        try description.open(model: model)
    }

    /// Returns a store of this kind beside this store.
    func beside(_ ending: String) throws(StoreError) -> NamedStore {
        var other = try description
        other.location += ending
        return NamedStore(other, type)
    }

    /// Copies the store to an unused location.
    func copy(to other: NamedStore) throws(StoreError) {
        try type.copy(description.readOnly(), to: other.description)
    }

    /// Deletes a store that was created here.
    func destroy() throws(StoreError) {
        try type.destroy(description)
        // Nobody waits for a deleted store.
        try? FileManager.default.removeItem(atPath: path + ".lock")
    }

    func report(
        model: ManagedObjectModel? = nil, checks: Bool
    ) throws(StoreError) -> StoreReport {
        let description = try description.readOnly()
        return try type.report(on: description, model: model, checks: checks)
    }

    /// Returns the differences between the store's file and those of Core Data.
    ///
    /// - Parameter model: The store's model; nil for the one that it keeps.
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

    /// Adds tables and columns of the kept model that the store lacks.
    ///
    /// - Returns: The added tables and columns.
    func repairSchema() throws(StoreError) -> [String] {
        guard let sqlite = type as? SQLiteStoreType else {
            throw StoreError(
                .invalidRequest,
                "'\(path)' is not a SQLite store. Only SQLite stores have tables and columns."
            )
        }
        return try sqlite.repairSchema(of: description, model: storedModel())
    }

    /// Checks that the store exists and can be read.
    func checkPresent() throws(StoreError) { _ = try type.metadata(of: description.readOnly()) }

    /// Whether the store was written with a version of a model, if it records that.
    func isOfVersion(_ model: ManagedObjectModel) -> Bool {
        guard let metadata = try? type.metadata(of: description.readOnly()) else { return false }
        // The store's format is not known before it is opened.
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
        var description = try description.readOnly()
        description.opening.missingValuesAreNull = missingValuesAreNull
        description.opening.isUnregistered = true
        return try description.open(model: model)
    }

    /// Returns the model that the store keeps. If an old Core Data store keeps none, returns a
    /// model of its columns, with a note on standard error.
    func storedModel() throws(StoreError) -> ManagedObjectModel {
        let description = try description.readOnly()
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
