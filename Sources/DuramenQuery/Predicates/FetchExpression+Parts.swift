package import DuramenModel

extension FetchExpression {
    /// The operands of this expression, without those in predicates.
    public var operands: [FetchExpression] {
        switch form {
        case .constant, .list, .keyPath, .selfObject, .count, .variable, .anyKey: []
        case .aggregate(let parts): parts
        case .function(_, let arguments): arguments
        case .property(let base, _): [base]
        case .subquery(let collection, _, _): [collection]
        case .conditional(_, let first, let second): [first, second]
        case .cast(let value, _), .assignment(_, let value): [value]
        }
    }

    /// The predicate that determines this expression's value; nil for most expressions.
    public var condition: FetchPredicate? {
        switch form {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): predicate
        default: nil
        }
    }

    /// Returns this expression with its operands and its condition replaced.
    public func mapping<Failure: Error>(
        operands transform: (FetchExpression) throws(Failure) -> FetchExpression,
        condition: (FetchPredicate) throws(Failure) -> FetchPredicate
    ) throws(Failure) -> FetchExpression {
        switch form {
        case .constant, .list, .keyPath, .selfObject, .count, .variable, .anyKey: return self
        case .aggregate(let parts): return .aggregate(try Self.map(parts, transform))
        case .function(let function, let arguments):
            return .function(function, try Self.map(arguments, transform))
        case .property(let base, let names): return .property(try transform(base), names)
        case .subquery(let collection, let variable, let predicate):
            return .subquery(
                try transform(collection), variable: variable, try condition(predicate))
        case .conditional(let predicate, let first, let second):
            return .conditional(
                try condition(predicate), try transform(first), try transform(second))
        case .cast(let value, let type): return .cast(try transform(value), type)
        case .assignment(let name, let value): return .assignment(name, try transform(value))
        }
    }

    // The standard library's `map` does not keep the type of an error.
    private static func map<Failure: Error>(
        _ parts: [FetchExpression],
        _ transform: (FetchExpression) throws(Failure) -> FetchExpression
    ) throws(Failure) -> [FetchExpression] {
        var mapped: [FetchExpression] = []
        mapped.reserveCapacity(parts.count)
        for part in parts { mapped.append(try transform(part)) }
        return mapped
    }
}

extension FetchExpression {
    /// The value of a constant; nil for other expressions.
    package var constantValue: StoredValue? {
        if case .constant(let value) = form, size.excess == nil { value } else { nil }
    }

    /// The values of a list; nil for other expressions.
    package var listValues: [StoredValue]? {
        if case .list(let values) = form { values } else { nil }
    }

    /// The name of a variable; nil for other expressions.
    public var variableName: String? {
        if case .variable(let name) = form { name } else { nil }
    }

    /// The names of a key path; nil for other expressions.
    package var keyPathNames: [String]? {
        if case .keyPath(let names) = form { names } else { nil }
    }

    /// Returns the number of elements of a collection.
    static func count(of collection: FetchExpression) -> FetchExpression {
        if let names = collection.keyPathNames { return .count(keyPath: names) }
        return .function(.count, [collection])
    }
}

extension FetchPredicate {
    /// The constant value of a predicate; nil if it depends on the object.
    package var constantValue: Bool? {
        if case .constant(let value) = form, size.excess == nil { value } else { nil }
    }

    /// Returns this predicate with its comparisons replaced.
    public func mapping<Failure: Error>(
        comparisons transform: (PredicateComparison) throws(Failure) -> FetchPredicate
    ) throws(Failure) -> FetchPredicate {
        func map(_ parts: [FetchPredicate]) throws(Failure) -> [FetchPredicate] {
            var mapped: [FetchPredicate] = []
            for part in parts { mapped.append(try part.mapping(comparisons: transform)) }
            return mapped
        }
        switch form {
        case .constant: return self
        case .comparison(let comparison): return try transform(comparison)
        case .not(let part): return .not(try part.mapping(comparisons: transform))
        case .and(let parts): return .and(try map(parts))
        case .or(let parts): return .or(try map(parts))
        case .quantified(let quantifier, let keyPath, let part):
            return .quantified(
                quantifier, keyPath: keyPath, try part.mapping(comparisons: transform))
        }
    }
}

extension FetchPredicate {
    /// Calls `body` with each comparison from left to right, including those in subqueries and
    /// conditions.
    ///
    /// Recursion is safe if ``PredicateComplexity`` has limited the depth.
    func forEachComparison<Failure: Error>(
        _ body: (PredicateComparison) throws(Failure) -> Void
    ) throws(Failure) {
        switch form {
        case .constant: break
        case .comparison(let comparison):
            try comparison.left.forEachComparison(body)
            try comparison.right.forEachComparison(body)
            try body(comparison)
        case .not(let part), .quantified(_, _, let part): try part.forEachComparison(body)
        case .and(let parts), .or(let parts):
            for part in parts { try part.forEachComparison(body) }
        }
    }
}

extension FetchExpression {
    fileprivate func forEachComparison<Failure: Error>(
        _ body: (PredicateComparison) throws(Failure) -> Void
    ) throws(Failure) {
        for operand in operands { try operand.forEachComparison(body) }
        try condition?.forEachComparison(body)
    }
}
