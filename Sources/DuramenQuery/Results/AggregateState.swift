package import DuramenModel

/// An aggregate of the values that it has seen so far.
///
/// - Complexity: Counts, sums, averages, minima and maxima keep no values, but for sums of
///   decimals; the others keep all of them.
package enum AggregateState: Sendable {
    case count(Int64)
    case sum(NumberSum)
    case average(NumberSum)
    case least(StoredValue)
    case greatest(StoredValue)
    case others(FetchFunction, [StoredValue])
    /// What a store made of all values.
    case known(QueryValue)

    /// Begins without values.
    package init(_ function: FetchFunction) {
        switch function {
        case .count: self = .count(0)
        case .sum: self = .sum(NumberSum())
        case .average: self = .average(NumberSum())
        case .min: self = .least(.null)
        case .max: self = .greatest(.null)
        default: self = .others(function, [])
        }
    }

    /// Adds a value of one row.
    package mutating func add(_ value: QueryValue) {
        switch value {
        case .value(let value): if !value.isNull { add(value) }
        case .collection, .dictionary: for value in value.flattened { add(value) }
        }
    }

    /// Adds a value that is not null.
    private mutating func add(_ value: StoredValue) {
        switch self {
        case .count(let count): self = .count(count + 1)
        case .sum(var sum):
            // Holds the values alone, so that they are changed in place.
            self = .count(0)
            sum.add(value)
            self = .sum(sum)
        case .average(var sum):
            self = .count(0)
            sum.add(value)
            self = .average(sum)
        case .least(let least):
            if least.isNull || StoredValue.precedes(value, least) { self = .least(value) }
        case .greatest(let greatest):
            if greatest.isNull || StoredValue.precedes(greatest, value) { self = .greatest(value) }
        case .others(let function, var values):
            self = .count(0)
            values.append(value)
            self = .others(function, values)
        case .known: break
        }
    }

    /// Adds rows of which only the number is known.
    mutating func add(rows: Int) {
        if case .count(let count) = self { self = .count(count + Int64(rows)) }
    }

    /// What the aggregate is.
    package var result: QueryValue {
        switch self {
        case .count(let count): .value(.integer(count))
        case .sum(let sum): .value(sum.value)
        case .average(let sum): .value(sum.average)
        case .least(let value), .greatest(let value): .value(value)
        case .others(let function, let values): function.call([QueryValue(values)])
        case .known(let value): value
        }
    }
}
