package import DuramenModel
package import DuramenQuery
import Foundation

/// Comparisons of numbers for engines whose columns have one type.
///
/// The evaluator compares numbers of all types exactly. Such an engine converts one side to the
/// other's type instead, which rounds, or refuses the comparison. So the constant becomes a
/// constant of the column's type with the same answers.
package enum TypedNumbers {
    /// A comparison of a column with a constant, in the column's type.
    package enum Test: Sendable, Hashable {
        /// With the constant itself, in the form ``ParameterForm/typed(_:)``.
        case direct(PredicateComparison.Operator)
        /// With another constant.
        case bound(PredicateComparison.Operator, SQLParameter)
        /// Every value except null.
        case everyNumber
        /// Every value and null.
        case everyRow
        /// No value.
        case nothing
    }

    /// Returns the parameter for a value whose type fits a column; nil for any other value.
    package static func parameter(of value: StoredValue, _ kind: SlotKind) -> SQLParameter? {
        switch (kind, value) {
        case (.integer, .integer(let number)): .integer(number)
        case (.integer, .boolean(let flag)), (.boolean, .boolean(let flag)):
            .integer(flag ? 1 : 0)
        case (.double, .double(let number)), (.float, .double(let number)):
            number.isNaN ? nil : .double(number)
        case (.double, .boolean(let flag)), (.float, .boolean(let flag)): .double(flag ? 1 : 0)
        case (.double, .integer(let number)), (.float, .integer(let number)):
            Double(exactly: number).map { .double($0) }
        case (.decimal, .decimal(let number)): number.isNaN ? nil : .decimal(number)
        case (.decimal, .integer(let number)): .decimal(Decimal(number))
        case (.decimal, .boolean(let flag)): .decimal(flag ? 1 : 0)
        case (.date, .date(let date)) where date.timeIntervalSinceReferenceDate.isNaN: nil
        case (.integer, _), (.boolean, _), (.double, _), (.float, _), (.decimal, _): nil
        default: ParameterForm.parameter(for: value, kind)
        }
    }

    /// Returns the comparison of a column of numbers; nil if the evaluator must decide.
    package static func test(
        _ kind: SlotKind, _ relation: PredicateComparison.Operator, _ value: StoredValue
    ) -> Test? {
        guard relation.isOfNumbers else { return nil }
        if parameter(of: value, kind) != nil { return .direct(relation) }
        switch kind {
        case .integer: return integer(relation, value)
        case .boolean: return boolean(relation, value)
        case .double, .float: return double(relation, value)
        default: return nil
        }
    }

    /// The whole bound of a comparison with a double or a decimal.
    private static func integer(
        _ relation: PredicateComparison.Operator, _ value: StoredValue
    ) -> Test? {
        if let whole = whole(value) { return .bound(relation, .integer(whole)) }
        guard case .double(let number) = value, !number.isNaN else { return nil }
        if let whole = Int64(exactly: number) { return .bound(relation, .integer(whole)) }
        switch relation {
        case .equal: return .nothing
        case .notEqual: return .everyRow
        case .less, .lessOrEqual:
            if number >= 0x1p63 { return .everyNumber }
            return Int64(exactly: number.rounded(.down))
                .map { .bound(.lessOrEqual, .integer($0)) } ?? .nothing
        default:
            if number < -0x1p63 { return .everyNumber }
            return Int64(exactly: number.rounded(.up))
                .map { .bound(.greaterOrEqual, .integer($0)) } ?? .nothing
        }
    }

    /// A comparison of false and true, which the evaluator compares as 0 and 1.
    private static func boolean(
        _ relation: PredicateComparison.Operator, _ value: StoredValue
    ) -> Test? {
        guard let low = StoredValue.order(.boolean(false), value),
            let high = StoredValue.order(.boolean(true), value)
        else { return nil }
        if relation == .notEqual {
            if low != 0, high != 0 { return .everyRow }
            return .bound(.notEqual, .integer(low == 0 ? 0 : 1))
        }
        return switch (relation.accepts(low), relation.accepts(high)) {
        case (true, true): .everyNumber
        case (true, false): .bound(.equal, .integer(0))
        case (false, true): .bound(.equal, .integer(1))
        case (false, false): .nothing
        }
    }

    /// A comparison with a whole number that may lie between two doubles.
    private static func double(
        _ relation: PredicateComparison.Operator, _ value: StoredValue
    ) -> Test? {
        let number: Int64
        if case .integer(let whole) = value {
            number = whole
        } else if let whole = whole(value) {
            number = whole
        } else {
            return nil
        }
        if let exact = Double(exactly: number) { return .bound(relation, .double(exact)) }
        let nearest = Double(number)
        let isAbove = StoredValue.order(.double(nearest), .integer(number)) == 1
        switch relation {
        case .equal: return .nothing
        case .notEqual: return .everyRow
        case .less, .lessOrEqual:
            return .bound(.lessOrEqual, .double(isAbove ? nearest.nextDown : nearest))
        default:
            return .bound(.greaterOrEqual, .double(isAbove ? nearest : nearest.nextUp))
        }
    }

    /// A decimal without a fraction that fits 64 bits.
    private static func whole(_ value: StoredValue) -> Int64? {
        guard case .decimal(let number) = value else { return nil }
        return Int64(number.description)
    }
}

extension SlotKind {
    /// Whether the values are numbers.
    var isNumber: Bool {
        switch self {
        case .integer, .boolean, .double, .float, .decimal: true
        default: false
        }
    }
}

extension PredicateComparison.Operator {
    fileprivate var isOfNumbers: Bool {
        switch self {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
        default: false
        }
    }

    /// Whether an order of two numbers satisfies `=`, `<`, `<=`, `>` or `>=`.
    fileprivate func accepts(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        default: false
        }
    }
}
