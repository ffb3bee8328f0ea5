/// What the rows about predicates and pages ask for.
enum Questions {
    /// Magnitudes of one quake in a hundred.
    static let onePercent = 4.0..<4.1
    /// Magnitudes of one quake in ten, a tenth of which are near the town.
    static let tenPercent = 4.0..<5.0
    static let town = "Honolulu"

    /// Objects on a page.
    static let pageSize = 50
    /// Pages that a round reads, so that it outlasts the clock's grain.
    static let pageCount = 400
    /// The same for pages that cost as much as hundreds of others.
    static let deepPageCount = 20

    /// Where the deep page begins: at 50 000 of 100 000 rows.
    static func depth(of rows: Int) -> Int { rows / 2 }
}
