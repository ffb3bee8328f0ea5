import DuramenModel
public import DuramenQuery

/// An aggregate of the objects of a group, with the Swift type of its value.
///
/// See ``FetchRequest/select(_:aggregating:_:)``.
public struct FetchAggregate<Object: ManagedObject, Value: Sendable>: Sendable {
    /// The expression to compute.
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
    /// The name of a property. For other key paths, a description that matches no property.
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

// MARK: - Of ordered values

extension FetchAggregate {
    /// The smallest value; nil without values.
    public static func min<Attribute: AttributeValue>(
        _ keyPath: KeyPath<Object, Attribute>
    ) -> Self where Value == Attribute? { Self(.min, keyPath, decodeOptional) }

    /// The smallest value; nil without values.
    public static func min<Attribute: AttributeValue>(
        _ keyPath: KeyPath<Object, Attribute?>
    ) -> Self where Value == Attribute? { Self(.min, keyPath, decodeOptional) }

    /// The greatest value; nil without values.
    public static func max<Attribute: AttributeValue>(
        _ keyPath: KeyPath<Object, Attribute>
    ) -> Self where Value == Attribute? { Self(.max, keyPath, decodeOptional) }

    /// The greatest value; nil without values.
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

/// An attribute type with sums and averages. The library declares all conformances.
public protocol SummableAttribute: AttributeValue {
    /// The type of sums.
    associatedtype Sum: AttributeValue
    /// The type of averages and medians.
    associatedtype Average: AttributeValue
}

extension Int: SummableAttribute {
    /// The type of sums; a sum that is out of range is an error.
    public typealias Sum = Int
    /// The type of averages.
    public typealias Average = Double
}

extension Int16: SummableAttribute {
    /// The type of sums, which may be larger than the values.
    public typealias Sum = Int
    /// The type of averages.
    public typealias Average = Double
}

extension Int32: SummableAttribute {
    /// The type of sums, which may be larger than the values.
    public typealias Sum = Int
    /// The type of averages.
    public typealias Average = Double
}

extension Int64: SummableAttribute {
    /// The type of sums; a sum that is out of range is an error.
    public typealias Sum = Int64
    /// The type of averages.
    public typealias Average = Double
}

extension Double: SummableAttribute {
    /// The type of sums, which are exact and rounded once.
    public typealias Sum = Double
    /// The type of averages.
    public typealias Average = Double
}

extension Float: SummableAttribute {
    /// The type of sums, which are exact and rounded once.
    public typealias Sum = Double
    /// The type of averages.
    public typealias Average = Double
}

extension Decimal: SummableAttribute {
    /// The type of sums: decimals of 38 digits.
    public typealias Sum = Decimal
    /// The type of averages: decimals of 38 digits.
    public typealias Average = Decimal
}

extension FetchAggregate {
    /// The sum; 0 without values.
    public static func sum<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute>
    ) -> Self where Value == Attribute.Sum { Self(.sum, keyPath) { Attribute.Sum(result: $0) } }

    /// The sum of the values that are not nil; 0 without values.
    public static func sum<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute?>
    ) -> Self where Value == Attribute.Sum { Self(.sum, keyPath) { Attribute.Sum(result: $0) } }

    /// The arithmetic mean; nil without values.
    public static func average<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute>
    ) -> Self where Value == Attribute.Average? { Self(.average, keyPath, decodeOptional) }

    /// The arithmetic mean of the values that are not nil; nil without values.
    public static func average<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute?>
    ) -> Self where Value == Attribute.Average? { Self(.average, keyPath, decodeOptional) }

    /// The median: the middle value, or the mean of the two middle ones; nil without values.
    public static func median<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute>
    ) -> Self where Value == Attribute.Average? { Self(.median, keyPath, decodeOptional) }

    /// The median of the values that are not nil: the middle value, or the mean of the two middle
    /// ones; nil without values.
    public static func median<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute?>
    ) -> Self where Value == Attribute.Average? { Self(.median, keyPath, decodeOptional) }
}

extension FetchAggregate where Value == Double? {
    /// The standard deviation of the values as a whole population; nil without values.
    public static func standardDeviation<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute>
    ) -> Self { Self(.stddev, keyPath, decodeOptional) }

    /// The standard deviation of the values that are not nil, as a whole population; nil without
    /// values.
    public static func standardDeviation<Attribute: SummableAttribute>(
        _ keyPath: KeyPath<Object, Attribute?>
    ) -> Self { Self(.stddev, keyPath, decodeOptional) }
}
