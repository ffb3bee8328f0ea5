public import Foundation

/// A Swift number type with which typed predicates calculate.
public protocol PredicateNumber: PredicateValue where Family == NumberFamily {
    /// The type of sums, products and similar results, wide enough not to truncate them.
    associatedtype Wide: PredicateNumber
    /// The type of means.
    associatedtype Mean: PredicateNumber
}

/// A Swift integer type, for operators on bits.
public protocol PredicateInteger: PredicateNumber {}

/// A Swift number type with fractions.
public protocol PredicateFraction: PredicateNumber {}

extension Int: PredicateInteger {
    /// Sums and products are 64-bit integers.
    public typealias Wide = Int
    /// Means are doubles.
    public typealias Mean = Double
}

extension Int16: PredicateInteger {
    /// Sums and products are 64-bit integers.
    public typealias Wide = Int
    /// Means are doubles.
    public typealias Mean = Double
}

extension Int32: PredicateInteger {
    /// Sums and products are 64-bit integers.
    public typealias Wide = Int
    /// Means are doubles.
    public typealias Mean = Double
}

extension Int64: PredicateInteger {
    /// Sums and products are 64-bit integers.
    public typealias Wide = Int
    /// Means are doubles.
    public typealias Mean = Double
}

extension Double: PredicateFraction {
    /// Sums and products are doubles.
    public typealias Wide = Double
    /// Means are doubles.
    public typealias Mean = Double
}

extension Float: PredicateFraction {
    /// Sums and products are doubles.
    public typealias Wide = Double
    /// Means are doubles.
    public typealias Mean = Double
}

extension Decimal: PredicateFraction {
    /// Sums and products are decimal numbers.
    public typealias Wide = Decimal
    /// Means are decimal numbers.
    public typealias Mean = Decimal
}
