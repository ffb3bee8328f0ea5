public import DuramenModel
public import DuramenQuery

/// Objects to insert into the store, without keeping objects of them.
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
/// A to-one is set by the ID of its destination, or by a value that a stored object of the other
/// entity alone has: its natural key, such as the name of the region above. A many-to-many without
/// an order is set by several of these; an object that is updated keeps the destinations that it
/// has.
///
/// What has the unique values of another object, stored or of the request, is treated by the merge
/// policy of the context: under ``MergePolicy/error`` the request fails; under
/// ``MergePolicy/mergeByPropertyStoreTrump`` and ``MergePolicy/rollback`` it is left out; under
/// ``MergePolicy/mergeByPropertyObjectTrump`` and ``MergePolicy/fill`` the given values go to the
/// other one, nil among them but under `fill`; under ``MergePolicy/overwrite`` all values do.
///
/// The handlers are called within the request, on its thread, while nobody else writes to the
/// store: they must not save.
public struct BatchInsertRequest<Object: ManagedObject> {
    /// The entity's name; nil for the entity of the class.
    public var entityName: String?
    /// The content of the result: a status, a count or the object IDs.
    public var resultType = BatchResultType.statusOnly
    /// The store to insert into: the first of these that takes the entity; nil for the first of
    /// all.
    public var affectedStores: [StoreHandle]?
    /// A flag that, when raised, ends the request with `.cancelled`; nothing is written then.
    public var cancellation: CancellationFlag?
    /// A closure that receives the number of objects inserted so far, after every thousand.
    public var progress: (@Sendable (Int) -> Void)?

    /// Fills the next row; false at the end.
    let fill: (BatchRowMaker) throws -> Bool

    /// Inserts an object for each row that a handler fills. The values go straight into what the
    /// store is given.
    ///
    /// - Parameter rowHandler: Returns true when there is no further object; the row is not looked
    ///   at then.
    public init(
        _ type: Object.Type = Object.self,
        rowHandler: @escaping (BatchRow<Object>) throws -> Bool
    ) {
        fill = { row in try !rowHandler(BatchRow(row)) }
    }

    /// Inserts one object for each dictionary of values, by the names of properties.
    ///
    /// Values are taken as by ``ManagedObject/setValue(_:forKey:)``; those that are not named have
    /// their defaults. A to-one takes a ``ManagedObjectID``, or is named with an attribute of its
    /// destination: `"region.name"`. A many-to-many takes an array or a set of these.
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

    /// Inserts one object of an entity for each dictionary of values; see ``init(_:objects:)``.
    public init(entity: Entity, objects: some Sequence<[String: any Sendable]>) {
        self.init(entityName: entity.name, objects: objects)
    }

    /// Inserts one object of an entity, by its name, for each dictionary of values; see
    /// ``init(_:objects:)``.
    public init(entityName: String, objects: some Sequence<[String: any Sendable]>) {
        self.init(Object.self, objects: objects)
        self.entityName = entityName
    }

    /// Inserts an object for each dictionary that a handler fills, which is empty before.
    ///
    /// - Parameter dictionaryHandler: Returns true when there is no further object; the dictionary
    ///   is not looked at then.
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

    /// Inserts an object for each one that a handler fills, which has the defaults before.
    ///
    /// It is one object that is used again and again: neither validated nor awoken, and good for
    /// its attributes only. What it has of the defaults counts as not given where it updates
    /// another object.
    ///
    /// - Parameter managedObjectHandler: Returns true when there is no further object; this one is
    ///   not looked at then.
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

    /// Inserts into an entity by its name.
    public func entityName(_ name: String) -> Self {
        var copy = self
        copy.entityName = name
        return copy
    }
}

// Where nothing names the class, it is the one that all have above them.
extension BatchInsertRequest<ManagedObject> {
    /// Inserts one object of an entity for each dictionary of values; see ``init(_:objects:)``.
    public init(entity: Entity, objects: some Sequence<[String: any Sendable]>) {
        self.init(entityName: entity.name, objects: objects)
    }

    /// Inserts one object of an entity, by its name, for each dictionary of values; see
    /// ``init(_:objects:)``.
    public init(entityName: String, objects: some Sequence<[String: any Sendable]>) {
        self.init(ManagedObject.self, objects: objects)
        self.entityName = entityName
    }
}
