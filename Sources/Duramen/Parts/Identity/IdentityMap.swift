import DuramenModel

/// Which object is the one of an ID: the objects that a part has registered, and what became of IDs
/// that objects do not have any more.
///
/// The table of each plan is one of ``tables``. The chain from a replaced ID ends at an ID that is
/// not replaced.
struct IdentityMap {
    /// What is known of each entity, by its index.
    let plans: ContiguousArray<EntityPlan>
    /// The plans, for steps that count no references.
    // Sound: `plans` keeps them, and they their tables.
    let borrowedPlans: ContiguousArray<Borrowed<EntityPlan>>
    /// The registered objects, a table for each hierarchy.
    let tables: [ObjectTable]
    /// The keys that new objects get.
    private var temporaryKeys = TemporaryKeys()
    /// What temporary keys became.
    private(set) var permanentKeys = PermanentKeys()
    /// What new objects are since they became one with another object, by their IDs.
    private(set) var replacedIDs: [ManagedObjectID: ManagedObjectID] = [:]
    /// Grows whenever keys become others.
    private(set) var epoch = 0
    /// The plan of the class that was inserted last.
    // Sound: `plans` keeps it.
    private var lastClassPlan: (type: ObjectIdentifier, plan: Borrowed<EntityPlan>)?

    /// Makes the tables and plans of a part, none of which knows any object.
    ///
    /// - Parameter makePlan: Returns the plan of an entity, whose objects go to a table.
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

    /// Makes room for keys that are about to become permanent.
    mutating func reserve(_ count: Int) { permanentKeys.reserve(count) }

    /// Notes what a temporary key became.
    @inline(__always)
    mutating func set(_ key: Int64, for temporary: Int64) { permanentKeys.set(key, for: temporary) }

    /// What a temporary key became; nil while it is none yet.
    @inline(__always)
    mutating func permanentKey(for temporary: Int64) -> Int64? { permanentKeys[temporary] }

    /// Takes over what temporary keys of a parent became.
    mutating func takeOver(_ keys: PermanentKeys) { permanentKeys = keys }

    /// Notes that keys became others, so that lists of IDs may name old ones.
    mutating func beginEpoch() { epoch += 1 }

    // MARK: - Replaced IDs

    /// Notes that an object became one with another one.
    mutating func replace(_ lost: ManagedObjectID, by survivor: ManagedObjectID) {
        replacedIDs[lost] = survivor
    }

    /// The ID of the object that took the place of another one.
    @inline(never)
    func replacement(for id: ManagedObjectID) -> ManagedObjectID {
        var id = id
        while let next = replacedIDs[id] { id = next }
        return id
    }

    /// Whether so many old IDs are known that the oldest may go.
    var isOverfull: Bool {
        permanentKeys.isOverfull || replacedIDs.count >= PermanentKeys.limit
    }

    /// Forgets what became of old IDs of objects that nobody holds.
    mutating func forgetOldest(isRegistered: (ManagedObjectID) -> Bool) {
        permanentKeys.forgetOldest { key in tables.contains { $0.find(key) != nil } }
        replacedIDs = replacedIDs.filter { isRegistered($0.value) }
    }

    /// Forgets all objects, and what became of IDs.
    ///
    /// - Parameter keys: What temporary keys became that the parent still knows.
    mutating func forgetAll(keeping keys: PermanentKeys) {
        for table in tables { table.removeAll() }
        permanentKeys = keys
        replacedIDs = [:]
    }

    // MARK: - Plans

    /// The plan of the class that was inserted last, if it is that one.
    // Sound: `plans` keeps it.
    @inline(__always)
    func lastPlan(ofClass type: ObjectIdentifier) -> Borrowed<EntityPlan>? {
        guard let lastClassPlan, lastClassPlan.type == type else { return nil }
        return lastClassPlan.plan
    }

    mutating func cachePlan(_ plan: EntityPlan, ofClass type: ObjectIdentifier) {
        lastClassPlan = (type, Borrowed(plan))
    }

    /// Forgets which plan a class has, since stores came or went.
    mutating func forgetClassPlan() { lastClassPlan = nil }

    // MARK: - Checking

    /// What is wrong with the map; nil when all is well.
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
