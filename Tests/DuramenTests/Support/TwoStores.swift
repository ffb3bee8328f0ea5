import Duramen
import DuramenTestKit
import Testing

/// Two stores of the ``Seismology`` under one container.
struct TwoStores {
    /// Kinds of the first and the second store.
    struct Kinds: Sendable, CustomTestStringConvertible {
        let first: StoreKind
        let second: StoreKind

        var testDescription: String { "\(first) and \(second)" }

        static let all = [
            Kinds(first: .memory, second: .sqlite), Kinds(first: .sqlite, second: .lmdb),
            Kinds(first: .lmdb, second: .memory), Kinds(first: .sqlite, second: .sqlite),
        ]
    }

    let container: PersistentContainer
    let first: StoreHandle
    let second: StoreHandle
    /// Opens the second store as another process would.
    let secondDescription: PersistentStoreDescription
    /// What fails in each.
    let firstPlan = FaultPlan()
    let secondPlan = FaultPlan()

    init(_ kinds: Kinds) throws {
        secondDescription = kinds.second.description
        container = try PersistentContainer.open(
            model: Seismology.model,
            stores: [
                firstPlan.faulty(kinds.first.description), secondPlan.faulty(secondDescription),
            ])
        first = container.stores[0]
        second = container.stores[1]
    }

    /// Saves two quakes to each store: a and c to the first, b and d to the second. Each pair has a
    /// region.
    @discardableResult
    func filled() throws -> TwoStores {
        try container.saveElsewhere { [second] context in
            for (name, codes) in [("Honshu", ["a", "c"]), ("Chile", ["b", "d"])] {
                let region = context.insertRegion(name)
                if name == "Chile" { try context.assign(region, to: second) }
                for code in codes {
                    let quake = Quake(context: context)
                    if name == "Chile" { try context.assign(quake, to: second) }
                    quake.code = code
                    quake.magnitude = Double(code.utf8.first ?? 0) - 96
                    quake.region = region
                }
            }
        }
        return self
    }

    /// What a new context sees of one store, or of both: code, magnitude and region of each quake.
    func stored(in stores: [StoreHandle]? = nil) throws -> [String] {
        var request = FetchRequest<Quake>().sorted(by: \.code)
        request.affectedStores = stores
        let context = container.makeContext()
        return try context.fetch(request).map {
            "\($0.code) \($0.magnitude) \($0.region?.name ?? "-")"
        }
    }
}

extension [Quake] {
    var codes: String { map(\.code).joined() }
}
