import DuramenModel
import DuramenStore

/// The indexes of a change set's rows in the order of writing: by table and key, so that each page
/// is written once.
struct ChangeOrder {
    let inserts: [Int]
    let updates: [Int]
    let deletes: [Int]

    init(_ changes: ChangeSet, schema: AppleSchema) {
        let tables = schema.tableIndexes
        let rows = changes.inserts
        inserts = Self.order(rows.count) {
            (tables[rows.entityIndex(at: $0)], rows.key(at: $0))
        }
        updates = changes.updates.withUnsafeBufferPointer { changes in
            Self.order(changes.count) {
                (tables[changes[$0].row.entityID.index], changes[$0].row.key)
            }
        }
        deletes = Self.order(changes.deletes.count) { place in
            let id = changes.deletes[place].id
            let table = schema.model.entity(of: id).map { schema.entities[$0.id.index].table }
            return (table ?? -1, id.key)
        }
    }

    /// The order of a single row.
    private static let first = [0]

    @inline(__always)
    private static func order(_ count: Int, _ key: (Int) -> (Int, Int64)) -> [Int] {
        if count <= 1 { return count == 1 ? first : [] }
        if isSorted(count, key) { return Array(0..<count) }
        var keys: [(table: Int, key: Int64, place: Int)] = []
        keys.reserveCapacity(count)
        for place in 0..<count {
            let (table, number) = key(place)
            keys.append((table, number, place))
        }
        keys.sort { ($0.table, $0.key) < ($1.table, $1.key) }
        return keys.map(\.place)
    }

    @inline(__always)
    private static func isSorted(_ count: Int, _ key: (Int) -> (Int, Int64)) -> Bool {
        var last = key(0)
        for place in 1..<count {
            let next = key(place)
            if last.0 > next.0 || (last.0 == next.0 && last.1 > next.1) { return false }
            last = next
        }
        return true
    }
}
