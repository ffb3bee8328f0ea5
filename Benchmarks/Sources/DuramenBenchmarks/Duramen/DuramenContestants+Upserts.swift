import Duramen
import DuramenSQLite

extension DuramenContestants {
    /// Inserts every quake again, with other magnitudes, into a store that has them all.
    static func upsert(_ dataset: Dataset) -> [Contestant] {
        [
            upsert(dataset, .duramen) { context, magnitude in
                var quakes = dataset.quakes.makeIterator()
                try context.execute(
                    BatchInsertRequest(IndexedQuake.self) { row in
                        guard let quake = quakes.next() else { return true }
                        row[\.code] = quake.code
                        row[\.place] = quake.place
                        row[\.magnitude] = magnitude
                        row[\.time] = quake.time
                        row[\.depth] = quake.depth
                        row[\.felt] = quake.felt
                        row[\.isReviewed] = quake.isReviewed
                        row[\.regionNumber] = quake.regionID
                        return false
                    })
            },
            upsert(dataset, .duramenObjects) { context, magnitude in
                for quake in dataset.quakes {
                    insert(quake, magnitude: magnitude, into: context)
                }
                try context.save()
            },
        ]
    }

    private static func upsert(
        _ dataset: Dataset, _ role: Role,
        _ work: @escaping @MainActor (ManagedObjectContext, Double) throws -> Void
    ) -> Contestant {
        var container: PersistentContainer?
        var magnitude = 0.0
        return Contestant(
            role,
            prepare: {
                let made = try PersistentContainer.open(
                    model: ManagedObjectModel([uniqueQuakes]),
                    stores: [
                        .sqlite(dataset.emptyPath("upsert-\(role.rawValue)")).durability(.relaxed)
                    ],
                    defaultOptions: ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
                let context = made.makeContext()
                for values in dataset.quakes {
                    insert(values, magnitude: 0, into: context)
                }
                try context.save()
                container = made
            },
            verify: {
                guard let context = container?.makeContext() else { return 0 }
                var checksum = Checksum()
                for quake in try context.fetch(FetchRequest<IndexedQuake>()) {
                    checksum.add(magnitude: quake.magnitude)
                }
                return checksum.value
            },
            finish: {
                try container?.close()
                container = nil
                _ = try dataset.emptyPath("upsert-\(role.rawValue)")
            },
            body: {
                guard let container else { return Outcome(0) }
                magnitude += 1
                try work(container.makeContext(), magnitude)
                return Outcome(dataset.rowCount)
            })
    }

    /// Quakes that their codes identify, without other indexes.
    private static var uniqueQuakes: EntityDescription {
        var description = EntityDescription.of(IndexedQuake.self)
        description.uniquenessConstraints = [["code"]]
        description.indexes = []
        return description
    }

    private static func insert(
        _ values: QuakeValues, magnitude: Double, into context: ManagedObjectContext
    ) {
        let quake = IndexedQuake(context: context)
        quake.fill(values)
        quake.magnitude = magnitude
    }
}
