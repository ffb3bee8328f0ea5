import DuramenModel
import DuramenStore

/// Reads the cells of rows and of their to-one destinations.
struct CellReader {
    let columns: [Column]
    /// Whether to read confidential values too.
    let showsConfidential: Bool
    private let store: any PersistentStore
    private let source: SnapshotSource

    init(
        _ columns: [Column], showsConfidential: Bool, of store: any PersistentStore,
        in snapshot: any StoreSnapshot
    ) {
        self.columns = columns
        self.showsConfidential = showsConfidential
        self.store = store
        source = SnapshotSource(store, snapshot)
    }

    /// Passes the cells of each row to a closure. Destinations of several rows are read together.
    func forEachRow(
        of rows: [Row], _ body: ([Cell]) throws(StoreError) -> Void
    ) throws(StoreError) {
        source.expect { rows }
        for (index, row) in rows.enumerated() {
            source.advance(to: index)
            try body(try cells(of: row))
        }
    }

    func cells(of row: Row) throws(StoreError) -> [Cell] {
        var cells: [Cell] = []
        cells.reserveCapacity(columns.count)
        for column in columns {
            let isHidden = column.isConfidential && !showsConfidential
            cells.append(isHidden ? .hidden : .value(try value(of: column, row)))
        }
        return cells
    }

    private func value(of column: Column, _ start: Row) throws(StoreError) -> StoredValue {
        var row = start
        for step in column.steps {
            guard let id = destination(step, of: row), let next = try source.row(for: id) else {
                return .null
            }
            row = next
        }
        switch column.content {
        case .objectID: return .objectID(row.objectID(in: store.model, store: store.handle))
        case .attribute(let attribute): return row.value(attribute.slot, attribute.kind)
        case .toOne(let reference):
            return destination(reference, of: row).map { .objectID($0) } ?? .null
        }
    }

    private func destination(_ reference: Column.Reference, of row: Row) -> ManagedObjectID? {
        guard let relationship = reference.byEntity[row.entityID.index] else { return nil }
        return row.destination(of: relationship, in: store.model, store: store.handle)
    }
}
