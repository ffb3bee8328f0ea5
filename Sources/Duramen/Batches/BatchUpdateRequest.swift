public import DuramenModel
public import DuramenQuery

/// Which stored objects to change, and how, without making objects of them.
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
    /// Whether objects of sub-entities are changed too.
    public var includesSubentities = true
    /// The new values of properties, by name. You can set attributes, elements of composites by
    /// their paths, and to-ones whose inverse is a to-many. Expressions see the object's old
    /// values.
    public var propertiesToUpdate: [String: FetchExpression] = [:]
    /// The kind of result.
    public var resultType = BatchResultType.statusOnly
    /// The stores to change; nil for all that keep the entity.
    public var affectedStores: [StoreHandle]?
    /// A flag that, when raised, ends the request with `.cancelled`; nothing is written then.
    public var cancellation: CancellationFlag?
    /// A closure called after every thousand objects with the number examined so far.
    public var progress: (@Sendable (Int) -> Void)?

    /// Changes objects of the class's entity.
    public init() {}

    /// Changes objects of an entity by its name.
    public init(entityName: String) { self.entityName = entityName }

    /// Adds a condition, joined by `and`.
    public func `where`(_ condition: (EntityPath<Object>) -> FetchPredicate) -> Self {
        self.where(FetchPredicate(Object.self, condition))
    }

    /// Adds a condition, joined by `and`.
    public func `where`(_ condition: FetchPredicate) -> Self {
        var copy = self
        copy.predicate = predicate.map { $0 && condition } ?? condition
        return copy
    }

    /// Gives an attribute a value.
    public func set<Value: AttributeValue>(
        _ keyPath: KeyPath<Object, Value>, to value: Value
    ) -> Self {
        set(Object.batchName(for: keyPath), to: .constant(value.storedValue))
    }

    /// Gives an optional attribute a value, or takes it away.
    public func set<Value: AttributeValue>(
        _ keyPath: KeyPath<Object, Value?>, to value: Value?
    ) -> Self {
        set(Object.batchName(for: keyPath), to: .constant(value?.storedValue ?? .null))
    }

    /// Gives a to-one a saved object, or takes it away.
    public func set<Destination: ManagedObject>(
        _ keyPath: KeyPath<Object, Destination?>, to object: Destination?
    ) -> Self {
        set(
            Object.batchName(for: keyPath),
            to: .constant(object.map { .objectID($0.objectID) } ?? .null))
    }

    /// Gives a to-one the saved object with an ID.
    public func set<Destination: ManagedObject>(
        _ keyPath: KeyPath<Object, Destination?>, to id: ManagedObjectID
    ) -> Self {
        set(Object.batchName(for: keyPath), to: .constant(.objectID(id)))
    }

    /// Gives an attribute what an expression makes of the object as it was: `.set(\.depth) { $0.depth * 2 }`.
    public func set<Value: AttributeValue, Operand: PredicateOperand>(
        _ keyPath: KeyPath<Object, Value>, to expression: (EntityPath<Object>) -> Operand
    ) -> Self where Operand.Value.Family == Value.Family {
        set(Object.batchName(for: keyPath), to: expression(EntityPath()).fetchExpression)
    }

    /// Gives an optional attribute what an expression makes of the object as it was.
    public func set<Value: AttributeValue, Operand: PredicateOperand>(
        _ keyPath: KeyPath<Object, Value?>, to expression: (EntityPath<Object>) -> Operand
    ) -> Self where Operand.Value.Family == Value.Family {
        set(Object.batchName(for: keyPath), to: expression(EntityPath()).fetchExpression)
    }

    /// Gives a property, by its name, what an expression makes of the object as it was:
    /// `.set("depth", to: try FetchExpression(format: "depth * 2"))`.
    public func set(_ name: String, to expression: FetchExpression) -> Self {
        var copy = self
        copy.propertiesToUpdate[name] = expression
        return copy
    }
}

extension ManagedObject {
    /// The name of a property; of a key path that is none, something that the request will refuse.
    fileprivate static func batchName(for keyPath: AnyKeyPath) -> String {
        propertyName(for: keyPath) ?? "\(keyPath)"
    }
}
