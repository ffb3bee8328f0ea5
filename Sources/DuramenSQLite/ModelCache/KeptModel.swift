import DuramenModel
import DuramenStore

/// The model that a file keeps: in a table of ours, or in that of Core Data.
struct KeptModel {
    let connection: Connection

    /// - Throws: `.modelMissing`, `.damagedFile`, `.unsupported` for a model that no store here can
    ///   take.
    func storedModel(
        codableTypes: [CodableType] = [], transformers: ValueTransformers = ValueTransformers()
    ) throws(StoreError) -> StoredModel {
        let metadata = MetadataTable(connection: connection)
        if try metadata.isAdopted() {
            return try ModelCacheTable(connection: connection)
                .storedModel(codableTypes: codableTypes, transformers: transformers)
        }
        let checksum = try metadata.metadata().modelChecksum
        return try StoredModel(
            archive: ModelTable(connection: connection).archive(of: checksum),
            codableTypes: codableTypes, transformers: transformers, path: connection.path)
    }
}
