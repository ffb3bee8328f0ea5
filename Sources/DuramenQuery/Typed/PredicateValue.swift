public import DuramenModel
public import Foundation

/// A Swift type whose values predicates compare with attributes.
public protocol PredicateValue: PredicateArgument {
    /// The family of types that the values can be compared with in typed predicates:
    /// ``NumberFamily``, ``TextFamily``, or the type itself.
    associatedtype Family = Self

    /// The value in the form that stores keep.
    var storedValue: StoredValue { get }
}

/// The family of numbers and Booleans, which compare with each other by value.
public enum NumberFamily: Sendable {}

/// The family of text and URLs.
public enum TextFamily: Sendable {}

extension PredicateValue where Self: RawRepresentable, RawValue: PredicateValue {
    /// The raw value's family.
    public typealias Family = RawValue.Family

    /// The raw value in the form that stores keep.
    public var storedValue: StoredValue { rawValue.storedValue }
}

extension Int: PredicateValue {
    /// Compares with numbers and Booleans.
    public typealias Family = NumberFamily

    /// The stored integer.
    public var storedValue: StoredValue { .integer(Int64(self)) }
}

extension Int16: PredicateValue {
    /// Compares with numbers and Booleans.
    public typealias Family = NumberFamily

    /// The stored integer.
    public var storedValue: StoredValue { .integer(Int64(self)) }
}

extension Int32: PredicateValue {
    /// Compares with numbers and Booleans.
    public typealias Family = NumberFamily

    /// The stored integer.
    public var storedValue: StoredValue { .integer(Int64(self)) }
}

extension Int64: PredicateValue {
    /// Compares with numbers and Booleans.
    public typealias Family = NumberFamily

    /// The stored integer.
    public var storedValue: StoredValue { .integer(self) }
}

extension Double: PredicateValue {
    /// Compares with numbers and Booleans.
    public typealias Family = NumberFamily

    /// The stored double; -0.0 becomes 0.0. Binding a predicate with NaN fails.
    public var storedValue: StoredValue { .double(self == 0 ? 0 : self) }
}

extension Float: PredicateValue {
    /// Compares with numbers and Booleans.
    public typealias Family = NumberFamily

    /// The stored double, to which the float is widened.
    public var storedValue: StoredValue { Double(self).storedValue }
}

extension Decimal: PredicateValue {
    /// Compares with numbers and Booleans.
    public typealias Family = NumberFamily

    /// The stored decimal number.
    public var storedValue: StoredValue { .decimal(self) }
}

extension Bool: PredicateValue {
    /// Compares with numbers and Booleans.
    public typealias Family = NumberFamily

    /// The stored Boolean.
    public var storedValue: StoredValue { .boolean(self) }
}

extension String: PredicateValue {
    /// Compares with text and URLs.
    public typealias Family = TextFamily

    /// The stored text.
    public var storedValue: StoredValue { .text(StoredText(self)) }
}

extension Date: PredicateValue {
    /// The stored date.
    public var storedValue: StoredValue { .date(self) }
}

extension Data: PredicateValue {
    /// The stored bytes.
    public var storedValue: StoredValue { .binary(self) }
}

extension UUID: PredicateValue {
    /// The stored UUID.
    public var storedValue: StoredValue { .uuid(self) }
}

extension URL: PredicateValue {
    /// Compares with text and URLs.
    public typealias Family = TextFamily

    /// The stored text of the URL.
    public var storedValue: StoredValue { .uri(StoredText(absoluteString)) }
}

extension ManagedObjectID: PredicateValue {
    /// The stored reference.
    public var storedValue: StoredValue { .objectID(self) }
}
