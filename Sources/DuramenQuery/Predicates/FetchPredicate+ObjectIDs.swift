public import DuramenModel

extension FetchPredicate {
    /// Returns this predicate with other object IDs, in lists and subqueries too.
    ///
    /// A predicate that is too complex to be used stays as it is.
    /// - Complexity: Linear in the size of the predicate, its lists included.
    public func replacingObjectIDs(
        _ replacement: (ManagedObjectID) -> ManagedObjectID
    ) -> FetchPredicate {
        if PredicateComplexity.problem(self) != nil { return self }
        // Sound: the replacement is over when this returns.
        return withoutActuallyEscaping(replacement) {
            ObjectIDReplacement(replacement: $0).predicate(self)
        }
    }

    /// The object IDs that the predicate names, in the order of their places.
    public var objectIDs: [ManagedObjectID] {
        var ids: [ManagedObjectID] = []
        _ = replacingObjectIDs { id in
            ids.append(id)
            return id
        }
        return ids
    }
}

extension FetchExpression {
    /// Returns this expression with other object IDs; see
    /// ``FetchPredicate/replacingObjectIDs(_:)``.
    public func replacingObjectIDs(
        _ replacement: (ManagedObjectID) -> ManagedObjectID
    ) -> FetchExpression {
        let whole = FetchPredicate.comparison(PredicateComparison(self, .equal, .constant(.null)))
        if PredicateComplexity.problem(whole) != nil { return self }
        // Sound: the replacement is over when this returns.
        return withoutActuallyEscaping(replacement) {
            ObjectIDReplacement(replacement: $0).expression(self)
        }
    }
}

/// Puts object IDs in the place of others. Recursion is safe where ``PredicateComplexity`` has
/// bounded the depth.
private struct ObjectIDReplacement {
    let replacement: (ManagedObjectID) -> ManagedObjectID

    func predicate(_ predicate: FetchPredicate) -> FetchPredicate {
        predicate.mapping { comparison in
            var copy = comparison
            copy.left = expression(comparison.left)
            copy.right = expression(comparison.right)
            return .comparison(copy)
        }
    }

    func expression(_ expression: FetchExpression) -> FetchExpression {
        switch expression.form {
        case .constant(let value): .constant(self.value(value))
        case .list(let values): .list(values.map(value))
        default: expression.mapping(operands: self.expression, condition: predicate)
        }
    }

    private func value(_ value: StoredValue) -> StoredValue {
        if case .objectID(let id) = value { .objectID(replacement(id)) } else { value }
    }
}
