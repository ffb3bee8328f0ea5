import DuramenModel
import DuramenStore
import Foundation

/// Operations on a store that need no model.
struct ClosedStore {
    let description: PersistentStoreDescription
    let location: StoreLocation

    init(_ description: PersistentStoreDescription) throws(StoreError) {
        self.description = description
        location = try StoreLocation(description)
    }

    func connect() throws(StoreError) -> Connection { try location.connect(description) }

    /// Calls `body` with a connection, when there is a store.
    ///
    /// - Parameters:
    ///   - hasDeadline: Whether each answer must come in time.
    ///   - body: Reads the store.
    func reading<R>(
        hasDeadline: Bool = true, _ body: (Catalog) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let connection = try connect()
        defer { connection.close() }
        let catalog = Catalog(connection, location, hasDeadline: hasDeadline)
        guard try catalog.state() == .store else { throw location.missing }
        return try body(catalog)
    }

    func metadata() throws(StoreError) -> StoreMetadata {
        try reading { (catalog) throws(StoreError) in try metadata(catalog, catalog.about()) }
    }

    func metadata(
        _ catalog: Catalog, _ about: StoredAbout
    ) throws(StoreError) -> StoreMetadata {
        var metadata = about.metadata
        metadata.userInfo = try MetadataWriting.entries(
            catalog.run("SELECT name, value FROM \(catalog.schema).metadata"), location.place)
        metadata.migrations = try MigrationRecords.decode(
            catalog.run("SELECT json FROM \(catalog.schema).epochs ORDER BY number"), location.place
        )
        return metadata
    }

    /// Returns the archive of the model that the store was last written with; nil for none.
    func modelArchive() throws(StoreError) -> Data? {
        try reading { (catalog) throws(StoreError) in try modelArchive(catalog) }
    }

    func modelArchive(_ catalog: Catalog) throws(StoreError) -> Data? {
        let found = try catalog.run(
            "SELECT m.archive FROM \(catalog.schema).models AS m JOIN \(catalog.schema).store AS s "
                + "ON s.checksum = m.checksum")
        return found.rowCount == 1 ? Data(found.bytes(0, 0)) : nil
    }

    func setUserInfo(_ userInfo: [String: StoredValue]) throws(StoreError) {
        if description.isReadOnly {
            throw StoreError(.readOnly, "'\(location.place)' is described as for reading only.")
        }
        let archive = try modelArchive()
        let model = try StoredModel(
            archive: archive, codableTypes: [], transformers: ValueTransformers(),
            path: location.place
        ).model
        var unregistered = description
        unregistered.keepsHistory = false
        let store = try StoreOpening(unregistered).open(model: model)
        defer { try? store.close() }
        try store.setUserInfo(userInfo)
    }

    /// The schemas of the database with stores, the last made first.
    func schemas() throws(StoreError) -> [String] {
        let connection = try connect()
        defer { connection.close() }
        let found = try Catalog(connection, location).run(
            "SELECT n.nspname FROM pg_namespace AS n JOIN pg_class AS c ON c.relnamespace = n.oid "
                + "JOIN pg_attribute AS a ON a.attrelid = c.oid "
                + "WHERE c.relname = 'store' AND a.attname = 'layout' ORDER BY n.oid DESC")
        return (0..<found.rowCount).compactMap { found.text($0, 0) }
    }

    /// Deletes the schema, if everything in it is the store's.
    func destroy() throws(StoreError) {
        let connection = try connect()
        defer { connection.close() }
        let catalog = Catalog(connection, location, hasDeadline: false)
        guard try catalog.state() == .store else { return }
        _ = try catalog.run("BEGIN")
        try StoreRemoval(catalog).run()
        _ = try catalog.run("COMMIT")
    }
}
