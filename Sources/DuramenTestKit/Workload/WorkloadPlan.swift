import DuramenModel
import DuramenQuery

/// An object of a script, by the order in which the script created it: equal in every store.
typealias Symbol = Int

/// A value with symbols for objects.
enum SymbolicValue: Hashable, Sendable {
    case value(StoredValue)
    case object(Symbol)
}

typealias SymbolicValues = [String: SymbolicValue]

/// One edit of a script.
enum SymbolicEdit: Sendable {
    case insert(Symbol, entity: String, SymbolicValues)
    case update(Symbol, SymbolicValues)
    case delete(Symbol)
    case relate(SymbolicPair)
    case unrelate(SymbolicPair)
}

/// A pair of a many-to-many, seen from one of its sides.
struct SymbolicPair: Hashable, Sendable {
    var relationship: String
    var source: Symbol
    var destination: Symbol
    var order: Int64?
    var inverseOrder: Int64?
}

/// The effect of one step on the current state.
enum WorkloadPlan: Sendable {
    case save([SymbolicEdit], basedOnRemembered: Bool)
    case remember([Symbol])
    case query(SymbolicQuery)
}

/// A query with symbols for object IDs.
struct SymbolicQuery: Sendable {
    var entity: String
    var includesSubentities: Bool
    // Its object IDs have symbols as keys.
    var predicate: FetchPredicate?
    var sortDescriptors: [FetchSortDescriptor]
    var offset: Int
    var limit: Int?
}

/// One step of a script: its kind, and the seed of its details.
struct WorkloadStep: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case edit, swap, cascade, duplicate, remember, stale, revive, query
    }

    var kind: Kind
    var seed: UInt64

    /// The steps of a script.
    static func script(seed: UInt64, count: Int) -> [WorkloadStep] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { index in
            // A script starts with edits, so that there are objects.
            let kind: Kind =
                index < 6 ? .edit : weighted[Int(random.next() % UInt64(weighted.count))]
            return WorkloadStep(kind: kind, seed: random.next())
        }
    }

    private static let weighted: [Kind] =
        Array(repeating: .edit, count: 34) + Array(repeating: .swap, count: 10)
        + Array(repeating: .cascade, count: 6) + Array(repeating: .duplicate, count: 6)
        + Array(repeating: .remember, count: 8) + Array(repeating: .stale, count: 10)
        + Array(repeating: .revive, count: 3) + Array(repeating: .query, count: 23)
}

/// The number of important events in a workload.
public struct WorkloadCoverage: Sendable, Hashable {
    /// The number of steps.
    public var steps = 0
    /// The number of saves that were written.
    public var saves = 0
    /// The number of saves refused because of versions.
    public var versionConflicts = 0
    /// The number of saves refused because of unique values.
    public var uniquenessConflicts = 0
    /// The number of saves in which objects exchanged unique values.
    public var uniqueSwaps = 0
    /// The number of saves that deleted an object with its dependents.
    public var cascades = 0
    /// The number of queries that ordered null and values.
    public var nullOrders = 0
    /// The number of queries with a result.
    public var queriesWithResults = 0

    /// Creates counts of zero.
    public init() {}

    /// Adds the counts of another script.
    public mutating func add(_ other: WorkloadCoverage) {
        steps += other.steps
        saves += other.saves
        versionConflicts += other.versionConflicts
        uniquenessConflicts += other.uniquenessConflicts
        uniqueSwaps += other.uniqueSwaps
        cascades += other.cascades
        nullOrders += other.nullOrders
        queriesWithResults += other.queriesWithResults
    }

    /// The counts of events that must not be rare, by name.
    public var required: [(name: String, count: Int)] {
        [
            ("version conflicts", versionConflicts), ("uniqueness conflicts", uniquenessConflicts),
            ("unique swaps", uniqueSwaps), ("cascades", cascades), ("null orders", nullOrders),
        ]
    }
}

extension WorkloadCoverage: CustomStringConvertible {
    /// All counts, with their share of the steps.
    public var description: String {
        let counts = required + [("saves", saves), ("queries with results", queriesWithResults)]
        let parts = counts.map { name, count in
            let tenths = steps == 0 ? 0 : count * 1000 / steps
            return "\(name) \(count) (\(tenths / 10).\(tenths % 10) %)"
        }
        return "steps \(steps), " + parts.joined(separator: ", ")
    }
}
