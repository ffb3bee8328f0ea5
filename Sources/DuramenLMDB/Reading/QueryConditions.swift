import DuramenModel
import DuramenQuery
import DuramenStore

/// The conditions of a query for which indexes are useful.
struct QueryConditions {
    /// A condition on one property that every result meets.
    enum Condition {
        case equal(StoredValue)
        case oneOf([StoredValue])
        case atLeast(StoredValue, isIncluded: Bool)
        case atMost(StoredValue, isIncluded: Bool)
        case begins(StoredText)
    }

    private let schema: StoreSchema
    private let entity: Entity
    /// The order of the query; empty for that of the keys.
    var order: [FetchSortDescriptor]
    private var byName: [StoredText: [Condition]] = [:]
    /// The only objects that may be results; nil without such a condition.
    private(set) var objects: [ManagedObjectID]?

    init(_ query: StoreQuery, of entity: Entity, schema: StoreSchema) {
        self.schema = schema
        self.entity = entity
        order = query.sortDescriptors
        if case .and(let parts)? = query.predicate?.form {
            for part in parts { note(part) }
        } else if let predicate = query.predicate {
            note(predicate)
        }
    }

    private mutating func note(_ part: FetchPredicate) {
        guard case .comparison(let comparison) = part.form, comparison.options.isEmpty else {
            return
        }
        if comparison.left == .selfObject {
            noteObjects(comparison)
            return
        }
        guard case .keyPath(let names) = comparison.left.form, names.count == 1,
            let condition = Self.condition(comparison)
        else { return }
        byName[StoredText(names[0]), default: []] += condition
    }

    private mutating func noteObjects(_ comparison: PredicateComparison) {
        switch (comparison.operator, comparison.right.form) {
        case (.equal, .constant(.objectID(let id))): objects = [id]
        case (.isIn, .list(let values)):
            objects = values.compactMap { if case .objectID(let id) = $0 { id } else { nil } }
        default: break
        }
    }

    private static func condition(_ comparison: PredicateComparison) -> [Condition]? {
        switch (comparison.operator, comparison.right.form) {
        case (.equal, .constant(let value)): [.equal(value)]
        case (_, .constant(.null)): nil
        case (.less, .constant(let value)): [.atMost(value, isIncluded: false)]
        case (.lessOrEqual, .constant(let value)): [.atMost(value, isIncluded: true)]
        case (.greater, .constant(let value)): [.atLeast(value, isIncluded: false)]
        case (.greaterOrEqual, .constant(let value)): [.atLeast(value, isIncluded: true)]
        case (.beginsWith, .constant(.text(let text))), (.beginsWith, .constant(.uri(let text))):
            [.begins(text)]
        case (.between, .list(let values)) where values.count == 2 && !values.contains(.null):
            [.atLeast(values[0], isIncluded: true), .atMost(values[1], isIncluded: true)]
        case (.isIn, .list(let values)): [.oneOf(values.filter { !$0.isNull })]
        default: nil
        }
    }

    /// Returns the conditions on a property.
    subscript(part: StoreIndex.Part) -> [Condition] {
        byName[StoredText(part.name)] ?? []
    }

    /// The positions of indexes that could serve the query and may not exist yet.
    var wantedIndexes: [Int] {
        schema.places[entity.id.index].indexes.filter { place in
            let index = schema.indexes[place]
            return index.isMadeWhenNeeded && !self[index.parts[0]].isEmpty
        }
    }

    // MARK: - Order

    /// The number of leading properties of an index that the conditions fix to one value each.
    func fixedParts(of index: StoreIndex) -> Int {
        index.parts.prefix { part in
            self[part].contains { if case .equal = $0 { true } else { false } }
        }.count
    }

    /// Whether an index has the order of the query, after its fixed properties.
    func isOrdered(by index: StoreIndex) -> Bool {
        let fixed = index.parts.count - order.count
        guard let first = order.first, fixed >= 0, fixedParts(of: index) >= fixed,
            entity.isKind(of: schema.model[index.entity])
        else { return false }
        let rest = index.parts.dropFirst(fixed)
        return zip(rest, order).allSatisfy { part, descriptor in
            descriptor.keyPath.count == 1
                && StoredText(descriptor.keyPath[0]) == StoredText(part.name)
                && descriptor.comparison == .standard && descriptor.isAscending == first.isAscending
                && part.kind != .reference
        }
    }
}
