public import DuramenModel
public import Foundation

/// A Swift type whose values predicates compare with attributes.
public protocol PredicateValue: PredicateArgument {
    /// The family of types that the values can be compared with in typed predicates:
    /// ``NumberFamily``, ``TextFamily``, or the type itself.
    associatedtype Family = Self

    /// The value as stores hold it.
    var storedValue: StoredValue { get }
}

/// The family of numbers and truth values, which compare with each other by value.
public enum NumberFamily: Sendable {}

/// The family of text and URLs.
public enum TextFamily: Sendable {}

extension PredicateValue where Self: RawRepresentable, RawValue: PredicateValue {
    /// The raw value's family.
    public typealias Family = RawValue.Family

    /// The raw value as stores hold it.
    public var storedValue: StoredValue { rawValue.storedValue }
}

extension Int: PredicateValue {
    /// Numbers.
    public typealias Family = NumberFamily

    /// An integer.
    public var storedValue: StoredValue { .integer(Int64(self)) }
}

extension Int16: PredicateValue {
    /// Numbers.
    public typealias Family = NumberFamily

    /// An integer.
    public var storedValue: StoredValue { .integer(Int64(self)) }
}

extension Int32: PredicateValue {
    /// Numbers.
    public typealias Family = NumberFamily

    /// An integer.
    public var storedValue: StoredValue { .integer(Int64(self)) }
}

extension Int64: PredicateValue {
    /// Numbers.
    public typealias Family = NumberFamily

    /// An integer.
    public var storedValue: StoredValue { .integer(self) }
}

extension Double: PredicateValue {
    /// Numbers.
    public typealias Family = NumberFamily

    /// A double; -0.0 becomes 0.0. A NaN is kept, and refused when a predicate is bound.
    public var storedValue: StoredValue { .double(self == 0 ? 0 : self) }
}

extension Float: PredicateValue {
    /// Numbers.
    public typealias Family = NumberFamily

    /// The float widened to a double.
    public var storedValue: StoredValue { Double(self).storedValue }
}

extension Decimal: PredicateValue {
    /// Numbers.
    public typealias Family = NumberFamily

    /// A decimal number.
    public var storedValue: StoredValue { .decimal(self) }
}

extension Bool: PredicateValue {
    /// Numbers.
    public typealias Family = NumberFamily

    /// True or false.
    public var storedValue: StoredValue { .boolean(self) }
}

extension String: PredicateValue {
    /// Text.
    public typealias Family = TextFamily

    /// Text.
    public var storedValue: StoredValue { .text(StoredText(self)) }
}

extension Date: PredicateValue {
    /// A point in time.
    public var storedValue: StoredValue { .date(self) }
}

extension Data: PredicateValue {
    /// Bytes.
    public var storedValue: StoredValue { .binary(self) }
}

extension UUID: PredicateValue {
    /// An identifier.
    public var storedValue: StoredValue { .uuid(self) }
}

extension URL: PredicateValue {
    /// Text.
    public typealias Family = TextFamily

    /// The URL's text.
    public var storedValue: StoredValue { .uri(StoredText(absoluteString)) }
}

extension ManagedObjectID: PredicateValue {
    /// A reference.
    public var storedValue: StoredValue { .objectID(self) }
}
