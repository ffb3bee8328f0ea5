import DuramenModel
import DuramenStore

/// A conflict inside the context, with the rows themselves. Applications get a ``SaveConflict``,
/// which has copies of the rows.
final class MetConflict {
    enum Kind {
        case version
        /// Another object has the same values of a uniqueness constraint.
        case uniqueness(UniquenessConstraint, with: ManagedObjectID)
    }

    let kind: Kind
    /// The part that tried to save.
    let part: ContextPart
    let objectID: ManagedObjectID
    /// The row that the edits or the guard are based on; nil for a new object.
    let base: Row?
    /// The row to save; nil for a deletion.
    let mine: Row?
    /// The stored row. For a uniqueness conflict, the row of the other object if it is stored.
    let stored: Row?

    private init(
        _ kind: Kind, _ part: ContextPart, _ objectID: ManagedObjectID, base: Row?,
        mine: Row?, stored: Row?
    ) {
        self.kind = kind
        self.part = part
        self.objectID = objectID
        self.base = base
        self.mine = mine
        self.stored = stored
    }

    convenience init(
        _ kind: Kind, _ part: ContextPart, _ objectID: ManagedObjectID,
        _ object: ManagedObject?, base: Row?, stored: Row?
    ) {
        let mine = object?.isDeleted == true ? nil : object?.row
        self.init(kind, part, objectID, base: base, mine: mine, stored: stored)
    }

    /// Creates the conflict for one that an application passes in; nil if it belongs to another
    /// model.
    convenience init?(_ conflict: SaveConflict, of part: ContextPart) {
        var kind = Kind.version
        if case .uniqueness(let properties, let other) = conflict.kind {
            let constraint = part.model.entity(of: conflict.objectID)?.uniquenessConstraints.first {
                $0.properties.elementsEqual(properties) { StoredText($0) == StoredText($1) }
            }
            guard let constraint else { return nil }
            kind = .uniqueness(constraint, with: other)
        }
        self.init(
            kind, part, conflict.objectID, base: conflict.base?.row, mine: conflict.mine?.row,
            stored: conflict.stored?.row)
    }

    /// The conflict with a copy of the row to save, for when the object may be edited meanwhile.
    var detached: MetConflict {
        MetConflict(
            kind, part, objectID, base: base, mine: part.snapshot(mine, objectID)?.row,
            stored: stored)
    }

    var isOfVersions: Bool {
        if case .version = kind { true } else { false }
    }
}

extension MetConflict {
    /// The conflict with copies of its rows.
    var saveConflict: SaveConflict {
        switch kind {
        case .version:
            return SaveConflict(
                kind: .version, objectID: objectID, base: part.snapshot(base, objectID),
                mine: part.snapshot(mine, objectID), stored: part.snapshot(stored, objectID))
        case .uniqueness(let constraint, let other):
            return SaveConflict(
                kind: .uniqueness(properties: constraint.properties, with: other),
                objectID: objectID, base: part.snapshot(base, objectID),
                mine: part.snapshot(mine, objectID), stored: part.snapshot(stored, other))
        }
    }
}

extension SaveConflictError {
    init(_ conflicts: [MetConflict]) { self.init(conflicts: conflicts.map(\.saveConflict)) }
}

extension ContextPart {
    /// Returns the conflict for one that this part's store found.
    func metConflict(_ conflict: StoreConflict) -> MetConflict {
        switch conflict {
        case .version(let version):
            let object = registeredHere(version.id)
            let base =
                guardedRow(of: object, version.baseVersion) ?? object?.extra?.base ?? object?.row
            return MetConflict(
                .version, self, version.id, object, base: base, stored: version.storedRow)
        case .uniqueness(let uniqueness):
            let object = registeredHere(uniqueness.id)
            return MetConflict(
                .uniqueness(uniqueness.constraint, with: uniqueness.otherID), self, uniqueness.id,
                object, base: object?.extra?.base, stored: uniqueness.storedRow)
        }
    }
}
