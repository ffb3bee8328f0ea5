public import DuramenModel

/// The row of a new object that a handler of a ``BatchInsertRequest`` fills: properties by their
/// key paths. Properties that you do not set have their defaults.
///
/// ```swift
/// row[\.code] = "us7000"
/// row[\.region, \.name] = "Honshu"
/// ```
/// It is good within the handler. A value that does not fit ends the request when the handler
/// returns.
public struct BatchRow<Object: ManagedObject> {
    @usableFromInline let maker: BatchRowMaker

    @usableFromInline init(_ maker: BatchRowMaker) { self.maker = maker }

    /// An attribute.
    @inlinable
    public subscript<Value: AttributeValue>(_ keyPath: KeyPath<Object, Value>) -> Value {
        get { object[keyPath: keyPath] }
        nonmutating set { maker.set(newValue, at: keyPath) }
    }

    /// An optional attribute.
    @inlinable
    public subscript<Value: AttributeValue>(_ keyPath: KeyPath<Object, Value?>) -> Value? {
        get { object[keyPath: keyPath] }
        nonmutating set { maker.set(newValue, at: keyPath) }
    }

    /// A to-one, by the ID of a stored object.
    public subscript<Destination: ManagedObject>(
        _ keyPath: KeyPath<Object, Destination?>
    ) -> ManagedObjectID? {
        get { maker.destination(at: keyPath) }
        nonmutating set { maker.setDestination(newValue, at: keyPath) }
    }

    /// Sets a to-one by an attribute value that exactly one stored object has; nil for no
    /// destination. Reading it gives nil.
    public subscript<Destination: ManagedObject, Value: AttributeValue>(
        _ keyPath: KeyPath<Object, Destination?>, _ attribute: KeyPath<Destination, Value>
    ) -> Value? {
        get { nil }
        nonmutating set {
            maker.setDestination(
                newValue?.storedValue, of: Destination.self, at: keyPath, by: attribute)
        }
    }

    /// A many-to-many without an order, by the IDs of stored objects.
    public subscript<Destination: ManagedObject>(
        _ keyPath: KeyPath<Object, ToMany<Destination>>
    ) -> [ManagedObjectID] {
        get { maker.destinations(at: keyPath) }
        nonmutating set { maker.setDestinations(newValue, at: keyPath) }
    }

    /// Sets a many-to-many without an order by attribute values, each of which exactly one stored
    /// object has. Reading it gives an empty result.
    public subscript<Destination: ManagedObject, Value: AttributeValue>(
        _ keyPath: KeyPath<Object, ToMany<Destination>>, _ attribute: KeyPath<Destination, Value>
    ) -> [Value] {
        get { [] }
        nonmutating set {
            maker.setDestinations(
                newValue.map(\.storedValue), of: Destination.self, at: keyPath, by: attribute)
        }
    }

    /// Sets a property by its name; see ``BatchInsertRequest/init(_:objects:)``.
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
