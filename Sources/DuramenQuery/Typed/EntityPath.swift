public import DuramenModel

/// What `$0` is in a typed predicate: the object itself, or where some to-ones lead.
///
/// Each step is a property of the class: an attribute, a to-one whether optional or not, a to-many.
/// A property that is not managed makes a predicate which binding refuses.
/// ```swift
/// FetchPredicate(Quake.self) { $0.magnitude >= 6 && $0.region.name == "Honshu" }
/// ```
@dynamicMemberLookup
public struct EntityPath<Root: QueryableObject>: Sendable {
    let queryNames: [String]

    init(queryNames: [String]) { self.queryNames = queryNames }

    /// The object itself. ``FetchPredicate/init(_:_:)`` gives it to its closure.
    public init() { queryNames = [] }

    init(subject: ClosureSubject) { queryNames = [subject.name] }

    func appending(_ keyPath: AnyKeyPath) -> [String] {
        queryNames + [Root.queryName(for: keyPath)]
    }

    /// An attribute.
    public subscript<Value: PredicateValue>(
        dynamicMember keyPath: KeyPath<Root, Value>
    ) -> AttributePath<Value> { AttributePath(queryNames: appending(keyPath)) }

    /// An optional attribute; its path is that of its values.
    public subscript<Value: PredicateValue>(
        dynamicMember keyPath: KeyPath<Root, Value?>
    ) -> AttributePath<Value> { AttributePath(queryNames: appending(keyPath)) }

    /// A to-one.
    public subscript<Destination: QueryableObject>(
        dynamicMember keyPath: KeyPath<Root, Destination>
    ) -> EntityPath<Destination> { EntityPath<Destination>(queryNames: appending(keyPath)) }

    /// An optional to-one; what lies behind null is null.
    public subscript<Destination: QueryableObject>(
        dynamicMember keyPath: KeyPath<Root, Destination?>
    ) -> EntityPath<Destination> { EntityPath<Destination>(queryNames: appending(keyPath)) }

    /// A to-many.
    public subscript<Destinations: ToManyCollection>(
        dynamicMember keyPath: KeyPath<Root, Destinations>
    ) -> ToManyPath<Destinations.Element> { ToManyPath(queryNames: appending(keyPath)) }

    /// A composite; its elements follow.
    public subscript<Composite: QueryableComposite>(
        dynamicMember keyPath: KeyPath<Root, Composite>
    ) -> CompositePath<Composite> { CompositePath(queryNames: appending(keyPath)) }

    /// An optional composite; what lies behind nil is null.
    public subscript<Composite: QueryableComposite>(
        dynamicMember keyPath: KeyPath<Root, Composite?>
    ) -> CompositePath<Composite> { CompositePath(queryNames: appending(keyPath)) }

    var expression: FetchExpression {
        queryNames.isEmpty ? .selfObject : .keyPath(queryNames)
    }

    /// The ID of the object, as a value: `SELF`, or the path itself.
    public var objectID: QueryExpression<ManagedObjectID> { QueryExpression(expression) }

    /// The name of the object's own entity, which is not that of an entity above it: `entity`.
    public var entityName: QueryExpression<String> {
        QueryExpression(.keyPath(queryNames + ["entity"]))
    }

    /// All attributes of the object, one of which has to satisfy a comparison with a value of a type:
    /// `ANYKEY`. Of an object behind a to-one, it is refused when the predicate is used.
    public func anyAttribute<Value>(_ type: Value.Type) -> QueryExpression<Value> {
        if queryNames.isEmpty { return QueryExpression(.anyKey) }
        return QueryExpression(.keyPath(queryNames + [ClosureSubject.anyKey]))
    }

    private func compared(
        _ relation: PredicateComparison.Operator, _ id: ManagedObjectID?
    ) -> FetchPredicate {
        let value = id.map { StoredValue.objectID($0) } ?? .null
        return .comparison(PredicateComparison(expression, relation, .constant(value)))
    }
}

// MARK: - Comparing objects

extension EntityPath {
    /// The path leads to that object.
    public static func == (path: EntityPath, id: ManagedObjectID) -> FetchPredicate {
        path.compared(.equal, id)
    }

    /// The path does not lead to that object.
    public static func != (path: EntityPath, id: ManagedObjectID) -> FetchPredicate {
        path.compared(.notEqual, id)
    }

    /// The path leads to that object, or to none for nil.
    @_disfavoredOverload
    public static func == (path: EntityPath, id: ManagedObjectID?) -> FetchPredicate {
        path.compared(.equal, id)
    }

    /// The path does not lead to that object; for nil, it leads to one.
    @_disfavoredOverload
    public static func != (path: EntityPath, id: ManagedObjectID?) -> FetchPredicate {
        path.compared(.notEqual, id)
    }

    /// The path leads to that object, or to none for nil.
    public static func == (path: EntityPath, object: Root?) -> FetchPredicate {
        path.compared(.equal, object?.queryObjectID)
    }

    /// The path does not lead to that object; for nil, it leads to one.
    public static func != (path: EntityPath, object: Root?) -> FetchPredicate {
        path.compared(.notEqual, object?.queryObjectID)
    }

    /// The path leads to no object.
    public static func == (path: EntityPath, none: _OptionalNilComparisonType) -> FetchPredicate {
        path.compared(.equal, nil)
    }

    /// The path leads to an object, be it missing.
    public static func != (path: EntityPath, none: _OptionalNilComparisonType) -> FetchPredicate {
        path.compared(.notEqual, nil)
    }

    /// Both paths lead to the same object, or both to none.
    public static func == <Other: QueryableObject>(
        left: EntityPath, right: EntityPath<Other>
    ) -> FetchPredicate {
        .comparison(PredicateComparison(left.expression, .equal, right.expression))
    }

    /// The paths do not lead to the same object.
    public static func != <Other: QueryableObject>(
        left: EntityPath, right: EntityPath<Other>
    ) -> FetchPredicate {
        .comparison(PredicateComparison(left.expression, .notEqual, right.expression))
    }

    /// The path leads to the object that stands for a variable.
    public static func == (
        left: EntityPath, right: QueryExpression<ManagedObjectID>
    ) -> FetchPredicate { left.objectID == right }

    /// The path does not lead to the object that stands for a variable.
    public static func != (
        left: EntityPath, right: QueryExpression<ManagedObjectID>
    ) -> FetchPredicate { left.objectID != right }

    /// The path leads to one of the objects that a to-many leads to.
    public func isIn<Other: QueryableObject>(_ objects: ToManyPath<Other>) -> FetchPredicate {
        .comparison(PredicateComparison(expression, .isIn, objects.fetchExpression))
    }

    /// The path leads to one of those objects.
    public func isIn(_ ids: some Sequence<ManagedObjectID>) -> FetchPredicate {
        .comparison(PredicateComparison(expression, .isIn, .list(ids.map { .objectID($0) })))
    }

    /// The path leads to one of those objects.
    public func isIn(_ objects: some Sequence<Root>) -> FetchPredicate {
        isIn(objects.map(\.queryObjectID))
    }
}

extension FetchPredicate {
    /// Builds a predicate on the objects of a class.
    public init<Root: QueryableObject>(
        _ type: Root.Type, _ condition: (EntityPath<Root>) -> FetchPredicate
    ) {
        let subject = ClosureSubject()
        self = subject.ownCondition(condition(EntityPath(subject: subject)))
    }
}
