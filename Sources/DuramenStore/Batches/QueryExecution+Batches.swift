import DuramenQuery

extension QueryExecution {
    /// Has the engine write all rows of a query at once, where nobody needs to know which they are.
    ///
    /// Of few rows it is better known which they are: contexts keep what they have of others.
    ///
    /// - Returns: How many rows there were; nil when they are to be written one by one.
    func writtenAtOnce(
        _ settings: BatchSettings, _ write: (StoreQuery) throws(StoreError) -> Int?
    ) throws(StoreError) -> Int? {
        if settings.keepsObjectIDs || !isStreaming { return nil }
        var few = pushdown.pushed
        few.limit = BatchChanges.mostKept + 1
        if try snapshot.objectIDs(few).count <= BatchChanges.mostKept { return nil }
        return try write(pushdown.pushed)
    }
}
