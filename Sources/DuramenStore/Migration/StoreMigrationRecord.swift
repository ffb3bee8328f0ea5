public import DuramenModel
public import Foundation

/// A migration of a store, as the store records it.
public struct StoreMigrationRecord: Sendable, Hashable, Codable {
    /// The checksum of the model before.
    public var source: String
    /// The checksum of the model after.
    public var target: String
    /// The program that migrated the store, by its name in the history; nil if unknown.
    public var program: String?
    /// The date of the migration.
    public var date: Date
    /// The number of the migration's save; earlier saves belong to the model before.
    public var save: Int64
    /// The new names of renamed entities, by their old names; nil for none.
    public var renamedEntities: [String: String]?

    /// Creates a record for a change of the model.
    public init(_ change: SchemaChange, date: Date, save: Int64) {
        self.init(
            source: change.source.versionChecksum, target: change.target.versionChecksum,
            date: date, save: save)
        program = HistoryOrigin.bundleID
        for entity in change.source.entities {
            guard let new = change.targetEntity(entity.id).map({ change.target[$0].name }),
                StoredText(new) != StoredText(entity.name)
            else { continue }
            renamedEntities = renamedEntities ?? [:]
            renamedEntities?[entity.name] = new
        }
    }

    /// Creates a record.
    public init(source: String, target: String, date: Date, save: Int64) {
        self.source = source
        self.target = target
        self.date = date
        self.save = save
    }
}

extension [StoreMigrationRecord] {
    /// Returns the current name of an entity by one of its former names. Nil if no renamed entity
    /// had the name, or if several had, so that it is ambiguous.
    package func presentName(ofEntity name: String) -> String? {
        let changes = indices.filter { self[$0].renamedEntities?[name] != nil }
        guard changes.count == 1, let first = changes.first else { return nil }
        return self[first...].reduce(name) { $1.renamedEntities?[$0] ?? $0 }
    }
}
