import DuramenModel
import DuramenStore

/// The numbers of entities in a file that is migrated.
struct EntityNumbers {
    let connection: Connection
    let change: SchemaChange
    let old: AppleSchema

    /// Entities keep their numbers; new entities get unused ones.
    func new() throws(StoreError) -> [Int] {
        let target = change.target
        let end = EntityList.firstOfFramework
        let used = try connection.integer(
            "SELECT MAX(Z_ENT) FROM Z_PRIMARYKEY WHERE Z_ENT < \(end)")
        let given = try MigrationTable(connection: connection).highestNumber()
        guard (0..<end).contains(given) else {
            throw StoreError(
                .damagedFile,
                "The list of versions of '\(connection.path)' has the number \(given), which no entity has; restore a copy."
            )
        }
        var next = max(Int(used ?? 0), given) + 1
        var numbers: [Int] = []
        // In the order of a new file, unless the numbers require another order.
        let order = AppleNaming.entityNumbers(of: target)
        var fresh: [Int: Int] = [:]
        for place in target.entities.indices.sorted(by: { order[$0] < order[$1] })
        where change.sourceEntities[place] == nil {
            fresh[place] = next
            next += 1
        }
        for entity in target.entities {
            let source = change.sourceEntities[entity.id.index]
            numbers.append(source.map { old.numbers[$0.index] } ?? fresh[entity.id.index] ?? 0)
        }
        return numbers
    }
}
