public import DuramenModel

/// Somebody else saved what this save would change, and the context's ``MergePolicy`` did not
/// settle it, or what it was guarded against. Nothing was written, and the context keeps its
/// changes.
///
/// Settle the conflicts with ``ManagedObjectContext/resolve(_:using:)``, refresh the objects or
/// roll back, and save again; or save the rest with
/// ``ManagedObjectContext/save(excluding:isolation:)``.
public struct SaveConflictError: Error, Sendable {
    /// All conflicts; never empty.
    public let conflicts: [SaveConflict]
    /// How often the save was tried: more than once when the policy settled conflicts, and others
    /// came up.
    public internal(set) var attempts = 1

    init(conflicts: [SaveConflict]) { self.conflicts = conflicts }

    /// Core Data's number for merge conflicts, 133020, or constraint conflicts, 133021.
    public var coreDataCode: Int {
        conflicts.contains { $0.kind == .version } ? 133_020 : 133_021
    }
}

/// One reason why a save was refused.
public struct SaveConflict: Sendable {
    /// The kinds of conflicts.
    public enum Kind: Sendable, Hashable {
        /// The stored object has another version than the changes are based on.
        case version
        /// Another object has the same unique values.
        case uniqueness(properties: [String], with: ManagedObjectID)
    }

    /// The kind of the conflict.
    public var kind: Kind { facts.kind }
    /// The object that was to be saved, or that was guarded.
    public var objectID: ManagedObjectID { facts.objectID }
    /// The values that the changes or the guard are based on; nil for a new object.
    public var base: ObjectSnapshot? { facts.base }
    /// The values that were to be saved, or nil for a deletion. For a guarded object, the values
    /// that this context knows.
    public var mine: ObjectSnapshot? { facts.mine }
    /// The values that are stored now, or nil if the object was deleted. For a uniqueness conflict,
    /// those of the other object, or nil if it is new too.
    public var stored: ObjectSnapshot? { facts.stored }

    /// Behind one reference: many hands pass conflicts on, and a copy would count all that they
    /// refer to.
    private let facts: Facts

    private final class Facts: Sendable {
        let kind: Kind
        let objectID: ManagedObjectID
        let base: ObjectSnapshot?
        let mine: ObjectSnapshot?
        let stored: ObjectSnapshot?

        init(
            _ kind: Kind, _ objectID: ManagedObjectID, base: ObjectSnapshot?,
            mine: ObjectSnapshot?, stored: ObjectSnapshot?
        ) {
            self.kind = kind
            self.objectID = objectID
            self.base = base
            self.mine = mine
            self.stored = stored
        }
    }

    init(
        kind: Kind, objectID: ManagedObjectID, base: ObjectSnapshot?, mine: ObjectSnapshot?,
        stored: ObjectSnapshot?
    ) {
        facts = Facts(kind, objectID, base: base, mine: mine, stored: stored)
    }
}

extension SaveConflictError: DescribedError {
    /// One line per conflict, for the first twenty, and the remedies; never a value.
    public var description: String {
        "The save found \(conflicts.count) conflict\(conflicts.count == 1 ? "" : "s")"
            + (attempts > 1 ? " after \(attempts) attempts" : "") + " and wrote nothing:\n"
            + listing(conflicts) { "\($0)" }
            + "\nSet context.mergePolicy, or call context.resolve(error, using: policy), and save again. "
            + "To discard your changes, call context.rollback()."
    }
}

extension SaveConflict: CustomStringConvertible {
    /// A text that names the object and the conflict, and never a value.
    public var description: String {
        switch kind {
        case .version where stored == nil:
            "\(objectID) was deleted by another save or in the parent context."
        case .version: "\(objectID) was changed by another save."
        case .uniqueness(let properties, let other):
            "\(objectID) has the same \(properties.joined(separator: ", ")) as \(other)."
        }
    }
}

/// The attributes and to-ones of an object at one moment: a value to share.
public struct ObjectSnapshot: Sendable {
    /// The object.
    public let objectID: ManagedObjectID
    let row: Row
    private let model: ManagedObjectModel

    init(_ row: Row, objectID: ManagedObjectID, model: ManagedObjectModel) {
        self.row = row
        self.objectID = objectID
        self.model = model
    }

    /// Returns the value of an attribute or the object ID of a to-one, or nil if the property does
    /// not exist.
    public subscript(property: String) -> StoredValue? {
        switch model.entity(of: objectID)?.property(named: property) {
        case .attribute(let attribute)?: row.value(attribute.slot, attribute.kind)
        case .relationship(let relationship)? where !relationship.isToMany:
            row.destination(of: relationship, in: model, store: objectID.store)
                .map(StoredValue.objectID) ?? .null
        default: nil
        }
    }

    /// All values by property name.
    public var values: [String: StoredValue] {
        guard let entity = model.entity(of: objectID) else { return [:] }
        let names =
            entity.attributes.map(\.name)
            + entity.relationships.filter { !$0.isToMany }.map(\.name)
        return Dictionary(uniqueKeysWithValues: names.map { ($0, self[$0] ?? .null) })
    }
}
