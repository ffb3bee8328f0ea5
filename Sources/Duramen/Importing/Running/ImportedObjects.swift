import DuramenModel
import DuramenQuery

/// The objects of one natural key: those that the feed named lately, and those of the store.
final class ImportedObjects {
    /// As many objects are kept from chunk to chunk, so that authors of many books are looked up
    /// once.
    static let mostKept = 50_000

    private let entity: Entity
    private let key: [Attribute]
    private var known: [ImportKey: ManagedObject] = [:]
    /// Keys that several stored objects have.
    private var ambiguous: Set<ImportKey> = []
    /// Keys of the present chunk that are not known yet.
    private var wanted: [ImportKey] = []

    init(_ entity: Entity, key: [Attribute]) {
        self.entity = entity
        self.key = key
    }

    /// Asks for a key in the next look-up.
    func want(_ key: ImportKey) {
        if known[key]?.isThere != true { wanted.append(key) }
    }

    /// Fetches the objects of the keys that are wanted: one round trip.
    func lookUp(in context: ManagedObjectContext) throws {
        if wanted.isEmpty { return }
        defer { wanted = [] }
        ambiguous = []
        let asked = Set(wanted)
        let conditions = key.indices.map { index in
            FetchPredicate.comparison(
                PredicateComparison(
                    .keyPath(key[index].name.split(separator: ".").map(String.init)), .isIn,
                    .list(wanted.map { $0.values[index] })))
        }
        var request = FetchRequest<ManagedObject>(entityName: entity.name)
        request.predicate = conditions.count == 1 ? conditions[0] : .and(conditions)
        try context.fetchRows(ErasedFetchRequest(request)) { counted in
            let object = counted.taken()
            guard let row = object.row else { return }
            let key = ImportKey(values: self.key.map { row.value($0.slot, $0.kind) })
            // Of a key of several attributes the conditions also find other combinations.
            guard asked.contains(key) else { return }
            if let other = known[key], other.isThere, other !== object {
                ambiguous.insert(key)
            } else {
                known[key] = object
            }
        }
    }

    /// The object with a key; nil when there is none.
    ///
    /// - Throws: ``RefusedValue`` when several objects have the key, or when the object is of
    ///   another entity.
    func object(with key: ImportKey, as entity: Entity) throws -> ManagedObject? {
        if ambiguous.contains(key) {
            throw RefusedValue(
                "Several stored objects of '\(self.entity.name)' have the natural key. Match attributes "
                    + "that are unique together.")
        }
        guard let object = known[key], object.isThere else { return nil }
        if object.entity.isKind(of: entity) { return object }
        throw RefusedValue(
            "The object with the natural key is of '\(object.entity.name)', not of '\(entity.name)'."
        )
    }

    /// Adds a new object.
    func insert(_ object: ManagedObject, with key: ImportKey) { known[key] = object }

    /// Forgets objects when there are many, so that they can leave the memory.
    func endChunk() {
        if known.count > Self.mostKept { known = [:] }
    }
}
