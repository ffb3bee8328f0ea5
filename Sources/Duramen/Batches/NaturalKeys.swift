import DuramenModel
import DuramenQuery
import DuramenStore

/// A cache of an entity's objects by the values of one attribute.
final class NaturalKeys {
    let attribute: Attribute
    private let entity: Entity
    private var known: [StoredValue: (key: Int64, entity: EntityID)] = [:]

    /// The size of the cache: more than most imports need, at most about ten megabytes.
    static let mostKnown = 100_000

    init(_ attribute: Attribute, of entity: Entity) {
        self.attribute = attribute
        self.entity = entity
    }

    /// Returns the stored object that has a value.
    ///
    /// - Throws: ``ContextError`` `.invalidRequest` if no object or several objects have the value.
    func object(
        with value: StoredValue, in snapshot: any StoreSnapshot, of store: any PersistentStore
    ) throws -> (key: Int64, entity: EntityID) {
        if let found = known[value] { return found }
        let query = StoreQuery(
            entity: entity.id,
            predicate: .comparison(
                PredicateComparison(.keyPath([attribute.name]), .equal, .constant(value))),
            limit: 2)
        let found = try QueryExecution(query, on: store, in: snapshot).objectIDs()
        guard let id = found.first, let own = store.model.entity(of: id) else {
            throw ContextError(
                .invalidRequest,
                "A batch insertion names an object of '\(entity.name)' by a value of '\(attribute.name)' that none "
                    + "has. Insert that object first.")
        }
        if found.count > 1 {
            throw ContextError(
                .invalidRequest,
                "A batch insertion names an object of '\(entity.name)' by a value of '\(attribute.name)' that "
                    + "several have. Name it by its ID.")
        }
        if known.count >= Self.mostKnown { known = [:] }
        known[value] = (id.key, own.id)
        return (id.key, own.id)
    }
}
