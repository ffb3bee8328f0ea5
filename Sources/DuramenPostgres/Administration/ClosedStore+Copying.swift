import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

extension ClosedStore {
    /// Copies the store, which may be in use, as it is at one moment, to a schema that does not
    /// exist.
    ///
    /// Within a database the server copies; to another one the rows pass through this process.
    ///
    /// - Parameters:
    ///   - destination: The new schema.
    ///   - replaced: The store whose place the copy takes, in the same transaction; nil for none.
    /// - Throws: `.invalidRequest` when something is at the destination already; the errors of
    ///   ``SchemaExchange/replace(with:)``.
    func copy(
        to destination: PersistentStoreDescription, replacing replaced: StoreLocation? = nil
    ) throws(StoreError) {
        let target = try StoreLocation(destination)
        let source = try connect()
        defer { source.close() }
        let catalog = Catalog(source, location, hasDeadline: false)
        guard try catalog.state() == .store else { throw location.missing }
        let isHere =
            (destination.type as? PostgresStoreType)?.connection
            == (description.type as? PostgresStoreType)?.connection
        let other = isHere ? source : try target.connect(destination)
        defer { if !isHere { other.close() } }
        let there = Catalog(other, target, hasDeadline: false)
        try there.checkServer()
        let copying = TableCopy(source: location, target: target, from: catalog, to: there)
        do throws(StoreError) {
            _ = try catalog.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
            if !isHere { _ = try there.run("BEGIN") }
            _ = try there.run(
                "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 7))",
                [.text(target.schema)])
            try checkIsFree(there, target)
            let schemas = try copying.schemas(modelArchive(catalog))
            let statements = SchemaStatements(schema: schemas.target)
            for text in statements.tables { _ = try there.run(text) }
            for table in schemas.source.everyTable {
                if isHere {
                    try copying.copyHere(table)
                } else {
                    try copying.copy(table, source, other)
                }
            }
            for sequence in OwnSequence.allCases { try copying.copy(sequence) }
            for text in statements.indexes { _ = try there.run(text) }
            if let replaced {
                try SchemaExchange(other, replaced).replace(with: target.schema)
            }
            if !isHere { _ = try there.run("COMMIT") }
            _ = try catalog.run("COMMIT")
        } catch {
            _ = try? there.run("ROLLBACK")
            if !isHere { _ = try? catalog.run("ROLLBACK") }
            throw error
        }
    }

    private func checkIsFree(_ catalog: Catalog, _ target: StoreLocation) throws(StoreError) {
        switch try catalog.state() {
        case .missing, .empty: return
        case .store:
            throw StoreError(
                .invalidRequest,
                "There is a store in '\(target.place)' already; destroy it or choose another name.")
        }
    }
}

/// The copying of one store's tables.
private struct TableCopy {
    let source: StoreLocation
    let target: StoreLocation
    let from: Catalog
    let to: Catalog

    /// The tables of both schemas, with equal names.
    func schemas(
        _ archive: Data?
    ) throws(StoreError) -> (source: PostgresSchema, target: PostgresSchema) {
        let about = try from.about()
        let model = try StoredModel(
            archive: archive, codableTypes: [], transformers: ValueTransformers(),
            path: source.place
        ).model
        let known = try from.knownNames()
        let store = StoreHandle(uuid: about.uuid)
        return (
            PostgresSchema(name: source.schema, model: model, store: store, known: known),
            PostgresSchema(name: target.schema, model: model, store: store, known: known)
        )
    }

    private func names(_ table: String) -> (source: String, target: String) {
        let name = SQLQuoting.identifier(table)
        return (
            "\(SQLQuoting.identifier(source.schema)).\(name)",
            "\(SQLQuoting.identifier(target.schema)).\(name)"
        )
    }

    /// The columns of a table, in the order of the source: a migration may have added some behind
    /// the others. Nil if there are none.
    private func columns(of table: String) throws(StoreError) -> String? {
        try from.run(
            "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute "
                + "WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped",
            [.text(names(table).source)]
        ).text(0, 0)
    }

    /// Copies a table within the database.
    func copyHere(_ table: String) throws(StoreError) {
        guard let columns = try columns(of: table) else { return }
        let (source, target) = names(table)
        _ = try to.run("INSERT INTO \(target) (\(columns)) SELECT \(columns) FROM \(source)")
    }

    /// Copies a table to another database, a block at a time.
    func copy(
        _ table: String, _ source: Connection, _ other: Connection
    ) throws(StoreError) {
        guard let columns = try columns(of: table) else { return }
        let (from, to) = names(table)
        var rows = CopiedRows()
        do throws(CopyFailure) {
            _ = try other.copyIn("COPY \(to) (\(columns)) FROM STDIN (FORMAT binary)", .none) {
                (writer) throws(StoreError) in
                do throws(CopyFailure) {
                    _ = try source.copyOut(
                        "COPY \(from) (\(columns)) TO STDOUT (FORMAT binary)", .none
                    ) {
                        (bytes) throws(StoreError) in
                        try writer.write(rows.next(bytes))
                    }
                } catch {
                    throw error.storeError(self.source.name, during: "copy")
                }
            }
        } catch {
            throw error.storeError(target.name, during: "copy to")
        }
    }

    /// Continues a sequence where it is.
    func copy(_ sequence: OwnSequence) throws(StoreError) {
        let (source, target) = names(sequence.rawValue)
        let state = try from.run("SELECT last_value, is_called FROM \(source)")
        guard let last = state.int64(0, 0), let isCalled = state.bool(0, 1) else { return }
        _ = try to.run(
            "SELECT setval(\(SQLQuoting.literal(target)), $1::bigint, $2::boolean)",
            [.bigint(last), .boolean(isCalled)])
    }
}

/// Cuts the header and the end from what COPY sends in binary form, so that rows are left.
private struct CopiedRows {
    // Signature, flags and the length of an empty extension.
    private static let headerBytes = 19
    private static let end: [UInt8] = [0xFF, 0xFF]

    private var isBegun = false

    /// Returns the rows in a message. The server sends the end with the header, or by itself.
    mutating func next(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var rows = bytes[...]
        if !isBegun { rows = rows.dropFirst(Self.headerBytes) }
        isBegun = true
        return rows.elementsEqual(Self.end) ? [] : Array(rows)
    }
}
