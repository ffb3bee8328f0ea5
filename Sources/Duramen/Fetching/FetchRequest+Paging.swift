import DuramenModel
public import DuramenQuery
import DuramenStore

extension FetchRequest {
    /// Asks for what comes after an object, in the order of the sort descriptors: the next page
    /// when it was the last of this one.
    ///
    /// ```swift
    /// var page = FetchRequest<Quake>().sorted(by: \.time, .descending).limit(50)
    /// let first = try context.fetch(page)
    /// if let last = first.last { page = try page.after(last) }
    /// ```
    /// Give the order before. Unlike an offset, the position stays the same when objects before it
    /// come and go.
    /// - Throws: ``ContextError`` or the store's error when the object's sort keys cannot be read,
    ///   `.invalidRequest` when the order does not fit its entity.
    public func after(_ object: Object) throws -> Self {
        try after(FetchPosition(of: object, in: sortDescriptors))
    }

    /// Asks for what comes after a position; see ``after(_:)-(Object)``.
    ///
    /// - Throws: ``ContextError`` `.invalidRequest` when the position is one of another order.
    ///   Values that do not compare with the sort keys are refused by the fetch.
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
    /// The position of an object in an order, as its context sees it, unsaved changes included.
    ///
    /// - Throws: ``ContextError`` or the store's error when the sort keys cannot be read,
    ///   `.invalidRequest` when the order does not fit the object's entity.
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

    /// The values of attributes of the object itself; nil when the order names anything else.
    private static func ownValues(
        of row: Row, _ entity: Entity, in order: [FetchSortDescriptor]
    ) -> [StoredValue]? {
        var values: [StoredValue] = []
        values.reserveCapacity(order.count)
        for descriptor in order {
            guard descriptor.keyPath.count == 1,
                case .attribute(let attribute)? = entity.property(named: descriptor.keyPath[0]),
                // What cannot be compared so is refused by whoever binds the order.
                attribute.kind != .transformable, descriptor.comparison == .standard
            else { return nil }
            values.append(row.value(attribute.slot, attribute.kind))
        }
        return values
    }
}
