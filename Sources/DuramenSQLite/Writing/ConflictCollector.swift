import DuramenModel
import DuramenSQL
import DuramenStore

/// Finds all reasons why a change set cannot be saved, with the stored rows.
struct ConflictCollector {
    let changes: ChangeSet
    let source: RowSource

    private var schema: AppleSchema { source.core.schema }
    private var model: ManagedObjectModel { schema.model }

    func conflicts() throws(StoreError) -> [StoreConflict] {
        let unenforced = try IndexCheck(connection: source.connection, schema: schema)
            .unenforcedConstraints()
        var lookups = UniqueValueLookups(source: source)
        return try search(unenforced).conflicts(
            rows: { (ids) throws(StoreError) in
                try RowRequest(ids: ids, core: source.core).rows(from: source)
            },
            holders: { (row, constraint) throws(StoreError) in
                try lookups.rows(like: row, constraint)
            })
    }

    private func search(_ unenforced: Set<UniquenessConstraint> = []) -> ConflictSearch {
        ConflictSearch(changes, model: model, store: schema.store, unenforced: unenforced)
    }

    /// The rows of the final state that share unique values which the engine cannot compare: two
    /// decimals may have one nearest REAL.
    func decimalConflicts() throws(StoreError) -> [StoreConflict] {
        var lookups = UniqueValueLookups(source: source)
        return try search().uniquenessConflicts(
            where: { constraint in
                let kinds = model[constraint.entity].layout.kinds
                return constraint.slots.contains { kinds[$0] == .decimal }
            },
            holders: { (row, constraint) throws(StoreError) in
                try lookups.rows(like: row, constraint)
            })
    }
}

/// The look-ups of one search, each created at its first use.
private struct UniqueValueLookups {
    let source: RowSource
    /// Few, because an entity has one or two constraints.
    private var known: [(constraint: UniquenessConstraint, lookup: UniqueValueLookup)] = []

    init(source: RowSource) { self.source = source }

    mutating func rows(
        like row: Row, _ constraint: UniquenessConstraint
    ) throws(StoreError) -> [Row] {
        if let found = known.first(where: { $0.constraint == constraint }) {
            return try found.lookup.rows(like: row)
        }
        let lookup = try UniqueValueLookup(constraint, in: source)
        known.append((constraint, lookup))
        return try lookup.rows(like: row)
    }
}
