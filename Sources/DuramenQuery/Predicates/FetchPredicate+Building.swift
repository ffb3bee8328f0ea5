public import DuramenModel

extension FetchPredicate {
    /// Returns a predicate that is true if both are true. Chains become one flat ``and(_:)``.
    public static func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        switch (left.form, right.form) {
        case (.and(let first), .and(let second)): .and(first + second)
        case (.and(let parts), _): .and(parts + [right])
        case (_, .and(let parts)): .and([left] + parts)
        default: .and([left, right])
        }
    }

    /// Returns a predicate that is true if one is true. Chains become one flat ``or(_:)``.
    public static func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        switch (left.form, right.form) {
        case (.or(let first), .or(let second)): .or(first + second)
        case (.or(let parts), _): .or(parts + [right])
        case (_, .or(let parts)): .or([left] + parts)
        default: .or([left, right])
        }
    }

    /// Returns a predicate that is true if the predicate is false.
    public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate { .not(predicate) }

    /// Compares a key path, given at run time, with a stored value.
    public static func keyPath(
        _ keyPath: String, _ operator: PredicateComparison.Operator, _ value: StoredValue,
        _ options: PredicateComparison.Options = []
    ) -> FetchPredicate {
        .comparison(
            PredicateComparison(
                .keyPath(keyPath.keyPathNames), `operator`, .constant(value), options: options))
    }

    /// Compares a key path, given at run time, with a value.
    public static func keyPath(
        _ keyPath: String, _ operator: PredicateComparison.Operator, _ value: some PredicateValue,
        _ options: PredicateComparison.Options = []
    ) -> FetchPredicate {
        Self.keyPath(keyPath, `operator`, value.storedValue, options)
    }

    /// Compares a key path, given at run time, with a list, for
    /// ``PredicateComparison/Operator/isIn`` and ``PredicateComparison/Operator/between``.
    public static func keyPath(
        _ keyPath: String, _ operator: PredicateComparison.Operator, _ list: [StoredValue],
        _ options: PredicateComparison.Options = []
    ) -> FetchPredicate {
        .comparison(
            PredicateComparison(
                .keyPath(keyPath.keyPathNames), `operator`, .list(list), options: options))
    }

    /// Compares a key path, given at run time, with a list, for
    /// ``PredicateComparison/Operator/isIn`` and ``PredicateComparison/Operator/between``.
    public static func keyPath(
        _ keyPath: String, _ operator: PredicateComparison.Operator, _ list: [some PredicateValue],
        _ options: PredicateComparison.Options = []
    ) -> FetchPredicate {
        Self.keyPath(keyPath, `operator`, list.map(\.storedValue), options)
    }
}

extension String {
    /// The names between the dots, as a key path.
    package var keyPathNames: [String] {
        // Compares bytes, as names do; a search for characters takes four times as long.
        if !utf8.contains(UInt8(ascii: ".")) { return [self] }
        return utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }
}
