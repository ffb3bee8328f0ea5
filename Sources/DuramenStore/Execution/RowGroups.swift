public import DuramenModel

extension StoreError {
    /// The error of rows that take too much memory to be handed out in one piece.
    package static func manyLargeRows(_ limit: Int) -> StoreError {
        StoreError(
            .tooLarge,
            "The rows that are asked for take more than \(limit) bytes together; ask for fewer at "
                + "a time."
        )
    }
}

extension RowBatchBuilder {
    /// Makes sure that the rows do not take more memory than may be handed out in one piece. A
    /// single one may.
    ///
    /// - Throws: `.tooLarge`
    public func check(limit: Int = RowAnswerLimit.bytes) throws(StoreError) {
        if byteCount > limit, count > 1 { throw .manyLargeRows(limit) }
    }
}

/// Reads rows by ID, in as many pieces as their size asks for.
///
/// - Throws: What `rows` throws, but `.tooLarge` for a single row only.
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
    /// Reads rows by ID, in as many pieces as their size asks for.
    ///
    /// - Throws: What ``rows(for:)`` throws, but `.tooLarge` for a single row only.
    package func batches(for ids: [ManagedObjectID]) throws(StoreError) -> [RowBatch] {
        try DuramenStore.batches(for: ids) { (ids) throws(StoreError) in try rows(for: ids) }
    }
}
