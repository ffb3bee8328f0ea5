import DuramenQuery

extension QueryExecution {
    /// Lets the engine write all rows of a query at once, if nobody needs to know the rows.
    ///
    /// If there are only a few, the caller records each row, so that contexts need not discard
    /// unaffected objects.
    ///
    /// - Returns: The number of written rows; nil if the caller is to write row by row.
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
