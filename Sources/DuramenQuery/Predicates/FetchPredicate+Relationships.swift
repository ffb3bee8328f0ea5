extension FetchPredicate {
    /// Whether the predicate may depend on objects other than its subject.
    package var followsRelationships: Bool {
        switch form {
        case .constant: false
        case .comparison(let comparison):
            comparison.left.followsRelationships || comparison.right.followsRelationships
                // A to-many on the left of `contains` is stored in other rows, like one under a
                // quantifier.
                || comparison.operator == .contains && !comparison.right.isText
                || comparison.quantifier != nil
        case .quantified: true
        case .not(let part): part.followsRelationships
        case .and(let parts), .or(let parts): parts.contains(where: \.followsRelationships)
        }
    }
}

extension FetchExpression {
    /// Whether the expression is text, which a to-many cannot contain.
    fileprivate var isText: Bool {
        if case .constant(let value) = form { value.textValue != nil } else { false }
    }

    /// Whether the expression may depend on other objects.
    fileprivate var followsRelationships: Bool {
        switch form {
        case .keyPath(let path): path.count > 1
        case .count, .subquery, .property: true
        case .constant, .list, .selfObject, .variable, .anyKey: false
        case .function(let function, _) where function.isOfCollection: true
        case .conditional(let condition, let first, let second):
            condition.followsRelationships || first.followsRelationships
                || second.followsRelationships
        case .aggregate, .function, .cast, .assignment:
            operands.contains(where: \.followsRelationships)
        }
    }
}
