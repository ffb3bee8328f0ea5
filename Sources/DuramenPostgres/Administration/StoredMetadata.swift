import DuramenModel
import DuramenStore
import Foundation

/// The metadata of a store.
struct StoredMetadata {
    private let reading: RowReading

    init(_ reading: RowReading) { self.reading = reading }

    func metadata() throws(StoreError) -> StoreMetadata {
        let core = reading.core
        let about = try StoredAbout(try reading.run(core.statements.metadata.about, []), core.place)
        var metadata = about.metadata
        metadata.userInfo = try MetadataWriting.entries(
            reading.run(core.statements.metadata.entries, []), core.place)
        metadata.migrations = try MigrationRecords.decode(
            reading.run(core.statements.history.epochs, []), core.place)
        return metadata
    }
}

/// The row about a store.
struct StoredAbout {
    /// The format that this version writes.
    static let formatVersion: Int32 = 1
    /// The columns that it is decoded from.
    static let columns = "format, uuid, layout, checksum, hashes, versions, history_from"

    let format: Int32
    let uuid: UUID
    let layout: Int64
    let checksum: String
    let hashes: [String: String]
    let versions: [String]
    let historyFrom: Int64?

    /// The columns `checksum`, `hashes` and `versions` for a model.
    static func parameters(of model: ManagedObjectModel) throws(StoreError) -> [Parameter] {
        [
            .text(model.versionChecksum),
            .bytea(try StoredJSON.bytes(of: model.entityVersionHashes)),
            .bytea(try StoredJSON.bytes(of: model.versionIdentifiers)),
        ]
    }

    /// Decodes the one row of ``columns``.
    init(_ result: ResultSet, _ place: String) throws(StoreError) {
        guard result.rowCount == 1, let format = result.int32(0, 0),
            let uuid = BinaryValue.uuid(result.bytes(0, 1)), let layout = result.int64(0, 2),
            let checksum = result.storedText(0, 3)
        else {
            throw StoreError(
                .damagedFile, "The row about the store of '\(place)' is missing or damaged.")
        }
        if format > Self.formatVersion {
            throw StoreError(
                .newerFormat,
                "'\(place)' has format \(format) and this version of Duramen reads up to "
                    + "\(Self.formatVersion); use a newer version.")
        }
        self.format = format
        self.uuid = uuid
        self.layout = layout
        self.checksum = checksum
        hashes = try StoredJSON.value(result.bytes(0, 4), "store", place)
        versions = try StoredJSON.value(result.bytes(0, 5), "store", place)
        historyFrom = result.int64(0, 6)
    }

    /// The metadata without the application's entries.
    var metadata: StoreMetadata {
        StoreMetadata(
            storeUUID: uuid, storeType: PostgresStoreType.typeName, modelChecksum: checksum,
            entityVersionHashes: hashes, modelVersionIdentifiers: versions)
    }
}
