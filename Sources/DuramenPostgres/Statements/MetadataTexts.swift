/// The statements about the store itself, and the entries of the application.
struct MetadataTexts: Sendable {
    let set: Statement
    let remove: Statement
    let entries: Statement
    /// The row that ``StoredAbout`` decodes.
    let about: Statement

    init(_ schema: PostgresSchema) {
        let metadata = schema.own(.metadata)
        let store = schema.own(.store)
        set = Statement(
            "INSERT INTO \(metadata) SELECT * FROM unnest($1::text[], $2::bytea[]) "
                + "ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value")
        remove = Statement("DELETE FROM \(metadata) WHERE name = ANY($1::text[])")
        entries = Statement("SELECT name, value FROM \(metadata)")
        about = Statement("SELECT \(StoredAbout.columns) FROM \(store)")
    }
}
