import DuramenModel
import DuramenQuery

/// The objects of one natural key: those that the feed named lately, and those of the store.
final class ImportedObjects {
    /// As many objects are kept from chunk to chunk, so that authors of many books are looked up
    /// once.
    static let mostKept = 50_000

    private let entity: Entity
    private let key: [Attribute]
    private var byKey: [ImportKey: ImportedObject] = [:]
    /// Objects of the present chunk that are not known yet.
    private var wanted: [ImportedObject] = []

    init(_ entity: Entity, key: [Attribute]) {
        self.entity = entity
        self.key = key
    }

    /// The object with a key. One that is not known is asked for in the next look-up.
    func object(with key: ImportKey) -> ImportedObject {
        if let object = byKey[key] {
            if !object.isKnown, !object.isRecorded { wanted.append(object) }
            return object
        }
        let object = ImportedObject(key)
        byKey[key] = object
        wanted.append(object)
        return object
    }

    /// Fetches the objects that are wanted: one round trip.
    func lookUp(in context: ManagedObjectContext) throws {
        if wanted.isEmpty { return }
        let conditions = key.indices.map { index in
            FetchPredicate.comparison(
                PredicateComparison(
                    .keyPath(key[index].name.split(separator: ".").map(String.init)), .isIn,
                    .list(wanted.compactMap { $0.key?[index] })))
        }
        wanted = []
        var request = FetchRequest<ManagedObject>(entityName: entity.name)
        request.predicate = conditions.count == 1 ? conditions[0] : .and(conditions)
        try context.fetchRows(ErasedFetchRequest(request)) { counted in
            let object = counted.taken()
            // Of a key of several attributes the conditions also find other combinations.
            guard let row = object.row, let known = byKey[self.key(of: row)] else { return }
            if known.isKnown, known.object !== object {
                known.isAmbiguous = true
            } else {
                known.object = object
            }
        }
    }

    private func key(of row: Row) -> ImportKey {
        if key.count == 1 { return .value(row.value(key[0].slot, key[0].kind)) }
        return .values(key.map { row.value($0.slot, $0.kind) })
    }

    /// Forgets objects when there are many, so that they can leave the memory.
    func endChunk() {
        if byKey.count > Self.mostKept { byKey = [:] }
    }
}

/// The objects of all natural keys of an import.
final class ImportedObjectTables {
    private var tables: [String: ImportedObjects] = [:]

    /// The objects of a natural key of an entity. Entities that inherit the attributes of the key
    /// share them.
    func objects(_ entity: Entity, key: [Attribute], in model: ManagedObjectModel)
        -> ImportedObjects
    {
        let declaring = Set(key.map(\.declaringEntity))
        let entity = declaring.count == 1 ? model[key[0].declaringEntity] : entity
        let name = ([entity.name] + key.map(\.name)).joined(separator: "|")
        if let known = tables[name] { return known }
        let made = ImportedObjects(entity, key: key)
        tables[name] = made
        return made
    }

    /// Fetches the objects that are wanted: one round trip for each natural key.
    func lookUp(in context: ManagedObjectContext) throws {
        for objects in tables.values { try objects.lookUp(in: context) }
    }

    /// Forgets objects when there are many.
    func endChunk() {
        for objects in tables.values { objects.endChunk() }
    }
}
