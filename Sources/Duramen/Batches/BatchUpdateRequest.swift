public import DuramenModel
public import DuramenQuery

/// A request that changes stored objects without loading them into the context.
///
/// ```swift
/// let request = BatchUpdateRequest<Quake>().where { $0.magnitude >= 6 }
///     .set(\.status, to: .reviewed).set(\.depth) { $0.depth * 2 }
/// let result = try context.execute(request)
/// ```
/// See ``ManagedObjectContext/execute(_:isolation:)-(BatchUpdateRequest<Object>,_)``.
public struct BatchUpdateRequest<Object: ManagedObject>: Sendable {
    /// The entity's name; nil for the entity of the class.
    public var entityName: String?
    /// The condition; nil for all objects.
    public var predicate: FetchPredicate?
    /// Whether objects of subentities are changed too.
    public var includesSubentities = true
    /// The new values by property name. Properties are attributes, composite elements by path, and
    /// to-ones whose inverse is a to-many. Expressions use the object's values before the update.
    ///
    /// Literals are values: `["status": "reviewed", "depth": 2.5, "note": .null]`.
    public var propertiesToUpdate: [String: FetchExpression] = [:]
    /// The content of the result: a status, a count or the object IDs.
    public var resultType = BatchResultType.statusOnly
    /// The stores to change; nil for all stores that contain the entity.
    public var affectedStores: [StoreHandle]?
    /// A flag that cancels the request with `.cancelled` when raised; nothing is written then.
    public var cancellation: CancellationFlag?
    /// A closure that receives the number of objects changed so far, after every thousand and at
    /// the end. It is called at the end only if the store does all the work itself, or if unique
    /// attributes change.
    public var progress: (@Sendable (Int) -> Void)?

    /// Creates a request that changes objects of the class's entity.
    public init() {}

    /// Creates a request that changes objects of the named entity.
    public init(entityName: String) { self.entityName = entityName }

    /// Returns a copy of the request with a further condition, joined by `and`.
    public func `where`(_ condition: (EntityPath<Object>) -> FetchPredicate) -> Self {
        self.where(FetchPredicate(Object.self, condition))
    }

    /// Returns a copy of the request with a further condition, joined by `and`.
    public func `where`(_ condition: FetchPredicate) -> Self {
        var copy = self
        copy.predicate = predicate.map { $0 && condition } ?? condition
        return copy
    }

    /// Returns a copy of the request that sets an attribute to a value.
    public func set<Value: AttributeValue>(
        _ keyPath: KeyPath<Object, Value>, to value: Value
    ) -> Self {
        set(Object.batchName(for: keyPath), to: .constant(value.storedValue))
    }

    /// Returns a copy of the request that sets an optional attribute to a value or to nil.
    public func set<Value: AttributeValue>(
        _ keyPath: KeyPath<Object, Value?>, to value: Value?
    ) -> Self {
        set(Object.batchName(for: keyPath), to: .constant(value?.storedValue ?? .null))
    }

    /// Returns a copy of the request that sets a to-one to a saved object or to nil.
    public func set<Destination: ManagedObject>(
        _ keyPath: KeyPath<Object, Destination?>, to object: Destination?
    ) -> Self {
        set(
            Object.batchName(for: keyPath),
            to: .constant(object.map { .objectID($0.objectID) } ?? .null))
    }

    /// Returns a copy of the request that sets a to-one to the saved object with an ID.
    public func set<Destination: ManagedObject>(
        _ keyPath: KeyPath<Object, Destination?>, to id: ManagedObjectID
    ) -> Self {
        set(Object.batchName(for: keyPath), to: .constant(.objectID(id)))
    }

    /// Returns a copy of the request that sets an attribute to an expression of the values before
    /// the update: `.set(\.depth) { $0.depth * 2 }`.
    public func set<Value: AttributeValue, Operand: PredicateOperand>(
        _ keyPath: KeyPath<Object, Value>, to expression: (EntityPath<Object>) -> Operand
    ) -> Self where Operand.Value.Family == Value.Family {
        set(Object.batchName(for: keyPath), to: expression(EntityPath()).fetchExpression)
    }

    /// Sets an optional attribute to an expression of the values before the update.
    public func set<Value: AttributeValue, Operand: PredicateOperand>(
        _ keyPath: KeyPath<Object, Value?>, to expression: (EntityPath<Object>) -> Operand
    ) -> Self where Operand.Value.Family == Value.Family {
        set(Object.batchName(for: keyPath), to: expression(EntityPath()).fetchExpression)
    }

    /// Sets the named property to an expression of the values before the update: `.set("depth", to:
    /// try FetchExpression(format: "depth * 2"))`.
    public func set(_ name: String, to expression: FetchExpression) -> Self {
        var copy = self
        copy.propertiesToUpdate[name] = expression
        return copy
    }
}

extension ManagedObject {
    /// The name of a property. For other key paths, a description that the request will reject.
    fileprivate static func batchName(for keyPath: AnyKeyPath) -> String {
        propertyName(for: keyPath) ?? "\(keyPath)"
    }
}
