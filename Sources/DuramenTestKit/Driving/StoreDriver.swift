public import DuramenModel
public import DuramenQuery
public import DuramenStore

/// Drives a store by names and values, for tests.
public struct StoreDriver: Sendable {
    /// The store.
    public let store: any PersistentStore

    let fixture: StoreFixture

    /// Opens a fresh store.
    public init(_ fixture: StoreFixture, model: ManagedObjectModel = ConformanceModel.shared) throws
    {
        self.init(try fixture.open(model), fixture)
    }

    init(_ store: any PersistentStore, _ fixture: StoreFixture) {
        self.store = store
        self.fixture = fixture
    }

    /// The store's model.
    public var model: ManagedObjectModel { store.model }

    /// Closes the store, and opens it again.
    public func reopened() throws -> StoreDriver {
        StoreDriver(try fixture.reopen(store), fixture)
    }

    // MARK: - Names

    /// Returns an entity of the model; an unknown name is a mistake of the test and traps.
    public func entity(_ name: String) -> Entity {
        guard let entity = model.entity(named: name) else {
            preconditionFailure("The model has no entity '\(name)'.")
        }
        return entity
    }

    /// Returns a relationship, named such as `"Item.tags"`; an unknown name traps.
    public func relationship(_ path: String) -> Relationship {
        let found = model.relationships.first {
            StoredText("\(model[$0.declaringEntity].name).\($0.name)") == StoredText(path)
        }
        guard let found else { preconditionFailure("The model has no relationship '\(path)'.") }
        return found
    }

    /// Returns the ID of a row.
    public func id(of row: Row) -> ManagedObjectID {
        row.objectID(in: model, store: store.handle)
    }

    // MARK: - Writing

    /// Returns an empty draft of a change set.
    public func draft() -> ChangeDraft { ChangeDraft(self) }

    /// Saves a draft, which must not conflict.
    @discardableResult
    public func commit(_ draft: ChangeDraft) throws -> SaveReceipt {
        switch try store.save(draft.changes) {
        case .saved(let receipt): return receipt
        case .conflicted(let conflicts):
            throw Difference("a save without reason to conflict gave \(conflicts.count) conflicts")
        }
    }

    /// Saves a draft, which must conflict, and returns the conflicts.
    public func conflicts(_ draft: ChangeDraft) throws -> [StoreConflict] {
        switch try store.save(draft.changes) {
        case .saved: throw Difference("a save that must conflict was written")
        case .conflicted(let conflicts):
            if conflicts.isEmpty { throw Difference("a conflicted save names no conflict") }
            return conflicts
        }
    }

    /// Builds a draft and saves it; it must not conflict.
    @discardableResult
    public func commit(_ edit: (inout ChangeDraft) throws -> Void) throws -> SaveReceipt {
        var draft = draft()
        try edit(&draft)
        return try commit(draft)
    }

    /// Builds a draft and saves it; it must conflict. Returns the conflicts.
    public func conflicts(_ edit: (inout ChangeDraft) throws -> Void) throws -> [StoreConflict] {
        var draft = draft()
        try edit(&draft)
        return try conflicts(draft)
    }

    /// Saves one new object, and returns its ID.
    public func insert(
        _ entity: String, _ values: PropertyValues = [:], key: Int64? = nil
    ) throws -> ManagedObjectID {
        var draft = draft()
        let id = try draft.insert(entity, values, key: key)
        try commit(draft)
        return id
    }

    // MARK: - Reading

    /// Returns the row of an object in the newest state, or in a snapshot; nil if it does not
    /// exist.
    public func row(_ id: ManagedObjectID, in snapshot: (any StoreSnapshot)? = nil) throws -> Row? {
        try (snapshot ?? store.snapshot()).row(for: id)
    }

    /// Returns the row of an object that must exist.
    public func existingRow(
        _ id: ManagedObjectID, in snapshot: (any StoreSnapshot)? = nil
    ) throws -> Row {
        guard let row = try row(id, in: snapshot) else {
            throw Difference("the row of \(id.entityName) \(id.key) is missing")
        }
        return row
    }

    /// Returns the values of an object; nil if it does not exist.
    public func values(
        _ id: ManagedObjectID, in snapshot: (any StoreSnapshot)? = nil
    ) throws -> PropertyValues? {
        try row(id, in: snapshot).map {
            RowCoding.values(of: $0, in: model, store: store.handle)
        }
    }

    /// Returns the destinations of a to-many relationship, named such as `"Item.tags"`.
    public func destinations(
        _ relationship: String, of id: ManagedObjectID, in snapshot: (any StoreSnapshot)? = nil
    ) throws -> [ManagedObjectID] {
        let lists = try (snapshot ?? store.snapshot())
            .destinations(of: self.relationship(relationship).id, from: [id])
        guard lists.count == 1 else {
            throw Difference("one source gave \(lists.count) lists of destinations")
        }
        return lists[0]
    }

    /// Returns the destinations of an ordered to-many relationship, named such as `"Item.steps"`,
    /// with their numbers.
    public func orderedDestinations(
        _ relationship: String, of id: ManagedObjectID, in snapshot: (any StoreSnapshot)? = nil
    ) throws -> [OrderedDestination] {
        let lists = try (snapshot ?? store.snapshot())
            .orderedDestinations(of: self.relationship(relationship).id, from: [id])
        guard lists.count == 1 else {
            throw Difference("one source gave \(lists.count) lists of destinations")
        }
        return lists[0]
    }

    /// Returns all data of the newest state or of a snapshot.
    public func contents(in snapshot: (any StoreSnapshot)? = nil) throws -> StoreContents {
        try StoreContents(reading: snapshot ?? store.snapshot(), of: store)
    }

    /// Returns a query for all objects of an entity.
    public func query(
        _ entity: String, where predicate: FetchPredicate? = nil,
        sortedBy descriptors: [FetchSortDescriptor] = []
    ) -> StoreQuery {
        StoreQuery(
            entity: self.entity(entity).id, predicate: predicate, sortDescriptors: descriptors)
    }
}
