public import DuramenModel

/// A to-many in a typed predicate.
public struct ToManyPath<Element: QueryableObject> {
    let queryNames: [String]

    init(queryNames: [String]) { self.queryNames = queryNames }

    /// At least one destination satisfies the condition.
    public func any(_ condition: (EntityPath<Element>) -> FetchPredicate) -> FetchPredicate {
        .quantified(.any, keyPath: queryNames, condition(EntityPath()))
    }

    /// Every destination satisfies the condition; so when there is none.
    public func all(_ condition: (EntityPath<Element>) -> FetchPredicate) -> FetchPredicate {
        .quantified(.all, keyPath: queryNames, condition(EntityPath()))
    }

    /// No destination satisfies the condition.
    public func none(_ condition: (EntityPath<Element>) -> FetchPredicate) -> FetchPredicate {
        .quantified(.none, keyPath: queryNames, condition(EntityPath()))
    }

    /// The to-many leads to that object.
    public func contains(_ id: ManagedObjectID) -> FetchPredicate {
        .comparison(
            PredicateComparison(.keyPath(queryNames), .contains, .constant(.objectID(id))))
    }

    /// The to-many leads to that object.
    public func contains(_ object: Element) -> FetchPredicate { contains(object.queryObjectID) }

    /// The number of destinations.
    public var count: CountPath { CountPath(queryNames: queryNames) }

    /// Whether there is no destination.
    public var isEmpty: FetchPredicate { count == 0 }
}

/// The number of a to-many's destinations in a typed predicate.
public struct CountPath {
    let queryNames: [String]

    private func compared(
        _ relation: PredicateComparison.Operator, _ number: Int
    ) -> FetchPredicate {
        .comparison(
            PredicateComparison(
                .count(keyPath: queryNames), relation, .constant(number.storedValue)))
    }

    /// There are that many.
    public static func == (path: CountPath, number: Int) -> FetchPredicate {
        path.compared(.equal, number)
    }

    /// There are more or fewer.
    public static func != (path: CountPath, number: Int) -> FetchPredicate {
        path.compared(.notEqual, number)
    }

    /// There are fewer.
    public static func < (path: CountPath, number: Int) -> FetchPredicate {
        path.compared(.less, number)
    }

    /// There are that many or fewer.
    public static func <= (path: CountPath, number: Int) -> FetchPredicate {
        path.compared(.lessOrEqual, number)
    }

    /// There are more.
    public static func > (path: CountPath, number: Int) -> FetchPredicate {
        path.compared(.greater, number)
    }

    /// There are that many or more.
    public static func >= (path: CountPath, number: Int) -> FetchPredicate {
        path.compared(.greaterOrEqual, number)
    }
}
