public import DuramenModel

/// Compares a store before and after a migration, before the migration is committed.
///
/// ```swift
/// var verification = MigrationVerification(change, path: path)
/// verification.note(count: count, of: oldEntity)
/// verification.note(row)
/// // The store changes its rows.
/// try verification.check(count: newCount, of: newEntity)
/// try verification.checkRows(links, in: handle) { id in try row(of: id) }
/// ```
/// So mistakes of the store are found before any data is lost.
public struct MigrationVerification {
    private let change: SchemaChange
    private let path: String
    /// By entity of the new model; nil if not counted.
    private var counts: [Int?]
    private var rows: [Row] = []

    /// Returns the keys near which a store samples rows: the first one, and others up to the last.
    ///
    /// - Parameter last: The largest key.
    public static func places(upTo last: Int64) -> [Int64] {
        let count: Int64 = 16
        return last < count
            ? Array(1...max(last, 1)) : (0..<count).map { 1 + last / count * $0 } + [last]
    }

    /// The size in bytes of the largest row that is kept for comparison.
    private static let largestRow = 1 << 16

    /// Creates a verification of a store's migration.
    public init(_ change: SchemaChange, path: String) {
        self.change = change
        self.path = path
        counts = change.target.entities.map { _ in nil }
    }

    /// Returns whether a store should sample the rows of an old entity. Values in files are not
    /// compared.
    public func concerns(_ entity: EntityID) -> Bool {
        change.targetEntity(entity) != nil
            && !change.source[entity].attributes.contains(where: \.allowsExternalBinaryDataStorage)
    }

    // MARK: - Before

    /// Records the number of objects of an entity of the old model, not counting its sub-entities.
    public mutating func note(count: Int, of entity: EntityID) {
        if let new = change.targetEntity(entity) { counts[new.index] = count }
    }

    /// Records a row of the old model; large rows are skipped.
    public mutating func note(_ row: Row) {
        let layout = change.source[row.entityID].layout
        if change.targetEntity(row.entityID) != nil,
            row.packedByteCount(layout: layout) <= Self.largestRow
        {
            rows.append(row)
        }
    }

    /// The recorded number of objects of an entity of the new model; zero if not counted.
    public func count(of entity: EntityID) -> Int { counts[entity.index] ?? 0 }

    // MARK: - After

    /// Compares the number of objects of an entity of the new model with the recorded number.
    ///
    /// - Throws: `.verificationFailed`.
    public func check(count: Int, of entity: EntityID) throws(StoreError) {
        guard let expected = counts[entity.index], count != expected else { return }
        throw failure("\(count) objects of '\(change.target[entity].name)' instead of \(expected)")
    }

    /// Compares the number of all objects with the expected one.
    ///
    /// - Throws: `.verificationFailed`.
    public func check(total: Int, expected: Int) throws(StoreError) {
        if total != expected { throw failure("\(total) objects instead of \(expected)") }
    }

    /// Compares the recorded rows with the current rows of their objects.
    ///
    /// Derived values and values that may be in files are not compared.
    ///
    /// - Parameters:
    ///   - links: The to-ones that the store set.
    ///   - store: The store's handle.
    ///   - read: Returns the row of an object of the new model.
    /// - Throws: `.verificationFailed`; the errors of `read`.
    public func checkRows(
        _ links: MigrationLinks, in store: StoreHandle,
        read: (ManagedObjectID) throws(StoreError) -> Row?
    ) throws(StoreError) {
        let translation = RowTranslation(change, links)
        for row in rows {
            var builder = RowBatchBuilder(capacity: 512)
            translation.append(row, to: &builder)
            guard let expected = builder.finish().first else { continue }
            let entity = change.target[expected.entityID]
            let id = expected.objectID(in: change.target, store: store)
            guard let found = try read(id) else {
                throw failure("no object of '\(entity.name)' with key \(row.key)")
            }
            let sources = change.rows[row.entityID.index]?.sources ?? []
            for attribute in entity.attributes where !attribute.allowsExternalBinaryDataStorage {
                if case .derived = sources[attribute.slot] { continue }
                try compare(
                    attribute.slot, attribute.name, of: entity, found, expected)
            }
            for relationship in entity.relationships {
                guard let slot = relationship.slot else { continue }
                try compare(slot, relationship.name, of: entity, found, expected)
            }
        }
    }

    private func compare(
        _ slot: Int, _ name: String, of entity: Entity, _ found: Row, _ expected: Row
    ) throws(StoreError) {
        let kind = entity.layout.kinds[slot]
        let (value, wanted) = (found.value(slot, kind), expected.value(slot, kind))
        if value == wanted { return }
        // A NaN does not equal itself.
        if case (.double(let a), .double(let b)) = (value, wanted), a.isNaN, b.isNaN { return }
        throw failure(
            "another value of '\(entity.name).\(name)' in the object with key \(found.key)")
    }

    private func failure(_ finding: String) -> StoreError {
        StoreError(
            .verificationFailed,
            "The migration of '\(path)' would have left \(finding). Nothing was changed; please report this as a bug of "
                + "Duramen.")
    }
}
