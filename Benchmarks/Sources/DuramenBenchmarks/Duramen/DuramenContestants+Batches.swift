import Duramen

extension DuramenContestants {
    /// Inserts rows of typed columns in one batch; the region is named by its name.
    static func batchInsert(_ dataset: Dataset) -> [Contestant] {
        var store: QuakeStore?
        let names = dataset.regions.map(\.name)
        return [
            Contestant(
                .duramen,
                prepare: {
                    store = try QuakeStore(
                        .sqlite, path: dataset.emptyPath("batch-insert-duramen"),
                        regions: dataset.regions)
                },
                verify: { try store?.checksum() ?? 0 },
                finish: {
                    try store?.destroy()
                    store = nil
                },
                body: {
                    guard let context = store?.container.makeContext() else { return Outcome(0) }
                    var quakes = dataset.quakes.makeIterator()
                    let request = BatchInsertRequest(
                        Quake.self,
                        {
                            (
                                $0.code, $0.place, $0.magnitude, $0.time, $0.depth, $0.felt,
                                $0.isReviewed, $0.region.name
                            )
                        }
                    ) {
                        guard let quake = quakes.next() else { return nil }
                        return (
                            quake.code, quake.place, quake.magnitude, quake.time, quake.depth,
                            quake.felt, quake.isReviewed, names[Int(quake.regionID) - 1]
                        )
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
