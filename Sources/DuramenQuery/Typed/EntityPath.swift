public import DuramenModel

/// An object in a typed predicate: `$0` itself, or the destination of one or more to-ones.
///
/// Each step is a property of the class: an attribute, a to-one (optional or not), or a to-many. A
/// predicate with a property that is not managed fails when it is bound.
/// ```swift
/// FetchPredicate(Quake.self) { $0.magnitude >= 6 && $0.region.name == "Honshu" }
/// ```
@dynamicMemberLookup
public struct EntityPath<Root: QueryableObject>: Sendable {
    let queryNames: [String]

    init(queryNames: [String]) { self.queryNames = queryNames }

    /// Creates the path of the object itself. The closure of a typed predicate gets such a path.
    public init() { queryNames = [] }

    init(subject: ClosureSubject) { queryNames = [subject.name] }

    func appending(_ keyPath: AnyKeyPath) -> [String] {
        queryNames + [Root.queryName(for: keyPath)]
    }

    /// Returns the path of an attribute.
    public subscript<Value: PredicateValue>(
        dynamicMember keyPath: KeyPath<Root, Value>
    ) -> AttributePath<Value> { AttributePath(queryNames: appending(keyPath)) }

    /// Returns the path of an optional attribute.
    public subscript<Value: PredicateValue>(
        dynamicMember keyPath: KeyPath<Root, Value?>
    ) -> AttributePath<Value> { AttributePath(queryNames: appending(keyPath)) }

    /// Returns the path of a to-one.
    public subscript<Destination: QueryableObject>(
        dynamicMember keyPath: KeyPath<Root, Destination>
    ) -> EntityPath<Destination> { EntityPath<Destination>(queryNames: appending(keyPath)) }

    /// Returns the path of an optional to-one. If it is nil, properties after it are null.
    public subscript<Destination: QueryableObject>(
        dynamicMember keyPath: KeyPath<Root, Destination?>
    ) -> EntityPath<Destination> { EntityPath<Destination>(queryNames: appending(keyPath)) }

    /// Returns the path of a to-many.
    public subscript<Destinations: ToManyCollection>(
        dynamicMember keyPath: KeyPath<Root, Destinations>
    ) -> ToManyPath<Destinations.Element> { ToManyPath(queryNames: appending(keyPath)) }

    /// Returns the path of a composite attribute, for its elements.
    public subscript<Composite: QueryableComposite>(
        dynamicMember keyPath: KeyPath<Root, Composite>
    ) -> CompositePath<Composite> { CompositePath(queryNames: appending(keyPath)) }

    /// Returns the path of an optional composite attribute. If it is nil, its elements are null.
    public subscript<Composite: QueryableComposite>(
        dynamicMember keyPath: KeyPath<Root, Composite?>
    ) -> CompositePath<Composite> { CompositePath(queryNames: appending(keyPath)) }

    var expression: FetchExpression {
        queryNames.isEmpty ? .selfObject : .keyPath(queryNames)
    }

    /// The ID of the object, as a value: `SELF`, or the path itself.
    public var objectID: QueryExpression<ManagedObjectID> { QueryExpression(expression) }

    /// The name of the object's own entity, which may be a sub-entity: `entity`.
    public var entityName: QueryExpression<String> {
        QueryExpression(.keyPath(queryNames + ["entity"]))
    }

    /// Returns all attributes of the object, of which one must satisfy a comparison with a value of
    /// a type: `ANYKEY`. For an object of a to-one, using the predicate fails.
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
    /// Returns a predicate that is true if the path refers to the object.
    public static func == (path: EntityPath, id: ManagedObjectID) -> FetchPredicate {
        path.compared(.equal, id)
    }

    /// Returns a predicate that is true if the path does not refer to the object.
    public static func != (path: EntityPath, id: ManagedObjectID) -> FetchPredicate {
        path.compared(.notEqual, id)
    }

    /// Returns a predicate that is true if the path refers to the object, or to no object for nil.
    @_disfavoredOverload
    public static func == (path: EntityPath, id: ManagedObjectID?) -> FetchPredicate {
        path.compared(.equal, id)
    }

    /// Returns a predicate that is true if the path does not refer to the object; for nil, if it
    /// refers to any object.
    @_disfavoredOverload
    public static func != (path: EntityPath, id: ManagedObjectID?) -> FetchPredicate {
        path.compared(.notEqual, id)
    }

    /// Returns a predicate that is true if the path refers to the object, or to no object for nil.
    public static func == (path: EntityPath, object: Root?) -> FetchPredicate {
        path.compared(.equal, object?.queryObjectID)
    }

    /// Returns a predicate that is true if the path does not refer to the object; for nil, if it
    /// refers to any object.
    public static func != (path: EntityPath, object: Root?) -> FetchPredicate {
        path.compared(.notEqual, object?.queryObjectID)
    }

    /// Returns a predicate that is true if the path refers to no object.
    public static func == (path: EntityPath, none: _OptionalNilComparisonType) -> FetchPredicate {
        path.compared(.equal, nil)
    }

    /// Returns a predicate that is true if the path refers to an object, even if that object is
    /// missing.
    public static func != (path: EntityPath, none: _OptionalNilComparisonType) -> FetchPredicate {
        path.compared(.notEqual, nil)
    }

    /// Returns a predicate that is true if both paths refer to the same object, or both to no
    /// object.
    public static func == <Other: QueryableObject>(
        left: EntityPath, right: EntityPath<Other>
    ) -> FetchPredicate {
        .comparison(PredicateComparison(left.expression, .equal, right.expression))
    }

    /// Returns a predicate that is true if the paths do not refer to the same object.
    public static func != <Other: QueryableObject>(
        left: EntityPath, right: EntityPath<Other>
    ) -> FetchPredicate {
        .comparison(PredicateComparison(left.expression, .notEqual, right.expression))
    }

    /// Returns a predicate that is true if the path refers to the object in a variable.
    public static func == (
        left: EntityPath, right: QueryExpression<ManagedObjectID>
    ) -> FetchPredicate { left.objectID == right }

    /// Returns a predicate that is true if the path does not refer to the object in a variable.
    public static func != (
        left: EntityPath, right: QueryExpression<ManagedObjectID>
    ) -> FetchPredicate { left.objectID != right }

    /// Returns a predicate that is true if the path refers to one of a to-many's destinations.
    public func isIn<Other: QueryableObject>(_ objects: ToManyPath<Other>) -> FetchPredicate {
        .comparison(PredicateComparison(expression, .isIn, objects.fetchExpression))
    }

    /// Returns a predicate that is true if the path refers to one of the objects.
    public func isIn(_ ids: some Sequence<ManagedObjectID>) -> FetchPredicate {
        .comparison(PredicateComparison(expression, .isIn, .list(ids.map { .objectID($0) })))
    }

    /// Returns a predicate that is true if the path refers to one of the objects.
    public func isIn(_ objects: some Sequence<Root>) -> FetchPredicate {
        isIn(objects.map(\.queryObjectID))
    }
}

extension FetchPredicate {
    /// Creates a predicate on the objects of a class.
    public init<Root: QueryableObject>(
        _ type: Root.Type, _ condition: (EntityPath<Root>) -> FetchPredicate
    ) {
        let subject = ClosureSubject()
        self = subject.ownCondition(condition(EntityPath(subject: subject)))
    }
}
