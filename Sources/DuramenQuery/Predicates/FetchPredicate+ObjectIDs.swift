public import DuramenModel

extension FetchPredicate {
    /// Returns this predicate with its object IDs replaced, including those in lists and
    /// subqueries.
    ///
    /// A predicate that is too complex is returned unchanged.
    /// - Complexity: Linear in the size of the predicate with its lists.
    public func replacingObjectIDs(
        _ replacement: (ManagedObjectID) -> ManagedObjectID
    ) -> FetchPredicate {
        if PredicateComplexity.problem(self) != nil { return self }
        // Sound: the replacement does not outlive this call.
        return withoutActuallyEscaping(replacement) {
            ObjectIDReplacement(replacement: $0).predicate(self)
        }
    }

    /// The object IDs in the predicate, in the order in which they occur.
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
    /// Returns this expression with its object IDs replaced; see
    /// ``FetchPredicate/replacingObjectIDs(_:)``.
    public func replacingObjectIDs(
        _ replacement: (ManagedObjectID) -> ManagedObjectID
    ) -> FetchExpression {
        let whole = FetchPredicate.comparison(PredicateComparison(self, .equal, .constant(.null)))
        if PredicateComplexity.problem(whole) != nil { return self }
        // Sound: the replacement does not outlive this call.
        return withoutActuallyEscaping(replacement) {
            ObjectIDReplacement(replacement: $0).expression(self)
        }
    }
}

/// Replaces object IDs. Recursion is safe if ``PredicateComplexity`` has limited the depth.
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
