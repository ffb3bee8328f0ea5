public import DuramenModel

/// The destinations of a to-many in a typed predicate, or some of them.
public struct ToManyPath<Element: QueryableObject>: Sendable {
    /// The expression for use in predicates.
    public let fetchExpression: FetchExpression
    /// The key path, if it ends in a to-many.
    private let toManyNames: [String]?

    /// Whether the expression is a key path that ends in a to-many.
    var endsInToMany: Bool { toManyNames != nil }

    init(queryNames: [String]) {
        fetchExpression = .keyPath(queryNames)
        toManyNames = queryNames
    }

    init(_ expression: FetchExpression) {
        fetchExpression = expression
        toManyNames = nil
    }

    /// The number of destinations.
    public var count: QueryExpression<Int> { QueryExpression(.count(of: fetchExpression)) }

    /// A predicate that is true if there are no destinations.
    public var isEmpty: FetchPredicate { count == 0 }

    /// Returns a predicate that is true if the to-many is empty, like ``isEmpty``.
    public static func == (path: ToManyPath, none: _OptionalNilComparisonType) -> FetchPredicate {
        path.compared(.equal)
    }

    /// Returns a predicate that is true if the to-many has a destination.
    public static func != (path: ToManyPath, none: _OptionalNilComparisonType) -> FetchPredicate {
        path.compared(.notEqual)
    }

    private func compared(_ relation: PredicateComparison.Operator) -> FetchPredicate {
        if toManyNames == nil {
            return .comparison(
                PredicateComparison(.count(of: fetchExpression), relation, .constant(.integer(0))))
        }
        return .comparison(PredicateComparison(fetchExpression, relation, .constant(.null)))
    }
}

// MARK: - Conditions on the destinations

extension ToManyPath {
    /// Returns a predicate that is true if a destination satisfies the condition.
    public func any(_ condition: (EntityPath<Element>) -> FetchPredicate) -> FetchPredicate {
        quantified(.any, condition)
    }

    /// Returns a predicate that is true if every destination satisfies the condition, or if there
    /// are no destinations.
    public func all(_ condition: (EntityPath<Element>) -> FetchPredicate) -> FetchPredicate {
        quantified(.all, condition)
    }

    /// Returns a predicate that is true if no destination satisfies the condition.
    public func none(_ condition: (EntityPath<Element>) -> FetchPredicate) -> FetchPredicate {
        quantified(.none, condition)
    }

    /// Returns the destinations that satisfy a condition: `SUBQUERY(quakes, $x, $x.magnitude > 6)`.
    public func `where`(_ condition: (EntityPath<Element>) -> FetchPredicate) -> ToManyPath {
        let subject = ClosureSubject()
        return ToManyPath(
            subject.subquery(of: fetchExpression, condition(EntityPath(subject: subject))))
    }

    /// Returns the number of destinations that satisfy a condition: `SUBQUERY(quakes, $x,
    /// $x.magnitude > 6).@count`.
    public func count(
        where condition: (EntityPath<Element>) -> FetchPredicate
    ) -> QueryExpression<Int> { self.where(condition).count }

    private func quantified(
        _ quantifier: PredicateQuantifier, _ condition: (EntityPath<Element>) -> FetchPredicate
    ) -> FetchPredicate {
        let subject = ClosureSubject()
        let built = condition(EntityPath(subject: subject))
        if let toManyNames, let inner = subject.conditionOnSelf(built) {
            return .quantified(quantifier, keyPath: toManyNames, inner)
        }
        return subject.quantified(quantifier, of: fetchExpression, built)
    }
}

// MARK: - Membership

extension ToManyPath {
    /// Returns a predicate that is true if the to-many contains the object.
    public func contains(_ id: ManagedObjectID) -> FetchPredicate {
        contains(.constant(.objectID(id)))
    }

    /// Returns a predicate that is true if the to-many contains the object.
    public func contains(_ object: Element) -> FetchPredicate { contains(object.queryObjectID) }

    /// Returns a predicate that is true if the to-many contains the object at the path.
    public func contains<Other: QueryableObject>(_ path: EntityPath<Other>) -> FetchPredicate {
        contains(path.expression)
    }

    private func contains(_ object: FetchExpression) -> FetchPredicate {
        .comparison(PredicateComparison(fetchExpression, .contains, object))
    }
}
