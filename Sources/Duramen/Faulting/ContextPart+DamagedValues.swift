import DuramenModel
import DuramenStore

/// One file that is missing or altered must not keep other objects from being read.
extension ContextPart {
    /// Reads the rows of a group, its first object's in any case; a group with a damaged value row
    /// by row.
    ///
    /// - Parameters:
    ///   - refreshing: Whether unchanged objects in memory take over what is stored.
    ///   - all: Whether all rows are wanted. Otherwise those that would take much memory beside the
    ///     first one are left.
    /// - Throws: Why the first object's row cannot be read.
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

    /// Reads one row; nil when there is none.
    func readRow(_ id: ManagedObjectID) throws(StoreError) -> Row? {
        try readSnapshot { snapshot throws(StoreError) in
            try snapshot.row(for: id, in: reading.singleRows)
        }
    }

    /// Hands over the results of a query from an index on as faults, unless they are registered:
    /// the row of one has a damaged value, which its object then reports.
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
