public import DuramenModel

/// The row of a new object, which a handler of a ``BatchInsertRequest`` fills by key path.
/// Properties that you do not set have their defaults.
///
/// ```swift
/// row[\.code] = "us7000"
/// row[\.region, \.name] = "Honshu"
/// ```
/// The row is valid only during the handler's call. An invalid value ends the request when the
/// handler returns.
public struct BatchRow<Object: ManagedObject> {
    @usableFromInline let maker: BatchRowMaker

    @usableFromInline init(_ maker: BatchRowMaker) { self.maker = maker }

    /// Accesses an attribute.
    @inlinable
    public subscript<Value: AttributeValue>(_ keyPath: KeyPath<Object, Value>) -> Value {
        get { object[keyPath: keyPath] }
        nonmutating set { maker.set(newValue, at: keyPath) }
    }

    /// Accesses an optional attribute.
    @inlinable
    public subscript<Value: AttributeValue>(_ keyPath: KeyPath<Object, Value?>) -> Value? {
        get { object[keyPath: keyPath] }
        nonmutating set { maker.set(newValue, at: keyPath) }
    }

    /// Accesses a to-one by the ID of a stored object.
    public subscript<Destination: ManagedObject>(
        _ keyPath: KeyPath<Object, Destination?>
    ) -> ManagedObjectID? {
        get { maker.destination(at: keyPath) }
        nonmutating set { maker.setDestination(newValue, at: keyPath) }
    }

    /// Sets a to-one by an attribute value that exactly one stored object has; nil sets no
    /// destination. The getter returns nil.
    public subscript<Destination: ManagedObject, Value: AttributeValue>(
        _ keyPath: KeyPath<Object, Destination?>, _ attribute: KeyPath<Destination, Value>
    ) -> Value? {
        get { nil }
        nonmutating set {
            maker.setDestination(
                newValue?.storedValue, of: Destination.self, at: keyPath, by: attribute)
        }
    }

    /// Accesses an unordered many-to-many by the IDs of stored objects.
    public subscript<Destination: ManagedObject>(
        _ keyPath: KeyPath<Object, ToMany<Destination>>
    ) -> [ManagedObjectID] {
        get { maker.destinations(at: keyPath) }
        nonmutating set { maker.setDestinations(newValue, at: keyPath) }
    }

    /// Sets an unordered many-to-many by attribute values, each of which exactly one stored object
    /// has. The getter returns an empty array.
    public subscript<Destination: ManagedObject, Value: AttributeValue>(
        _ keyPath: KeyPath<Object, ToMany<Destination>>, _ attribute: KeyPath<Destination, Value>
    ) -> [Value] {
        get { [] }
        nonmutating set {
            maker.setDestinations(
                newValue.map(\.storedValue), of: Destination.self, at: keyPath, by: attribute)
        }
    }

    /// Sets a property by name; see ``BatchInsertRequest/init(_:objects:)``.
    ///
    /// - Throws: ``ContextError`` `.unknownName`, `.invalidValue`.
    public func setValue(_ value: (any Sendable)?, forKey key: String) throws {
        try maker.set(value, forKey: key)
    }

    @usableFromInline var object: Object {
        // Sound: rows are made for the entity of this class, which is checked when the request is
        // executed.
        unsafeDowncast(maker.object, to: Object.self)
    }
}
