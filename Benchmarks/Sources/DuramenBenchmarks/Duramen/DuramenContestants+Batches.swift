import Duramen

extension DuramenContestants {
    /// Inserts rows in one batch.
    static func batchInsert(_ dataset: Dataset, keepsHistory: Bool = false) -> [Contestant] {
        var store: QuakeStore?
        var regions: [ManagedObjectID] = []
        return [
            Contestant(
                .duramen,
                prepare: {
                    store = try QuakeStore(
                        .sqlite, path: dataset.emptyPath("batch-insert-duramen"),
                        regions: dataset.regions, keepsHistory: keepsHistory)
                    regions =
                        try store?.container.makeContext().fetchObjectIDs(FetchRequest<Region>())
                        ?? []
                },
                verify: { try store?.checksum() ?? 0 },
                finish: {
                    try store?.destroy()
                    store = nil
                },
                body: {
                    guard let context = store?.container.makeContext() else { return Outcome(0) }
                    var quakes = dataset.quakes.makeIterator()
                    let request = BatchInsertRequest(Quake.self) { row in
                        guard let quake = quakes.next() else { return true }
                        row[\.code] = quake.code
                        row[\.place] = quake.place
                        row[\.magnitude] = quake.magnitude
                        row[\.time] = quake.time
                        row[\.depth] = quake.depth
                        row[\.felt] = quake.felt
                        row[\.isReviewed] = quake.isReviewed
                        row[\.region] = regions[Int(quake.regionID) - 1]
                        return false
                    }
                    return Outcome(try context.execute(request).count)
                })
        ]
    }

    /// Gives all strong quakes one depth, another one each time.
    static func batchUpdate(_ dataset: Dataset) -> [Contestant] {
        var depth = 0.0
        return filled(dataset, "batch-update") { context in
            depth += 1
            try context.execute(
                BatchUpdateRequest<Quake>().where { $0.magnitude >= Batches.strong }
                    .set(\.depth, to: depth))
        }
    }

    /// Deletes all strong quakes.
    static func batchDelete(_ dataset: Dataset) -> [Contestant] {
        filled(dataset, "batch-delete") { context in
            try context.execute(
                BatchDeleteRequest(
                    FetchRequest<Quake>().where { $0.magnitude >= Batches.strong }))
        }
    }

    /// Works on a store of its own that has all quakes when a round begins.
    private static func filled(
        _ dataset: Dataset, _ name: String,
        _ work: @escaping @MainActor (ManagedObjectContext) throws -> Void
    ) -> [Contestant] {
        var store: QuakeStore?
        return [
            Contestant(
                .duramen,
                prepare: {
                    let made = try QuakeStore(
                        .sqlite, path: dataset.emptyPath("\(name)-duramen"),
                        regions: dataset.regions)
                    try made.insert(dataset.quakes)
                    store = made
                },
                verify: { try store?.checksum() ?? 0 },
                finish: {
                    try store?.destroy()
                    store = nil
                },
                body: {
                    guard let store else { return Outcome(0) }
                    try work(store.container.makeContext())
                    return Outcome(dataset.rowCount)
                })
        ]
    }
}
