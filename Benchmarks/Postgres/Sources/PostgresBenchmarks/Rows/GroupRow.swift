import Duramen
import Foundation

/// The rows of two groups, counted by the server.
@MainActor
struct GroupRow {
    let container: PersistentContainer
    let raw: RawQuakes
    /// The number of quakes.
    let count: Int

    func measure(_ report: Report, limit: Double?) throws {
        let request = try FetchRequest<Quake>()
            .dictionaries("isReviewed", .init("number", "count(SELF)"))
            .grouped(by: "isReviewed")
        try report.measure(
            "4 group count of \(count) rows",
            [
                Contestant(name: "-") {
                    try Clock.median(20) { _ in
                        let groups = try container.makeContext().fetchDictionaries(request)
                        precondition(groups.count == 2)
                    }
                },
                Contestant(name: "raw") {
                    try Clock.median(20) { _ in
                        let counted = try raw.groups()
                        precondition(counted == count)
                    }
                },
            ], limits: [limit])
    }
}
