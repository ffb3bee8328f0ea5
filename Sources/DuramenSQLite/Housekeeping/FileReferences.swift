import DuramenFileStore
import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// The value files that rows refer to, in the newest state.
struct FileReferences {
    let connection: Connection
    let schema: AppleSchema

    /// - Complexity: One pass over each table with large values; values in rows are not read.
    func all() throws(StoreError) -> Set<UUID> {
        var columns: Set<ColumnPlace> = []
        for entity in schema.model.entities {
            let map = schema.entities[entity.id.index]
            for slot in schema.externalSlots[entity.id.index] {
                columns.insert(ColumnPlace(table: map.table, column: map.columns[slot]))
            }
        }
        var names: Set<UUID> = []
        for place in columns { try add(place, to: &names) }
        return names
    }

    private func add(_ place: ColumnPlace, to names: inout Set<UUID>) throws(StoreError) {
        let table = schema.tables[place.table]
        let column = table.columns[place.column].quoted
        let statement = try connection.prepare(
            "SELECT \(column) FROM \(table.quoted) "
                + "WHERE length(\(column)) = \(ExternalValue.referenceByteCount)")
        try connection.forEachRow(of: statement) { columns in
            if case .file(let name)? = ExternalValue(columns.bytes(0)) { names.insert(name) }
        }
    }
}
