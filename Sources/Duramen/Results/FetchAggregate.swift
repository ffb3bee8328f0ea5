import DuramenModel
public import DuramenQuery

/// An aggregate of the objects of a group, and the Swift type of its value.
///
/// See ``FetchRequest/select(_:aggregating:)``.
public struct FetchAggregate<Object: ManagedObject, Value: Sendable>: Sendable {
    /// The expression to calculate.
    public let expression: FetchExpression
    let decode: @Sendable (StoredValue) -> Value?

    init(_ expression: FetchExpression, _ decode: @escaping @Sendable (StoredValue) -> Value?) {
        self.expression = expression
        self.decode = decode
    }

    private init(
        _ function: FetchFunction, _ keyPath: AnyKeyPath,
        _ decode: @escaping @Sendable (StoredValue) -> Value?
    ) {
        self.init(.function(function, [.keyPath([Object.resultName(of: keyPath)])]), decode)
    }
}

extension ManagedObject {
    /// The name of a property, or a description that no property has.
    static func resultName(of keyPath: AnyKeyPath) -> String {
        propertyName(for: keyPath) ?? "\(keyPath)"
    }
}

// MARK: - Counts

extension FetchAggregate where Value == Int {
    /// The number of objects.
    public static var count: Self {
        Self(.function(.count, [.selfObject])) { Int(result: $0) }
    }

    /// The number of objects whose property has a value.
    public static func count<Property: OptionalGroupableProperty>(
        _ keyPath: KeyPath<Object, Property?>
    ) -> Self {
        Self(.count, keyPath) { Int(result: $0) }
    }
}

// MARK: - Of values that have an order

extension FetchAggregate {
    /// The smallest value; nil of none.
    public static func min<Attribute: AttributeValue>(
        _ keyPath: KeyPath<Object, Attribute>
    ) -> Self where Value == Attribute? { Self(.min, keyPath, decodeOptional) }

    /// The smallest value; nil of none.
    public static func min<Attribute: AttributeValue>(
        _ keyPath: KeyPath<Object, Attribute?>
    ) -> Self where Value == Attribute? { Self(.min, keyPath, decodeOptional) }

    /// The greatest value; nil of none.
    public static func max<Attribute: AttributeValue>(
        _ keyPath: KeyPath<Object, Attribute>
    ) -> Self where Value == Attribute? { Self(.max, keyPath, decodeOptional) }

    /// The greatest value; nil of none.
    public static func max<Attribute: AttributeValue>(
        _ keyPath: KeyPath<Object, Attribute?>
    ) -> Self where Value == Attribute? { Self(.max, keyPath, decodeOptional) }
}

@Sendable private func decodeOptional<Attribute: AttributeValue>(
    _ value: StoredValue
) -> Attribute?? {
    if value.isNull { return .some(nil) }
    return Attribute(result: value).map { .some($0) }
}

// MARK: - Of numbers

/// Attributes that have sums and averages. The library declares all conformances.
public protocol SummableAttribute: AttributeValue {
    /// The type of sums.
    associatedtype Sum: AttributeValue
    /// The type of averages and medians.
    associatedtype Average: AttributeValue
}

extension Int: SummableAttribute {
    /// A sum that does not fit is an error.
    public typealias Sum = Int
    /// A double.
    public typealias Average = Double
}

extension Int16: SummableAttribute {
    /// The sum may be larger than the values.
    public typealias Sum = Int
    /// A double.
    public typealias Average = Double
}

extension Int32: SummableAttribute {
    /// The sum may be larger than the values.
    public typealias Sum = Int
    /// A double.
    public typealias Average = Double
}

extension Int64: SummableAttribute {
    /// A sum that does not fit is an error.
    public typealias Sum = Int64
    /// A double.
    public typealias Average = Double
}

extension Double: SummableAttribute {
    /// Summed exactly, and rounded once.
    public typealias Sum = Double
    /// A double.
    public typealias Average = Double
}

extension Float: SummableAttribute {
    /// Summed exactly, and rounded once.
    public typealias Sum = Double
    /// A double.
    public typealias Average = Double
}

extension Decimal: SummableAttribute {
    /// A decimal of 38 digits.
    public typealias Sum = Decimal
    /// A decimal of 38 digits.
    public typealias Average = Decimal
}

extension FetchAggregate {
    /// The sum; 0 of none.
    public static func sum<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute>
    ) -> Self where Value == Attribute.Sum { Self(.sum, keyPath) { Attribute.Sum(result: $0) } }

    /// The sum of the values that there are; 0 of none.
    public static func sum<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute?>
    ) -> Self where Value == Attribute.Sum { Self(.sum, keyPath) { Attribute.Sum(result: $0) } }

    /// The arithmetic mean; nil of none.
    public static func average<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute>
    ) -> Self where Value == Attribute.Average? { Self(.average, keyPath, decodeOptional) }

    /// The arithmetic mean of the values that there are; nil of none.
    public static func average<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute?>
    ) -> Self where Value == Attribute.Average? { Self(.average, keyPath, decodeOptional) }

    /// The middle of the values, between two the mean of both; nil of none.
    public static func median<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute>
    ) -> Self where Value == Attribute.Average? { Self(.median, keyPath, decodeOptional) }

    /// The middle of the values that there are, between two the mean of both; nil of none.
    public static func median<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute?>
    ) -> Self where Value == Attribute.Average? { Self(.median, keyPath, decodeOptional) }
}

extension FetchAggregate where Value == Double? {
    /// The standard deviation of the values as a whole population; nil of none.
    public static func standardDeviation<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute>
    ) -> Self { Self(.stddev, keyPath, decodeOptional) }

    /// The standard deviation of the values that there are as a whole population; nil of none.
    public static func standardDeviation<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute?>
    ) -> Self { Self(.stddev, keyPath, decodeOptional) }
}
