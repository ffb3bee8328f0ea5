import DuramenModel

// Names are compared by their bytes, as in the model. A composed and a decomposed "é" are two
// names, which the equality of strings would treat as one.

extension FetchPredicate {
    /// Returns whether two predicates are equal. Names are compared by their bytes.
    public static func == (a: FetchPredicate, b: FetchPredicate) -> Bool {
        if a.size.excess != b.size.excess { return false }
        return switch (a.form, b.form) {
        case (.constant(let first), .constant(let second)): first == second
        case (.comparison(let first), .comparison(let second)): first == second
        case (
            .quantified(let first, let path, let part), .quantified(let second, let other, let rest)
        ):
            first == second && path.hasSameBytes(as: other) && part == rest
        case (.not(let first), .not(let second)): first == second
        case (.and(let first), .and(let second)), (.or(let first), .or(let second)): first == second
        default: false
        }
    }
}

extension FetchExpression {
    /// Returns whether two expressions are equal. Names are compared by their bytes.
    public static func == (a: FetchExpression, b: FetchExpression) -> Bool {
        if a.size.excess != b.size.excess { return false }
        return switch (a.form, b.form) {
        case (.constant(let first), .constant(let second)): first == second
        case (.list(let first), .list(let second)): first == second
        case (.keyPath(let first), .keyPath(let second)), (.count(let first), .count(let second)):
            first.hasSameBytes(as: second)
        case (.selfObject, .selfObject), (.anyKey, .anyKey): true
        case (.aggregate(let first), .aggregate(let second)): first == second
        case (.variable(let first), .variable(let second)): [first].hasSameBytes(as: [second])
        case (.property(let base, let path), .property(let other, let rest)):
            path.hasSameBytes(as: rest) && base == other
        case (.function(let function, let first), .function(let other, let second)):
            function == other && first == second
        case (.subquery(let base, let name, let part), .subquery(let other, let second, let rest)):
            [name].hasSameBytes(as: [second]) && base == other && part == rest
        case (.conditional(let part, let a, let b), .conditional(let other, let c, let d)):
            part == other && a == c && b == d
        case (.cast(let value, let type), .cast(let other, let second)):
            type == second && value == other
        case (.assignment(let name, let value), .assignment(let second, let other)):
            [name].hasSameBytes(as: [second]) && value == other
        default: false
        }
    }
}

extension FetchSortDescriptor {
    /// Returns whether two descriptors sort equally. Names are compared by their bytes.
    public static func == (a: FetchSortDescriptor, b: FetchSortDescriptor) -> Bool {
        a.isAscending == b.isAscending && a.comparison == b.comparison
            && a.keyPath.hasSameBytes(as: b.keyPath)
    }
}

extension [String] {
    /// Returns whether the names are equal, byte by byte.
    package func hasSameBytes(as other: [String]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { StoredText($0) == StoredText($1) }
    }
}
