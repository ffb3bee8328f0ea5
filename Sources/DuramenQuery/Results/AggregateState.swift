import DuramenModel

/// The state of an aggregate for the values that were added.
///
/// - Complexity: Counts, sums, averages, minima and maxima keep no values, except for sums of
///   decimals. The other aggregates keep all values.
public struct AggregateState: Sendable {
    private enum Seen {
        case count(Int64)
        case sum(NumberSum)
        case average(NumberSum)
        case least(StoredValue)
        case greatest(StoredValue)
        case others(FetchFunction, [StoredValue])
        /// The aggregate of all values, which a store computed.
        case known(QueryValue)
    }

    private var seen: Seen

    /// Creates a state without values.
    public init(_ function: FetchFunction) {
        seen =
            switch function {
            case .count: .count(0)
            case .sum: .sum(NumberSum())
            case .average: .average(NumberSum())
            case .min: .least(.null)
            case .max: .greatest(.null)
            default: .others(function, [])
            }
    }

    /// Creates a state from an aggregate of all values, which a store computed.
    init(known value: QueryValue) { seen = .known(value) }

    /// Adds a value of one row.
    public mutating func add(_ value: QueryValue) {
        switch value {
        case .value(let value): if !value.isNull { add(value) }
        case .collection, .dictionary: for value in value.flattened { add(value) }
        }
    }

    /// Adds a value that is not null.
    private mutating func add(_ value: StoredValue) {
        switch seen {
        case .count(let count): seen = .count(count + 1)
        case .sum(var sum):
            // The sum must be the only owner of its values, so that they are changed in place.
            seen = .count(0)
            sum.add(value)
            seen = .sum(sum)
        case .average(var sum):
            seen = .count(0)
            sum.add(value)
            seen = .average(sum)
        case .least(let least):
            if least.isNull || StoredValue.precedes(value, least) { seen = .least(value) }
        case .greatest(let greatest):
            if greatest.isNull || StoredValue.precedes(greatest, value) { seen = .greatest(value) }
        case .others(let function, var values):
            seen = .count(0)
            values.append(value)
            seen = .others(function, values)
        case .known: break
        }
    }

    /// Adds rows of which only the number is known.
    mutating func add(rows: Int) {
        if case .count(let count) = seen { seen = .count(count + Int64(rows)) }
    }

    /// The aggregate of all values so far.
    public var result: QueryValue {
        switch seen {
        case .count(let count): .value(.integer(count))
        case .sum(let sum): .value(sum.value)
        case .average(let sum): .value(sum.average)
        case .least(let value), .greatest(let value): .value(value)
        case .others(let function, let values): function.call([QueryValue(values)])
        case .known(let value): value
        }
    }
}
