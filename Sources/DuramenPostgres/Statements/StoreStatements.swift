import DuramenModel

/// The statements of an open store.
final class StoreStatements: Sendable {
    let saves: StoreTexts
    let reading: ReadingTexts
    let claims: ClaimTexts
    let metadata: MetadataTexts
    let history: HistoryTexts
    /// By table.
    let tables: [TableStatements]
    /// By the first side of a many-to-many.
    let pairs: [RelationshipID: PairStatements]

    init(_ schema: PostgresSchema, notifies: Bool) {
        saves = StoreTexts(schema, notifies: notifies)
        reading = ReadingTexts(schema)
        claims = ClaimTexts(schema)
        metadata = MetadataTexts(schema)
        history = HistoryTexts(schema)
        tables = schema.tables.map { TableStatements($0) }
        var pairs: [RelationshipID: PairStatements] = [:]
        for side in schema.pairSides {
            pairs[side] = schema.pairs(of: side).map { PairStatements($0) }
        }
        self.pairs = pairs
    }
}
