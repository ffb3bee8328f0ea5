public import Foundation

/// A Swift type of numbers, with which typed predicates calculate.
public protocol PredicateNumber: PredicateValue where Family == NumberFamily {
    /// The type of sums, products and the like: wide enough that the results are not cut off.
    associatedtype Wide: PredicateNumber
    /// The type of means.
    associatedtype Mean: PredicateNumber
}

/// A Swift type of whole numbers, which have bits.
public protocol PredicateInteger: PredicateNumber {}

/// A Swift type of numbers that may have a fraction.
public protocol PredicateFraction: PredicateNumber {}

extension Int: PredicateInteger {
    /// Whole numbers of 64 bits.
    public typealias Wide = Int
    /// Doubles.
    public typealias Mean = Double
}

extension Int16: PredicateInteger {
    /// Whole numbers of 64 bits.
    public typealias Wide = Int
    /// Doubles.
    public typealias Mean = Double
}

extension Int32: PredicateInteger {
    /// Whole numbers of 64 bits.
    public typealias Wide = Int
    /// Doubles.
    public typealias Mean = Double
}

extension Int64: PredicateInteger {
    /// Whole numbers of 64 bits.
    public typealias Wide = Int
    /// Doubles.
    public typealias Mean = Double
}

extension Double: PredicateFraction {
    /// Doubles.
    public typealias Wide = Double
    /// Doubles.
    public typealias Mean = Double
}

extension Float: PredicateFraction {
    /// Doubles.
    public typealias Wide = Double
    /// Doubles.
    public typealias Mean = Double
}

extension Decimal: PredicateFraction {
    /// Decimal numbers.
    public typealias Wide = Decimal
    /// Decimal numbers.
    public typealias Mean = Decimal
}
