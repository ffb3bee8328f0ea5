public import DuramenModel
public import DuramenQuery

/// A request that inserts objects into the store without keeping them in memory.
///
/// ```swift
/// var quakes = file.makeIterator()
/// let request = BatchInsertRequest(Quake.self) { row in
///     guard let next = quakes.next() else { return true }
///     row[\.code] = next.code
///     row[\.magnitude] = next.magnitude
///     row[\.region, \.name] = next.region
///     return false
/// }
/// try context.execute(request)
/// ```
/// Set a to-one by the ID of its destination or by a natural key, such as the region's name above.
/// A natural key is an attribute value that exactly one stored object has. Set an unordered
/// many-to-many by several IDs or natural keys. An existing object that the request updates keeps
/// its destinations.
///
/// When an object has the unique values of another object, stored or in the request, the context's
/// merge policy decides:
/// - ``MergePolicy/error``: the request fails.
/// - ``MergePolicy/mergeByPropertyStoreTrump``, ``MergePolicy/rollback``: the new object is left
///   out.
/// - ``MergePolicy/mergeByPropertyObjectTrump``: the other object gets the given values, nil
///   included.
/// - ``MergePolicy/fill``: the other object gets the given values, except nil.
/// - ``MergePolicy/overwrite``: the other object gets all values of the new one.
///
/// The handlers run during the request, on its thread, while other writers to the store wait. They
/// must not save.
public struct BatchInsertRequest<Object: ManagedObject> {
    /// The entity's name; nil for the entity of the class.
    public var entityName: String?
    /// The content of the result: a status, a count or the object IDs.
    public var resultType = BatchResultType.statusOnly
    /// The stores to consider; the first that accepts the entity is used. Nil considers all stores
    /// of the container.
    public var affectedStores: [StoreHandle]?
    /// A flag that cancels the request with `.cancelled` when raised; nothing is written then.
    public var cancellation: CancellationFlag?
    /// A closure that receives the number of objects inserted so far, after every thousand.
    public var progress: (@Sendable (Int) -> Void)?

    /// Fills the next row; returns false at the end.
    let fill: (BatchRowMaker) throws -> Bool

    /// Creates a request that inserts one object for each row that a handler fills. The values are
    /// written directly into the store's row format.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - rowHandler: A closure that fills a row. Return true when there are no more objects; the
    ///     row is then ignored.
    public init(
        _ type: Object.Type = Object.self,
        rowHandler: @escaping (BatchRow<Object>) throws -> Bool
    ) {
        fill = { row in try !rowHandler(BatchRow(row)) }
    }

    /// Creates a request that inserts one object for each dictionary of values by property name.
    ///
    /// Values are converted as by ``ManagedObject/setValue(_:forKey:)``; properties without a value
    /// get their defaults. Set a to-one by a ``ManagedObjectID``, or by an attribute of its
    /// destination under a key such as `"region.name"`. Set a many-to-many by an array or set of
    /// IDs or attribute values.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - objects: The dictionaries, one for each object.
    public init(
        _ type: Object.Type = Object.self, objects: some Sequence<[String: any Sendable]>
    ) {
        var iterator = objects.makeIterator()
        fill = { row in
            guard let next = iterator.next() else { return false }
            try row.set(next)
            return true
        }
    }

    /// Creates a request that inserts one object of an entity per dictionary; see
    /// ``init(_:objects:)``.
    public init(entity: Entity, objects: some Sequence<[String: any Sendable]>) {
        self.init(entityName: entity.name, objects: objects)
    }

    /// Creates a request that inserts one object of the named entity per dictionary; see
    /// ``init(_:objects:)``.
    public init(entityName: String, objects: some Sequence<[String: any Sendable]>) {
        self.init(Object.self, objects: objects)
        self.entityName = entityName
    }

    /// Creates a request that inserts one object for each dictionary that a handler fills.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - dictionaryHandler: A closure that fills an empty dictionary. Return true when there are
    ///     no more objects; the dictionary is then ignored.
    @_disfavoredOverload
    public init(
        _ type: Object.Type = Object.self,
        dictionaryHandler: @escaping (inout [String: any Sendable]) throws -> Bool
    ) {
        fill = { row in
            var values: [String: any Sendable] = [:]
            if try dictionaryHandler(&values) { return false }
            try row.set(values)
            return true
        }
    }

    /// Creates a request that inserts an object each time a handler fills in a draft object.
    ///
    /// The request reuses a single draft object, which has the default values at each call. Set
    /// only its attributes; it is not validated and no hook is called. Where the draft updates
    /// another object, attributes that still have their defaults count as not given.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - managedObjectHandler: A closure that fills the draft. Return true when there are no more
    ///     objects; the draft is then ignored.
    @_disfavoredOverload
    public init(
        _ type: Object.Type = Object.self,
        managedObjectHandler: @escaping (Object) throws -> Bool
    ) {
        fill = { row in
            // Sound: the row was made for the entity of this class, which is checked when the
            // request is executed.
            if try managedObjectHandler(unsafeDowncast(row.object, to: Object.self)) {
                return false
            }
            try row.checkHandled()
            return true
        }
    }

    /// Returns a copy of the request that inserts into the named entity.
    public func entityName(_ name: String) -> Self {
        var copy = self
        copy.entityName = name
        return copy
    }
}

// Where the class cannot be inferred, it is the base class of all managed objects.
extension BatchInsertRequest<ManagedObject> {
    /// Creates a request that inserts one object of an entity per dictionary; see
    /// ``init(_:objects:)``.
    public init(entity: Entity, objects: some Sequence<[String: any Sendable]>) {
        self.init(entityName: entity.name, objects: objects)
    }

    /// Creates a request that inserts one object of the named entity per dictionary; see
    /// ``init(_:objects:)``.
    public init(entityName: String, objects: some Sequence<[String: any Sendable]>) {
        self.init(ManagedObject.self, objects: objects)
        self.entityName = entityName
    }
}
