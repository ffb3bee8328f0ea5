import DuramenModel
public import DuramenQuery
import DuramenStore

extension FetchRequest {
    /// Returns a copy of the request for objects that sort after an object. Pass the last object of
    /// a page to get the next page.
    ///
    /// ```swift
    /// var page = FetchRequest<Quake>().sorted(by: \.time, .descending).limit(50)
    /// let first = try context.fetch(page)
    /// if let last = first.last { page = try page.after(last) }
    /// ```
    /// Set the order first. Unlike an offset, the position stays valid when objects before it are
    /// inserted or deleted.
    /// - Throws: ``ContextError`` or the store's error if the object's sort keys cannot be loaded.
    ///   `.invalidRequest` if the order does not match its entity.
    public func after(_ object: Object) throws -> Self {
        try after(FetchPosition(of: object, in: sortDescriptors))
    }

    /// Returns a copy of the request for objects that sort after a position; see
    /// ``after(_:)-(Object)``.
    ///
    /// - Throws: ``ContextError`` `.invalidRequest` if the position has a different number of sort
    ///   keys. Values that do not match the sort keys are rejected by the fetch.
    public func after(_ position: FetchPosition) throws -> Self {
        guard let condition = position.predicate(after: sortDescriptors) else {
            throw ContextError(
                .invalidRequest,
                "The position has \(position.values.count) sort keys, and the request sorts by "
                    + "\(sortDescriptors.count). Give the request its order before, and take positions of "
                    + "the same one.")
        }
        return self.where(condition)
    }
}

extension FetchPosition {
    /// Creates the position of an object in an order, as its context sees it, unsaved changes
    /// included.
    ///
    /// - Throws: ``ContextError`` or the store's error if the sort keys cannot be loaded.
    ///   `.invalidRequest` if the order does not match the object's entity.
    public init(of object: ManagedObject, in order: [FetchSortDescriptor]) throws {
        let part = object.plan.handle.part(for: object)
        try object.load()
        guard let row = part.rowWithPermanentKeys(of: object) else {
            throw ContextError.objectNotFound(object.objectID)
        }
        let entity = object.entity
        let id = object.objectID
        if let values = Self.ownValues(of: row, entity, in: order) {
            self.init(values: values, objectID: id)
            return
        }
        do {
            let query = StoreQuery(entity: entity.id, sortDescriptors: order)
            let bound = try LoweredQuery(query, in: part.model).boundOrder()
            let values =
                try bound.ownValues(of: row)
                ?? part.readSnapshot { snapshot throws(StoreError) in
                    try bound.values(of: (row, id), in: ContextSource(part, snapshot: snapshot))
                }
            self.init(values: values, objectID: id)
        } catch let error as FetchPredicateError {
            throw StoreError(error)
        }
    }

    /// Returns the sort keys if all are attributes of the object itself; otherwise nil.
    private static func ownValues(
        of row: Row, _ entity: Entity, in order: [FetchSortDescriptor]
    ) -> [StoredValue]? {
        var values: [StoredValue] = []
        values.reserveCapacity(order.count)
        for descriptor in order {
            guard descriptor.keyPath.count == 1,
                case .attribute(let attribute)? = entity.property(named: descriptor.keyPath[0]),
                // Binding the order rejects keys that cannot be compared.
                attribute.kind != .transformable, descriptor.comparison == .standard
            else { return nil }
            values.append(row.value(attribute.slot, attribute.kind))
        }
        return values
    }
}
