import DuramenModel
import DuramenQuery

/// The changed objects of one part of a context, kept from fetch to fetch.
///
/// Indexes find objects by value. A fetch adds only objects that changed since the last one. An
/// object in the indexes is flagged ``ObjectFlags/indexed``. Before one of its values is written,
/// it is recorded, and the next fetch indexes it again.
final class ChangedObjects {
    /// The objects, each once, in the order in which they were changed.
    private(set) var objects = ContiguousArray<ManagedObject>()
    /// The entities of ``objects``.
    private var entities = ContiguousArray<UInt16>()
    /// The number of stored objects by entity index; nil if the entity has no changed objects.
    private var storedCounts: [Int?] = []
    /// The lengths of the lists of changes that ``objects`` contains.
    private var taken = ChangeCounts()
    private var indexes: [ValueIndex] = []
    /// Objects that were written since they were indexed.
    private var written = ContiguousArray<ManagedObject>()
    /// The number of objects that fetches have examined so far.
    private(set) var visitCount = 0

    /// Clears everything, because entries are removed from the lists.
    func forget() {
        for object in objects { object.flags.subtract([.listed, .indexed]) }
        objects = []
        entities = []
        storedCounts = []
        indexes = []
        written = []
        taken = ChangeCounts()
    }

    /// Adds the objects that changed since the last time.
    func catchUp(with changes: ChangeTracker, entityCount: Int) {
        if storedCounts.isEmpty { storedCounts = Array(repeating: nil, count: entityCount) }
        take(changes.inserted.entries[taken.inserted...])
        take(changes.updated.entries[taken.updated...])
        take(changes.deleted.entries[taken.deleted...])
        taken = ChangeCounts(of: changes)
    }

    private func take(_ added: ArraySlice<ManagedObject>) {
        for object in added where !object.flags.contains(.listed) {
            object.flags.insert(.listed)
            let entity = object.plan.entity.id.index
            objects.append(object)
            entities.append(UInt16(truncatingIfNeeded: entity))
            let isStored = !object.flags.contains(.inserted)
            storedCounts[entity] = (storedCounts[entity] ?? 0) + (isStored ? 1 : 0)
        }
    }

    /// Whether there are objects of some entities.
    func hasObjects(of wanted: [EntityID]) -> Bool {
        wanted.contains { storedCounts[$0.index] != nil }
    }

    /// Returns the number of stored objects of some entities.
    func storedCount(of wanted: [EntityID]) -> Int {
        wanted.reduce(0) { $0 + (storedCounts[$1.index] ?? 0) }
    }

    /// Records that values of an object are about to change.
    func recordWrite(to object: ManagedObject) {
        object.flags.remove(.indexed)
        written.append(object)
    }

    // MARK: - Finding

    /// Returns objects of some entities that may match a condition.
    ///
    /// - Parameters:
    ///   - wanted: The entities.
    ///   - equality: A value that the condition requires of an attribute, so that only objects with
    ///     the value are candidates. Nil if there is none.
    ///   - isCandidate: Whether an object can match. It must not change the list of objects.
    @inline(__always)
    func candidates(
        of wanted: [EntityID], matching equality: ValueEquality?,
        where isCandidate: (ManagedObject) -> Bool
    ) -> ContiguousArray<ManagedObject> {
        var found = ContiguousArray<ManagedObject>()
        if objects.count >= Self.fewestToIndex, let equality {
            let known = index(equality, wanted).candidates(for: equality)
            visitCount += known.count
            for object in known where isCandidate(object) { found.append(object) }
            return found
        }
        let isWanted = entitySet(wanted)
        visitCount += entities.count
        var position = 0
        objects.forEachBorrowed { object in
            if isWanted[Int(entities[position])], isCandidate(object) { found.append(object) }
            position += 1
        }
        return found
    }

    private static let fewestToIndex = 64
    private static let mostIndexes = 8

    private func entitySet(_ wanted: [EntityID]) -> [Bool] {
        var isWanted = Array(repeating: false, count: storedCounts.count)
        for entity in wanted { isWanted[entity.index] = true }
        return isWanted
    }

    /// Returns the index of an attribute, brought up to date.
    private func index(_ equality: ValueEquality, _ wanted: [EntityID]) -> ValueIndex {
        let known = indexes.firstIndex { $0.slot == equality.slot && $0.entities == wanted }
        let index =
            known.map { indexes.remove(at: $0) }
            ?? ValueIndex(slot: equality.slot, kind: equality.kind, entities: wanted)
        // The last used index is the last one.
        if indexes.count == Self.mostIndexes { indexes.removeFirst() }
        indexes.append(index)
        settle()
        return index
    }

    private func settle() {
        for index in indexes {
            let isWanted = entitySet(index.entities)
            for object in written where isWanted[object.plan.entity.id.index] { index.add(object) }
            for position in index.objectCount..<objects.count
            where isWanted[Int(entities[position])] {
                index.add(objects[position])
            }
        }
        for object in written { object.flags.formUnion([.indexed, .tellsWrites]) }
        written.removeAll(keepingCapacity: written.count < 64)
        let first = indexes.map(\.objectCount).max() ?? 0
        for object in objects[first...] { object.flags.formUnion([.indexed, .tellsWrites]) }
        for index in indexes { index.objectCount = objects.count }
    }
}

/// The lengths of the lists of changes, including entries of reverted changes.
private struct ChangeCounts {
    var inserted = 0
    var updated = 0
    var deleted = 0

    init() {}

    init(of changes: ChangeTracker) {
        inserted = changes.inserted.entries.count
        updated = changes.updated.entries.count
        deleted = changes.deleted.entries.count
    }
}

/// The objects with a value in a slot, by the hash of the value.
private final class ValueIndex {
    let slot: Int
    let kind: SlotKind
    let entities: [EntityID]
    /// The number of changed objects that were examined.
    var objectCount = 0
    private var objects = ContiguousArray<ManagedObject>()
    /// By object, the previous one with the same hash; -1 for none.
    private var previous = ContiguousArray<Int32>()
    private var last: [Int: Int32] = [:]
    /// Objects whose values were not in memory.
    private var unread: [ManagedObject] = []

    init(slot: Int, kind: SlotKind, entities: [EntityID]) {
        self.slot = slot
        self.kind = kind
        self.entities = entities
    }

    func add(_ object: ManagedObject) {
        guard let row = object.row else { return unread.append(object) }
        if row.isNull(slot) { return }
        let hash = ValueEquality.hash(of: row, slot, kind)
        previous.append(
            last.updateValue(Int32(truncatingIfNeeded: objects.count), forKey: hash) ?? -1)
        objects.append(object)
    }

    /// Returns the objects that have a value, or had it before they were written; each once.
    func candidates(for equality: ValueEquality) -> [ManagedObject] {
        var found = unread
        var position = last[equality.hash] ?? -1
        while position >= 0 {
            let object = objects[Int(position)]
            if !found.contains(where: { $0 === object }) { found.append(object) }
            position = previous[Int(position)]
        }
        return found
    }
}

/// A value that a condition requires of an attribute.
struct ValueEquality {
    let slot: Int
    let kind: SlotKind
    let hash: Int

    /// Creates an equality; nil for values that cannot be found by their bytes.
    private init?(_ name: String, _ value: StoredValue, in entity: Entity) {
        guard case .attribute(let attribute)? = entity.property(named: name) else { return nil }
        slot = attribute.slot
        kind = entity.layout.kinds[slot]
        switch (kind, value) {
        case (.integer, .integer(let number)): hash = Self.hash(of: number)
        case (.text, .text(let text)): hash = text.withUTF8 { Self.hash(of: $0) }
        case (.uuid, .uuid(let uuid)): hash = withUnsafeBytes(of: uuid.uuid) { Self.hash(of: $0) }
        default: return nil
        }
    }

    static func hash(of row: Row, _ slot: Int, _ kind: SlotKind) -> Int {
        kind.isTail ? hash(of: row.unsafeBytes(slot)) : hash(of: row.integer(slot))
    }

    private static func hash(of number: Int64) -> Int { number.hashValue }

    private static func hash(of bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize()
    }

    /// Returns the first equality of an attribute that a predicate implies; nil for none.
    static func first(in predicate: FetchPredicate?, of entity: Entity) -> ValueEquality? {
        switch predicate?.form {
        case .and(let parts)?: return parts.lazy.compactMap { first(in: $0, of: entity) }.first
        case .comparison(let comparison)?:
            let isPlain =
                comparison.quantifier == nil && comparison.operator == .equal
                && comparison.options.effective(for: .equal).isEmpty
            guard isPlain else { return nil }
            switch (comparison.left.form, comparison.right.form) {
            case (.keyPath(let names), .constant(let value)),
                (.constant(let value), .keyPath(let names)):
                return names.count == 1 ? ValueEquality(names[0], value, in: entity) : nil
            default: return nil
            }
        default: return nil
        }
    }
}
