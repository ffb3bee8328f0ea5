import DuramenModel
import Foundation

/// Converts the values that a Foundation predicate captures.
enum CapturedValue {
    /// Returns the value as a constant, a list or a range.
    ///
    /// - Parameters:
    ///   - value: The captured value.
    ///   - node: The expression with the value, for messages.
    static func node(_ value: Any, of node: some PredicateExpression) throws(ConversionFailure)
        -> ConvertedNode
    {
        if let value = storedValue(value) { return .constant(value) }
        if let range = value as? any CapturedRange { return .range(try convert(range, of: node)) }
        guard let elements = unwrapped(value).flatMap(elements) else {
            throw unsupported(value, of: node)
        }
        return .expression(.list(try storedValues(elements, of: node)))
    }

    /// Returns elements as constants.
    static func storedValues(
        _ elements: [Any], of node: some PredicateExpression
    ) throws(ConversionFailure) -> [StoredValue] {
        var values: [StoredValue] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            guard let value = storedValue(element) else { throw unsupported(element, of: node) }
            values.append(value)
        }
        return values
    }

    /// Returns the value in the form that stores keep; nil if it is not a single value of a known
    /// type.
    static func storedValue(_ value: Any) -> StoredValue? {
        guard let value = unwrapped(value) else { return .null }
        switch value {
        case let value as any PredicateValue: return value.storedValue
        case let object as any QueryableObject: return .objectID(object.queryObjectID)
        case let number as any BinaryInteger: return storedValue(number)
        case let number as CGFloat: return Double(number).storedValue
        case let text as any StringProtocol: return String(text).storedValue
        case let character as Character: return String(character).storedValue
        case let value as any RawRepresentable: return rawValue(value)
        default: return nil
        }
    }

    private static func storedValue(_ number: some BinaryInteger) -> StoredValue? {
        if let number = Int64(exactly: number) { return .integer(number) }
        return Decimal(string: "\(number)").map { .decimal($0) }
    }

    private static func rawValue(_ value: some RawRepresentable) -> StoredValue? {
        storedValue(value.rawValue)
    }

    private static func elements(_ value: Any) -> [Any]? {
        // A dictionary's elements are pairs.
        (value as? any Sequence).map { sequence in sequence.map { $0 } }
    }

    /// Returns the value in an optional of any depth; nil for none.
    private static func unwrapped(_ value: Any) -> Any? {
        guard let optional = value as? any OptionalCapture else { return value }
        return optional.wrapped.flatMap(unwrapped)
    }

    private static func convert(
        _ range: any CapturedRange, of node: some PredicateExpression
    ) throws(ConversionFailure) -> ConvertedRange {
        let ends = range.ends
        func bound(_ value: Any?) throws(ConversionFailure) -> FetchExpression? {
            guard let value else { return nil }
            return .constant(try storedValues([value], of: node)[0])
        }
        return ConvertedRange(
            lower: try bound(ends.lower), upper: try bound(ends.upper),
            includesUpper: ends.includesUpper)
    }

    private static func unsupported(_ value: Any, of node: some PredicateExpression)
        -> ConversionFailure
    {
        .refused(
            PredicateConversionError(
                .unsupportedValue, node: PredicateConversion.name(of: node),
                "No attribute has values of type '\(type(of: value))'. Capture a value of the attribute's "
                    + "type, or make the type conform to PredicateValue."))
    }
}

/// An optional of any type.
private protocol OptionalCapture {
    var wrapped: Any? { get }
}

extension Optional: OptionalCapture {
    fileprivate var wrapped: Any? { map { $0 as Any } }
}
