import Duramen

/// Work over SQLite stores without and with checksums of rows.
extension DuramenContestants {
    private static let kinds = [(Role.duramenWithoutChecksums, false), (.duramen, true)]

    /// Makes an object for each quake, and saves once.
    static func insertWithChecksums(_ dataset: Dataset) -> [Contestant] {
        kinds.flatMap { role, hasChecksums in
            insert(dataset, as: role, hasChecksums: hasChecksums)
        }
    }

    /// Fetches all in a new context and reads every field.
    static func fetchWithChecksums(_ dataset: Dataset) throws -> [Contestant] {
        try kinds.map { role, hasChecksums in
            fetchAll(in: try store(dataset, "fetch", hasChecksums), as: role)
        }
    }

    /// Changes one field of ten objects, and saves.
    static func changeWithChecksums(
        _ dataset: Dataset, _ identifiers: [Int64]
    ) throws -> [Contestant] {
        try kinds.map { role, hasChecksums in
            try commitsOfTen(identifiers, in: try store(dataset, "change", hasChecksums), as: role)
        }
    }

    private static func store(
        _ dataset: Dataset, _ word: String, _ hasChecksums: Bool
    ) throws -> QuakeStore {
        try dataset.filledQuakeStore(
            "checksums-\(word)-\(hasChecksums)", .sqlite, hasChecksums: hasChecksums)
    }
}
