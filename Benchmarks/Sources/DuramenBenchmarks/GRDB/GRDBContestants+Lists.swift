import Foundation
import GRDB

/// Lists that are observed.
extension GRDBContestants {
    /// Changes one row after the other, and awaits the new list of each.
    static func list(_ dataset: Dataset, _ identifiers: [Int64]) throws -> [Contestant] {
        // A list takes tens of milliseconds.
        let part = Array(identifiers.prefix(5))
        return [
            try list(dataset, .grdbCodable, part) {
                try CodableQuake.order(Column("magnitude"), Column("id")).fetchAll($0)
            },
            try list(dataset, .grdbByHand, part) {
                try HandmadeQuake.order(Column("magnitude"), Column("id")).fetchAll($0)
            },
        ]
    }

    private static func list<Record: Sendable>(
        _ dataset: Dataset, _ role: Role, _ identifiers: [Int64],
        _ fetch: @escaping @Sendable (Database) throws -> [Record]
    ) throws -> Contestant {
        let pool = try openPool(at: try dataset.copiedFile("list-\(role.rawValue)"))
        let delivered = DispatchSemaphore(value: 0)
        let observation = ValueObservation.tracking(fetch)
        let cancellable = observation.start(
            in: pool, scheduling: .async(onQueue: DispatchQueue(label: "list")),
            onError: { fatalError("\($0)") }, onChange: { _ in delivered.signal() })
        // The list as it is at first.
        delivered.wait()
        return Contestant(role, operations: identifiers.count) {
            for identifier in identifiers {
                try QuakePool(pool: pool).updateHandmade([identifier])
                delivered.wait()
            }
            withExtendedLifetime(cancellable) {}
            return Outcome(identifiers.count)
        }
    }
}
