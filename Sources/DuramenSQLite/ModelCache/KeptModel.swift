import DuramenModel
import DuramenStore

/// The model that a file keeps, in Core Data's table or in Duramen's.
struct KeptModel {
    let connection: Connection

    /// - Throws: `.modelMissing`, `.damagedFile`, `.unsupported` for a model that no store of this
    ///   library can have.
    func storedModel(
        codableTypes: [CodableType] = [], transformers: ValueTransformers = ValueTransformers()
    ) throws(StoreError) -> StoredModel {
        let metadata = MetadataTable(connection: connection)
        let cache = ModelCacheTable(connection: connection)
        if try metadata.isAdopted(), try cache.isFilled() {
            return try cache.storedModel(codableTypes: codableTypes, transformers: transformers)
        }
        let checksum = try metadata.metadata().modelChecksum
        return try StoredModel(
            archive: ModelTable(connection: connection).archive(of: checksum),
            codableTypes: codableTypes, transformers: transformers, path: connection.path)
    }

    /// Whether the file needs a model in Duramen's table: Core Data's files before 2015 have none.
    func needsArchive() throws(StoreError) -> Bool {
        guard try MetadataTable(connection: connection).isAdopted() else { return true }
        return try !ModelCacheTable(connection: connection).isFilled()
    }
}
