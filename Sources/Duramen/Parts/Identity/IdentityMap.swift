import DuramenModel

/// The registered objects of a part by ID, and the present IDs of objects whose IDs were replaced.
///
/// The table of each plan is in ``tables``. The chain from a replaced ID ends at an ID that is not
/// replaced.
struct IdentityMap {
    /// The plans of the entities, by index.
    let plans: ContiguousArray<EntityPlan>
    /// The plans, for steps without reference counting.
    // Sound: `plans` keeps them, and they their tables.
    let borrowedPlans: ContiguousArray<Borrowed<EntityPlan>>
    /// The registered objects, a table for each hierarchy.
    let tables: [ObjectTable]
    /// The source of keys for new objects.
    private var temporaryKeys = TemporaryKeys()
    /// The permanent keys by temporary key.
    private(set) var permanentKeys = PermanentKeys()
    /// The IDs of new objects that merged into other objects, with the IDs of those.
    private(set) var replacedIDs: [ManagedObjectID: ManagedObjectID] = [:]
    /// Grows whenever keys are replaced.
    private(set) var epoch = 0
    /// The plan of the class whose object was inserted last.
    // Sound: `plans` keeps it.
    private var lastClassPlan: (type: ObjectIdentifier, plan: Borrowed<EntityPlan>)?

    /// Creates the empty tables and the plans of a part.
    ///
    /// - Parameters:
    ///   - model: The model of the store.
    ///   - makePlan: Returns the plan of an entity with its table.
    init(_ model: ManagedObjectModel, _ makePlan: (Entity, ObjectTable) -> EntityPlan) {
        var tables: [Int: ObjectTable] = [:]
        var plans = ContiguousArray<EntityPlan>()
        for entity in model.entities {
            let table = tables[entity.root.index] ?? ObjectTable()
            tables[entity.root.index] = table
            plans.append(makePlan(entity, table))
        }
        for plan in plans { plan.connect(plans, model: model) }
        self.plans = plans
        self.tables = Array(tables.values)
        borrowedPlans = ContiguousArray(plans.map { Borrowed($0) })
    }

    // MARK: - Keys

    @inline(__always)
    mutating func nextTemporaryKey() -> Int64 { temporaryKeys.next() }

    /// Reserves storage for keys that are about to become permanent.
    mutating func reserve(_ count: Int) { permanentKeys.reserve(count) }

    /// Records the permanent key of a temporary one.
    @inline(__always)
    mutating func set(_ key: Int64, for temporary: Int64) { permanentKeys.set(key, for: temporary) }

    /// Returns the permanent key of a temporary one; nil if there is none yet.
    @inline(__always)
    mutating func permanentKey(for temporary: Int64) -> Int64? { permanentKeys[temporary] }

    /// Adopts the permanent keys of a parent.
    mutating func takeOver(_ keys: PermanentKeys) { permanentKeys = keys }

    /// Records that keys were replaced, so that lists of IDs may be outdated.
    mutating func beginEpoch() { epoch += 1 }

    // MARK: - Replaced IDs

    /// Records that an object merged into another one.
    mutating func replace(_ lost: ManagedObjectID, by survivor: ManagedObjectID) {
        replacedIDs[lost] = survivor
    }

    /// Returns the ID of the object that replaced another one.
    @inline(never)
    func replacement(for id: ManagedObjectID) -> ManagedObjectID {
        var id = id
        while let next = replacedIDs[id] { id = next }
        return id
    }

    /// Whether so many old IDs are kept that the oldest should be dropped.
    var isOverfull: Bool {
        permanentKeys.isOverfull || replacedIDs.count >= PermanentKeys.limit
    }

    /// Drops old IDs of objects that are not registered.
    mutating func forgetOldest(isRegistered: (ManagedObjectID) -> Bool) {
        permanentKeys.forgetOldest { key in tables.contains { $0.find(key) != nil } }
        replacedIDs = replacedIDs.filter { isRegistered($0.value) }
    }

    /// Releases all objects, and drops old IDs.
    ///
    /// - Parameter keys: The permanent keys that the parent still knows.
    mutating func forgetAll(keeping keys: PermanentKeys) {
        for table in tables { table.removeAll() }
        permanentKeys = keys
        replacedIDs = [:]
    }

    // MARK: - Plans

    /// Returns the plan of the last inserted class if that is the given class.
    // Sound: `plans` keeps it.
    @inline(__always)
    func lastPlan(ofClass type: ObjectIdentifier) -> Borrowed<EntityPlan>? {
        guard let lastClassPlan, lastClassPlan.type == type else { return nil }
        return lastClassPlan.plan
    }

    mutating func cachePlan(_ plan: EntityPlan, ofClass type: ObjectIdentifier) {
        lastClassPlan = (type, Borrowed(plan))
    }

    /// Drops the plan of the last inserted class, because stores were added or removed.
    mutating func forgetClassPlan() { lastClassPlan = nil }

    // MARK: - Checking

    /// The broken invariant of the map; nil if there is none.
    var brokenInvariant: String? {
        for plan in plans where !tables.contains(where: { $0 === plan.table }) {
            return "the table of '\(plan.entity.name)' does not belong to the part"
        }
        for (lost, survivor) in replacedIDs {
            var (id, steps) = (survivor, 0)
            while let next = replacedIDs[id], steps <= replacedIDs.count {
                (id, steps) = (next, steps + 1)
            }
            if steps > replacedIDs.count { return "\(lost) is replaced in a circle" }
        }
        return nil
    }
}
