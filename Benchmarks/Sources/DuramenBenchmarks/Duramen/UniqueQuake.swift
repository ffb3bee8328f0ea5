import Duramen
import DuramenMacros
import DuramenSQLite

/// A row of the workload that its code identifies. The region is its number alone.
@Managed
final class UniqueQuake: ManagedObject {
    @Attribute(.unique) var code: String
    var place: String
    var magnitude: Double
    var time: Double
    var depth: Double
    var felt: Int64?
    var isReviewed: Bool
    var regionNumber: Int64
}

extension DuramenContestants {
    /// Inserts every quake again, with other magnitudes, into a store that has them all.
    static func upsert(_ dataset: Dataset) -> [Contestant] {
        [
            upsert(dataset, .duramen) { context, magnitude in
                var quakes = dataset.quakes.makeIterator()
                try context.execute(
                    BatchInsertRequest(UniqueQuake.self) { row in
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
                    UniqueQuake(context: context).fill(quake, magnitude: magnitude)
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
                    model: ManagedObjectModel(UniqueQuake.self),
                    stores: [
                        .sqlite(dataset.emptyPath("upsert-\(role.rawValue)")).durability(.relaxed)
                    ],
                    defaultOptions: ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
                let context = made.makeContext()
                for values in dataset.quakes {
                    UniqueQuake(context: context).fill(values, magnitude: 0)
                }
                try context.save()
                container = made
            },
            verify: {
                guard let context = container?.makeContext() else { return 0 }
                var checksum = Checksum()
                for quake in try context.fetch(FetchRequest<UniqueQuake>()) {
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
}

extension UniqueQuake {
    /// Takes over a row but for its identifier, which the store gives, and its magnitude.
    fileprivate func fill(_ values: QuakeValues, magnitude: Double) {
        code = values.code
        place = values.place
        self.magnitude = magnitude
        time = values.time
        depth = values.depth
        felt = values.felt
        isReviewed = values.isReviewed
        regionNumber = values.regionID
    }
}
