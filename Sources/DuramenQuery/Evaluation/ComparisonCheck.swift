import DuramenModel

/// Checks that the two sides of a comparison can be compared, and reports why not.
///
/// Messages name the comparison without its values.
struct ComparisonCheck {
    private let comparison: PredicateComparison
    private let entity: Entity

    init(_ comparison: PredicateComparison, entity: Entity) {
        self.comparison = comparison
        self.entity = entity
    }

    /// Checks a constant, alone or in a list.
    func constant(_ value: StoredValue) throws(FetchPredicateError) {
        if value.isNotANumber {
            throw mismatch("a value is NaN, which equals nothing. Compare with a number or null.")
        }
    }

    /// Checks the right side of `contains` with a to-many on the left.
    func containsObject(_ right: BoundOperand) throws(FetchPredicateError) {
        if !comparison.options.isEmpty {
            throw mismatch("options for text do not apply to objects. Leave them out.")
        }
        switch right {
        case .constant(.objectID), .constant(.null), .reference, .selfObject: return
        default: throw mismatch("a to-many contains objects only. Give an object ID on the right.")
        }
    }

    func check(_ left: BoundOperand, _ right: BoundOperand) throws(FetchPredicateError) {
        let relation = comparison.operator
        if left.family == .encoded || right.family == .encoded {
            return try checkEncoded(left, right)
        }
        if case .list = left {
            throw mismatch("a list may only stand on the right of isIn and between.")
        }
        var rights = [right.family]
        if case .list(let values) = right {
            guard relation == .isIn || relation == .between else {
                throw mismatch("a list may only stand on the right of isIn and between.")
            }
            if relation == .between, values.count != 2 {
                throw mismatch("between takes two values, not \(values.count).")
            }
            rights = values.map { ValueFamily($0) }
        } else if relation == .isIn || relation == .between {
            throw mismatch(
                "the right side of \(relation.rawValue) is not a list. Write {1, 2}, or pass an array."
            )
        }
        for case let other? in rights {
            if let family = left.family {
                try comparison.checkFamilies(family, other, of: entity.name)
            }
        }
        if relation.isOrder, Self.isOrderOfIDs(left, right) || Self.isOrderOfIDs(right, left) {
            if comparison.options.isEmpty { return }
        }
        try comparison.checkFamilies(
            ([left.family] + rights).compactMap { $0 }, of: entity.name,
            orderRemedy: "Compare one of their attributes, or SELF with an object ID.")
    }

    /// Returns whether the comparison is one of object IDs, which finds the objects after a page.
    private static func isOrderOfIDs(_ left: BoundOperand, _ right: BoundOperand) -> Bool {
        if case .selfObject = left, case .constant(.objectID) = right { return true }
        return false
    }

    /// Checks a transformable attribute, which can only be compared with null.
    private func checkEncoded(
        _ left: BoundOperand, _ right: BoundOperand
    ) throws(FetchPredicateError) {
        let isTest = comparison.operator == .equal || comparison.operator == .notEqual
        if isTest, comparison.options.isEmpty, left.isNull || right.isNull { return }
        throw mismatch("a transformable attribute compares with nil only, by == and !=.")
    }

    private func mismatch(_ problem: String) -> FetchPredicateError {
        comparison.mismatch(problem, of: entity.name)
    }
}

extension PredicateComparison.Operator {
    /// Whether the operator compares the order of two values.
    var isOrder: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual: true
        default: false
        }
    }
}

extension BoundOperand {
    fileprivate var isNull: Bool {
        if case .constant(.null) = self { true } else { false }
    }

    /// The family of the values; nil for null and lists.
    fileprivate var family: ValueFamily? {
        switch self {
        case .constant(let value): ValueFamily(value)
        case .list: nil
        case .attribute(_, _, let kind): ValueFamily(kind)
        case .reference, .selfObject: .object
        case .count: .number
        }
    }
}
