import DuramenModel

/// The object that records of a feed become. Records with one natural key have one.
final class ImportedObject {
    /// The changes of the object in the present chunk.
    struct Outcome {
        var isNew: Bool
        var isChanged = false
    }

    /// The natural key; nil where every record is a new object.
    let key: ImportKey?
    /// The object, once it is found or made.
    var object: ManagedObject?
    /// Whether several stored objects have the key.
    var isAmbiguous = false
    /// The first record of the present chunk.
    private var record: ImportRecord?
    /// Its records with other plans.
    private var others: [ImportRecord] = []
    /// Nil before the present chunk is written.
    var outcome: Outcome?

    init(_ key: ImportKey?) { self.key = key }

    /// Whether the object is known and not deleted.
    var isKnown: Bool { object?.isThere == true }

    /// Whether the present chunk has a record.
    var isRecorded: Bool { record != nil }

    /// Adds a record of the present chunk.
    func add(_ new: ImportRecord) {
        // Nearly all objects have one, which needs no list.
        if record == nil { record = new } else { others.append(new) }
    }

    /// Ends the present chunk.
    func endChunk() {
        record = nil
        others = []
        outcome = nil
        if !isAmbiguous { return }
        // The next chunk that names it looks it up again.
        isAmbiguous = false
        object = nil
    }

    /// The object as one of an entity; nil when there is none.
    ///
    /// - Throws: ``RefusedValue`` when several objects have the key, or when the object is of
    ///   another entity.
    func object(as entity: Entity) throws(RefusedValue) -> ManagedObject? {
        if isAmbiguous {
            throw RefusedValue(
                "Several stored objects of '\(entity.name)' have the natural key. Match attributes that "
                    + "are unique together.")
        }
        guard let object, object.isThere else { return nil }
        if object.entity.isKind(of: entity) { return object }
        throw RefusedValue(
            "The object with the natural key is of '\(object.entity.name)', not of '\(entity.name)'."
        )
    }

    /// The record of the present chunk with a plan.
    func record(of plan: ImportPlan) -> ImportRecord? {
        record?.plan === plan ? record : others.first { $0.plan === plan }
    }
}

/// The values of a natural key.
enum ImportKey: Hashable {
    /// The value of the only attribute.
    case value(StoredValue)
    /// The values of several attributes.
    case values([StoredValue])

    /// The value of an attribute.
    subscript(index: Int) -> StoredValue {
        switch self {
        case .value(let value): value
        case .values(let values): values[index]
        }
    }
}
