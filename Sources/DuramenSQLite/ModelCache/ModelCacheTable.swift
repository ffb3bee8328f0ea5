import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore

/// The table `Z_MODELCACHE`, in which Core Data since OS X 10.11 keeps the model that a store was
/// last opened with.
struct ModelCacheTable {
    let connection: Connection

    /// Returns the model with the decisions made to read it.
    ///
    /// - Throws: `.modelMissing`, `.damagedFile`, `.unsupported` for a model that no store of this
    ///   library can have.
    func storedModel(
        codableTypes: [CodableType] = [], transformers: ValueTransformers = ValueTransformers()
    ) throws(StoreError) -> StoredModel {
        var archived = try archivedModel()
        var naming = EntityNaming()
        naming.apply(try EntityList(connection).ofModel, to: &archived)
        var translation = ForeignModelTranslation(
            archived.withoutInherited, codableTypes: codableTypes)
        do {
            let model = try translation.model(
                versionIdentifiers: archived.versionIdentifiers, transformers: transformers)
            // Archives list properties in any order.
            let translated = translation.findings.map {
                StoredModelFinding(entity: $0.entity, property: $0.property, message: $0.message)
            }
            let findings = (naming.findings + translated).map {
                (order: StoredText($0.description), finding: $0)
            }
            return StoredModel(
                model: model,
                findings: findings.sorted { $0.order < $1.order }.map(\.finding),
                transformables: Self.transformables(of: archived.withoutInherited))
        } catch {
            throw StoreError(
                .unsupported,
                "The model that '\(connection.path)' keeps cannot be used: "
                    + error.mistakes.map(\.description).joined(separator: "; "))
        }
    }

    private static func transformables(of model: ForeignModel) -> [String: Set<String>] {
        var names: [String: Set<String>] = [:]
        for entity in model.entities {
            let attributes = entity.attributes.filter { $0.type == .transformable }
            names[entity.name, default: []].formUnion(attributes.map(\.property.name))
        }
        return names
    }

    private func archivedModel() throws(StoreError) -> ForeignModel {
        let tables = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = "
        guard try connection.integer(tables + "'Z_MODELCACHE'") == 1 else { throw missing }
        let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
        connection.begin(statement)
        defer { connection.end(statement) }
        let result = statement.step()
        if result == SQLITE_DONE { throw missing }
        guard result == SQLITE_ROW else { throw connection.error(result, "read the model of") }
        guard sqlite3_column_type(statement.handle, 0) == SQLITE_BLOB,
            let bytes = sqlite3_column_blob(statement.handle, 0)
        else { throw missing }
        let content = UnsafeRawBufferPointer(
            start: bytes, count: Int(sqlite3_column_bytes(statement.handle, 0)))
        do throws(ModelCacheDamage) {
            var reader = try ModelCacheReader(packed: content)
            return try reader.model()
        } catch {
            throw StoreError(
                .damagedFile,
                "The model that '\(connection.path)' keeps cannot be read: \(error.reason). Open the "
                    + "store with the application's model, or restore a copy.")
        }
    }

    /// Whether there is a model, valid or not.
    func isFilled() throws(StoreError) -> Bool {
        let tables = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = "
        guard try connection.integer(tables + "'Z_MODELCACHE'") == 1 else { return false }
        let rows = "SELECT 1 FROM Z_MODELCACHE WHERE typeof(Z_CONTENT) = 'blob' LIMIT 1"
        return try connection.integer(rows) != nil
    }

    /// Saves a model of Duramen for programs that read Core Data's files, within a transaction.
    ///
    /// A model too large for such programs is left out: ``ModelTable`` has it.
    func keep(_ model: ManagedObjectModel) throws(StoreError) {
        try connection.execute("CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB)")
        try connection.execute("DELETE FROM Z_MODELCACHE")
        let content: [UInt8]
        do throws(StoreError) {
            content = try ModelCacheWriter.packed(model)
        } catch {
            if error.code == .tooLarge { return }
            throw error
        }
        let statement = try connection.prepare("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
        statement.bind(.bytes(content), at: 1)
        try connection.run(statement, "keep the model of")
    }

    private var missing: StoreError {
        StoreError(
            .modelMissing,
            "'\(connection.path)' keeps no model of its own; open it with the model of the "
                + "application that wrote it.")
    }
}
