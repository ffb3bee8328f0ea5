import DuramenModel
import DuramenStore
import Foundation

/// The value files that rows refer to, in one state.
struct FileReferences {
    let rows: RowReading

    /// - Throws: `.damagedFile` when a row is damaged, since its references are unknown.
    /// - Complexity: One pass over all rows, unless no schema had large values.
    func all() throws(StoreError) -> Set<UUID> {
        var names: Set<UUID> = []
        let schema = rows.schema
        guard schema.upgrades.haveFiles else { return names }
        for entity in schema.model.entities where entity.superentity == nil {
            let cursor = try rows.transaction.cursor(schema.places[entity.id.index].rows)
            while let record = try cursor.next() {
                names.formUnion(try rows.fileNames(of: record, in: entity.id))
            }
        }
        return names
    }
}
