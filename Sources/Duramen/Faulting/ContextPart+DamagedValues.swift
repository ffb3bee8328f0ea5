import DuramenModel
import DuramenStore

/// Loading that tolerates damaged values: a missing or altered file does not keep other objects
/// from being loaded.
extension ContextPart {
    /// Loads and registers the rows of a group, at least the first; row by row if a value is
    /// damaged.
    ///
    /// - Parameters:
    ///   - group: The IDs of the objects.
    ///   - refreshing: Whether unchanged registered objects get their stored values.
    ///   - all: Whether all rows are needed. If false, rows that need much memory in addition to
    ///     the first are skipped.
    /// - Throws: The error of loading the first object's row.
    func registerRows(
        of group: [ManagedObjectID], refreshing: Bool = false, all: Bool = true
    ) throws {
        do throws(StoreError) {
            let batch = try readSnapshot { snapshot throws(StoreError) in
                try snapshot.rows(for: group)
            }
            for row in batch { register(row, refreshing: refreshing) }
        } catch {
            if error.code == .tooLarge, group.count > 1 {
                let half = group.count / 2
                try registerRows(of: Array(group[..<half]), refreshing: refreshing, all: all)
                if !all { return }
                return try registerRows(of: Array(group[half...]), refreshing: refreshing)
            }
            guard error.code == .damagedValue else { throw error }
            var failure: StoreError?
            for id in group {
                do throws(StoreError) {
                    if let row = try readRow(id) { register(row, refreshing: refreshing) }
                } catch {
                    guard error.code == .damagedValue else { throw error }
                    if id == group[0] { failure = error }
                }
            }
            if let failure { throw failure }
        }
    }

    /// Returns one row; nil if it does not exist.
    func readRow(_ id: ManagedObjectID) throws(StoreError) -> Row? {
        try readSnapshot { snapshot throws(StoreError) in
            try snapshot.row(for: id, in: reading.singleRows)
        }
    }

    /// Passes the results of a query, from an index on, to a closure. Unregistered results become
    /// faults: the row of one has a damaged value, which its object then reports.
    func fetchFaults(
        _ execution: QueryExecution, from index: Int, _ request: ErasedFetchRequest,
        _ body: (CountedObject) -> Void
    ) throws {
        for id in try execution.objectIDs().dropFirst(index) {
            guard let object = registerFaultHere(id) else { continue }
            try request.check(object)
            body(CountedObject(object))
        }
    }
}
