import Duramen

/// Work over SQLite stores with and without checksums of rows.
extension DuramenContestants {
    private static let kinds = [(Role.duramenWithoutChecksums, false), (.duramen, true)]

    /// Makes an object for each quake, and saves once.
    static func insertWithChecksums(_ dataset: Dataset) -> [Contestant] {
        kinds.map { role, hasChecksums in
            var store: QuakeStore?
            return Contestant(
                role,
                prepare: {
                    store = try QuakeStore(
                        .sqlite, path: dataset.emptyPath("checksums-insert", for: .sqlite),
                        regions: dataset.regions, hasChecksums: hasChecksums)
                },
                verify: { try store?.checksum() ?? 0 },
                finish: {
                    try store?.destroy()
                    store = nil
                },
                body: {
                    try store?.insert(dataset.quakes)
                    return Outcome(dataset.quakes.count)
                })
        }
    }

    /// Fetches all in a new context and reads every field.
    static func fetchWithChecksums(_ dataset: Dataset) throws -> [Contestant] {
        try kinds.map { role, hasChecksums in
            let store = try dataset.filledQuakeStore(
                "checksums-fetch-\(hasChecksums)", .sqlite, hasChecksums: hasChecksums)
            return Contestant(role) {
                var checksum = Checksum()
                let context = store.container.makeContext()
                for quake in try context.fetch(FetchRequest<Quake>()) { checksum.add(quake) }
                return Outcome(checksum.value)
            }
        }
    }

    /// Changes one field of ten objects, and saves.
    static func changeWithChecksums(
        _ dataset: Dataset, _ identifiers: [Int64]
    ) throws -> [Contestant] {
        try kinds.map { role, hasChecksums in
            let store = try dataset.filledQuakeStore(
                "checksums-change-\(hasChecksums)", .sqlite, hasChecksums: hasChecksums)
            let context = store.container.makeContext()
            let quakes = try store.ids(of: identifiers).map {
                try context.existingObject(with: $0, as: Quake.self)
            }
            return Contestant(
                role,
                verify: { try store.checksum() },
                body: {
                    for start in stride(from: 0, to: quakes.count, by: 10) {
                        for quake in quakes[start..<start + 10] {
                            quake.magnitude = 10 - quake.magnitude
                        }
                        try context.save()
                    }
                    return Outcome(quakes.count)
                })
        }
    }
}
