public import DuramenModel

extension StoreError {
    /// Returns the error for rows that together take too much memory.
    package static func manyLargeRows(_ limit: Int) -> StoreError {
        StoreError(
            .tooLarge,
            "The rows that are asked for take more than \(limit) bytes together; ask for fewer at "
                + "a time."
        )
    }
}

extension RowBatchBuilder {
    /// Checks that the rows together do not take more memory than the limit. A single row may.
    ///
    /// - Throws: `.tooLarge`
    public func check(limit: Int = RowAnswerLimit.bytes) throws(StoreError) {
        if byteCount > limit, count > 1 { throw .manyLargeRows(limit) }
    }
}

/// Loads rows by ID, in as many batches as their size requires.
///
/// - Throws: The errors of `rows`; `.tooLarge` only for a single row.
func batches(
    for ids: [ManagedObjectID], _ rows: ([ManagedObjectID]) throws(StoreError) -> RowBatch
) throws(StoreError) -> [RowBatch] {
    do throws(StoreError) {
        return [try rows(ids)]
    } catch {
        guard error.code == .tooLarge, ids.count > 1 else { throw error }
    }
    let half = ids.count / 2
    return try batches(for: Array(ids[..<half]), rows) + batches(for: Array(ids[half...]), rows)
}

extension StoreSnapshot {
    /// Returns rows by ID, in as many batches as their size requires.
    ///
    /// - Throws: The errors of ``rows(for:)``; `.tooLarge` only for a single row.
    package func batches(for ids: [ManagedObjectID]) throws(StoreError) -> [RowBatch] {
        try DuramenStore.batches(for: ids) { (ids) throws(StoreError) in try rows(for: ids) }
    }
}
