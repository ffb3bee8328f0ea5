import DuramenModel
import DuramenSQL
import DuramenStore

/// The changes of many-to-many relationships, as rows of their tables.
struct PairChanges {
    /// A row of a table of pairs.
    struct Pair: Hashable {
        let a: Int64
        let b: Int64
    }

    /// The numbers of a pair in the orders of both sides.
    struct Orders {
        var a: Int64?
        var b: Int64?
    }

    /// The changes of one table.
    struct Change {
        fileprivate(set) var removed: Set<Pair> = []
        fileprivate(set) var added: [Pair: Orders] = [:]

        var removedParameters: [Parameter] {
            let pairs = removed.sorted { ($0.a, $0.b) < ($1.a, $1.b) }
            return [.bigints(pairs.map(\.a)), .bigints(pairs.map(\.b))]
        }

        /// The parameters of an insertion into a table.
        func addedParameters(_ table: SQLPairTable?) -> [Parameter] {
            let pairs = added.sorted { ($0.key.a, $0.key.b) < ($1.key.a, $1.key.b) }
            var parameters: [Parameter] = [
                .bigints(pairs.map(\.key.a)), .bigints(pairs.map(\.key.b)),
            ]
            for column in table.map(PairColumn.orders) ?? [] {
                var numbers = ArrayBuilder(.bigint)
                for (_, orders) in pairs {
                    let number = column == PairColumn.aOrder ? orders.a : orders.b
                    if let number { numbers.append(bigint: number) } else { numbers.appendNull() }
                }
                parameters.append(numbers.finish())
            }
            return parameters
        }
    }

    /// By the first side of the relationship.
    private(set) var sides: [RelationshipID: Change] = [:]

    init(_ changes: ChangeSet, _ core: StoreCore) {
        let model = core.model
        for change in changes.edges {
            let relationship = model[change.relationship]
            let inverse = relationship.inverse
            let isTurned = core.statements.pairs[change.relationship] == nil
            let side = isTurned ? inverse : change.relationship
            for edge in change.removed {
                for pair in Self.pairs(edge, relationship, isTurned) {
                    // Of several changes of a pair, the last one decides.
                    sides[side, default: Change()].added[pair] = nil
                    sides[side, default: Change()].removed.insert(pair)
                }
            }
            for edge in change.added {
                for (place, pair) in Self.pairs(edge, relationship, isTurned).enumerated() {
                    var orders = sides[side, default: Change()].added[pair] ?? Orders()
                    // The second pair of a relationship that is its own inverse is of the other
                    // object.
                    if relationship.isSelfInverse {
                        let number = place == 0 ? edge.order : edge.inverseOrder
                        orders.a = number ?? orders.a
                    } else {
                        let (a, b) =
                            isTurned
                            ? (edge.inverseOrder, edge.order) : (edge.order, edge.inverseOrder)
                        orders.a = a ?? orders.a
                        orders.b = b ?? orders.b
                    }
                    sides[side, default: Change()].added[pair] = orders
                }
            }
        }
    }

    private static func pairs(
        _ edge: EdgeChange.Edge, _ relationship: Relationship, _ isTurned: Bool
    ) -> [Pair] {
        let (source, destination) = (edge.source.key, edge.destination.key)
        if isTurned { return [Pair(a: destination, b: source)] }
        let pair = Pair(a: source, b: destination)
        guard relationship.isSelfInverse, source != destination else { return [pair] }
        return [pair, Pair(a: destination, b: source)]
    }
}
