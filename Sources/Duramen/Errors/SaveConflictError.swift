public import DuramenModel

/// An error of a save that found conflicts with other saves, which the context's ``MergePolicy``
/// did not settle. Nothing was written, and the context keeps its changes.
///
/// Conflicts also arise when another save changed a guarded object. Settle the conflicts with
/// ``ManagedObjectContext/resolve(_:using:)``, refresh the objects, or roll back; then save again.
/// Or save everything else with `save(excluding:isolation:)` of ``ManagedObjectContext``.
public struct SaveConflictError: Error, Sendable {
    /// All conflicts; never empty.
    public let conflicts: [SaveConflict]
    /// The number of attempts: more than one if the policy settled conflicts and others followed.
    public internal(set) var attempts = 1

    init(conflicts: [SaveConflict]) { self.conflicts = conflicts }

    /// Core Data's number for merge conflicts, 133020, or constraint conflicts, 133021.
    public var coreDataCode: Int {
        conflicts.contains { $0.kind == .version } ? 133_020 : 133_021
    }
}

/// One conflict of a save: an object that another save changed, or whose unique values it took.
public struct SaveConflict: Sendable {
    /// The kinds of conflicts.
    public enum Kind: Sendable, Hashable {
        /// The stored version differs from the version that the changes are based on.
        case version
        /// Another object has the same unique values.
        case uniqueness(properties: [String], with: ManagedObjectID)
    }

    /// The kind of the conflict.
    public var kind: Kind { facts.kind }
    /// The object that was to be saved or that was guarded.
    public var objectID: ManagedObjectID { facts.objectID }
    /// The values that the changes or the guard are based on; nil for a new object.
    public var base: ObjectSnapshot? { facts.base }
    /// The values to save, or nil for a deletion. For a guarded object, the values in this context.
    public var mine: ObjectSnapshot? { facts.mine }
    /// The stored values, or nil if the object was deleted. For a uniqueness conflict, the values
    /// of the other object, or nil if that object is new too.
    public var stored: ObjectSnapshot? { facts.stored }

    /// A single reference, because conflicts are copied often and a copy would retain each field.
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
    /// One line per conflict, for the first twenty, and remedies; never a value.
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

/// An immutable, sendable copy of an object's attributes and to-ones at one moment.
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

    /// Returns the value of an attribute or the object ID of a to-one; nil if the property does not
    /// exist.
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
