public import DuramenModel
public import Foundation

/// One change of a store's model, as the store notes it.
public struct StoreMigrationRecord: Sendable, Hashable, Codable {
    /// The checksum of the model before.
    public var source: String
    /// The checksum of the model afterwards.
    public var target: String
    /// The program that changed it, as the history names programs; nil if nobody noted it.
    public var program: String?
    /// When it was done.
    public var date: Date
    /// The number of the save that it was; saves before it are those of the model before.
    public var save: Int64
    /// The new names of renamed entities, by their old names; nil for none.
    public var renamedEntities: [String: String]?

    /// Describes a change.
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

    /// Describes a change.
    public init(source: String, target: String, date: Date, save: Int64) {
        self.source = source
        self.target = target
        self.date = date
        self.save = save
    }
}

extension [StoreMigrationRecord] {
    /// What an entity is called after all changes that had a name before one of them; nil when
    /// none had it, or two: nobody knows which one is meant then.
    package func presentName(ofEntity name: String) -> String? {
        let changes = indices.filter { self[$0].renamedEntities?[name] != nil }
        guard changes.count == 1, let first = changes.first else { return nil }
        return self[first...].reduce(name) { $1.renamedEntities?[$0] ?? $0 }
    }
}
