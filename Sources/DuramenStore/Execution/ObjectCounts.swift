import DuramenModel
import DuramenQuery

extension PersistentStore {
    /// Returns the number of objects of each entity, not counting those of its sub-entities.
    ///
    /// - Complexity: One query for each entity.
    func objectCounts(in snapshot: any StoreSnapshot) throws(StoreError) -> [String: Int] {
        var counts: [String: Int] = [:]
        for entity in model.entities {
            let query = StoreQuery(entity: entity.id, includesSubentities: false)
            counts[entity.name] = try QueryExecution(query, on: self, in: snapshot).count()
        }
        return counts
    }
}
