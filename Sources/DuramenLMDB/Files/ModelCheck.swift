import DuramenFileStore
import DuramenModel
import DuramenStore

/// Compares a store with a model before its first use.
struct ModelCheck {
    let identity: MetaTable.Identity
    private let model: ManagedObjectModel
    private let path: String
    private let values: ExternalValueFolder
    private let catalog: Catalog
    private let tables: StoreTables

    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - model: The model to compare.
    ///   - path: The store's path, for errors.
    ///   - missingValuesAreNull: Whether a value whose file is missing reads as null.
    /// - Throws: `.foreignFile`, `.newerFormat`, `.incompatibleModel`.
    init(
        _ transaction: Transaction, model: ManagedObjectModel, path: String,
        missingValuesAreNull: Bool = false
    ) throws(StoreError) {
        self.model = model
        self.path = path
        var values = transaction.environment.folder.values
        values.missingIsNull = missingValuesAreNull
        self.values = values
        identity = try Self.identity(transaction, path: path)
        let meta = try Self.meta(transaction, path: path)
        guard let catalog = try meta.catalog(),
            let tables = try StoreTables.open(
                transaction, roots: catalog.roots.values.sorted(), creates: false)
        else { throw Self.foreign(path) }
        self.catalog = catalog
        self.tables = tables
        try check()
    }

    /// Reads the identity of the store, which needs no model.
    ///
    /// - Throws: `.foreignFile`, `.newerFormat`; `.damagedFile` for a table or record with an
    ///   unknown name.
    static func identity(
        _ transaction: Transaction, path: String
    ) throws(StoreError) -> MetaTable.Identity {
        let meta = try meta(transaction, path: path)
        guard let identity = try meta.identity() else { throw foreign(path) }
        if identity.format > MetaTable.formatVersion {
            throw StoreError(
                .newerFormat,
                "'\(path)' has format \(identity.format) and this version of Duramen reads up to "
                    + "\(MetaTable.formatVersion); use a newer version.")
        }
        if identity.isLittleEndian != MetaTable.isLittleEndian {
            throw StoreError(
                .foreignFile,
                "'\(path)' was written by a machine with another order of bytes; copy its contents there."
            )
        }
        // A name with a flipped bit would hide what it names, and a hidden number of keys would
        // have keys allocated again. Structure and checksums of records do not show this.
        try MainTable(transaction).check()
        try meta.checkNames()
        return identity
    }

    /// The table with the information about the store.
    static func meta(
        _ transaction: Transaction, path: String
    ) throws(StoreError) -> MetaTable {
        guard let table = try transaction.table(Table.Name.meta) else { throw foreign(path) }
        return MetaTable(transaction: transaction, table: table)
    }

    private static func foreign(_ path: String) -> StoreError {
        StoreError(
            .foreignFile, "'\(path)' is an LMDB environment but not a store; name another one.")
    }

    private func check() throws(StoreError) {
        let names = model.entities(
            unlike: identity.modelChecksum, identity.entityVersionHashes,
            omitsReferences: identity.format < MetaTable.firstFormatWithReferences)
        if names.isEmpty { return }
        let list = names.sorted { StoredText($0) < StoredText($1) }.map { "'\($0)'" }
        throw StoreError(
            .incompatibleModel,
            "'\(path)' was written with another version of the model; these entities differ: "
                + "\(list.joined(separator: ", ")). Open it with that model, or migrate it.")
    }

    /// Saves the model with which the store is opened.
    func keepModel(_ transaction: Transaction) throws(StoreError) {
        try MetaTable(transaction: transaction, table: tables.meta).keep(model)
    }

    /// Records the current format, so that older versions reject the store, and the identifiers of
    /// the model.
    ///
    /// - Returns: The new identity record.
    func raiseFormat(
        _ transaction: Transaction
    ) throws(StoreError) -> MetaTable.Identity {
        if identity.format == MetaTable.formatVersion,
            identity.modelVersionIdentifiers == model.versionIdentifiers
        {
            return identity
        }
        var raised = identity
        raised.modelVersionIdentifiers = model.versionIdentifiers
        raised.format = MetaTable.formatVersion
        raised.modelChecksum = model.versionChecksum
        raised.entityVersionHashes = model.entityVersionHashes
        try MetaTable(transaction: transaction, table: tables.meta).set(raised)
        return raised
    }

    func schema() throws(StoreError) -> StoreSchema {
        try StoreSchema(
            model: model, handle: StoreHandle(uuid: identity.storeUUID), path: path,
            values: values, catalog: catalog, tables: tables)
    }
}
