public import DuramenModel

/// Sort descriptors that were checked against an entity and can order rows, on any thread.
///
/// The order is total. Rows with equal keys are ordered by ID, ascending in any case, unless a
/// descriptor sorts by `SELF` in descending order. A key is null if its path has a null or missing
/// object.
public struct BoundSort: Sendable {
    let keys: [BoundSortKey]
    /// Whether all keys are attributes of the rows themselves.
    let isDirect: Bool
    /// Whether rows with equal keys are ordered by ID in descending order.
    let descendsByID: Bool

    init(keys: [BoundSortKey], descendsByID: Bool = false) {
        self.keys = keys
        self.descendsByID = descendsByID
        isDirect = keys.allSatisfy { $0.steps.isEmpty && $0.counted == nil }
    }

    /// Whether a key is the number of objects of a to-many, which depends on other rows.
    package var countsObjects: Bool { keys.contains { $0.counted != nil } }

    /// Returns whether an object comes before another one with equal keys.
    package func precedes(_ a: ManagedObjectID, _ b: ManagedObjectID) -> Bool {
        descendsByID ? b < a : a < b
    }

    /// A row with the ID of its object, which may be temporary and need not be the ID of the row.
    public typealias Item = (row: Row, id: ManagedObjectID)

    /// Sorts rows.
    ///
    /// - Throws: The errors of `source`; the rows are then unchanged.
    /// - Complexity: O(*n* log *n*) comparisons of words. Text beyond its first eight bytes, later
    ///   keys and IDs are compared only if these are equal. Each key path is followed once for each
    ///   row.
    public func sort<Source: EvaluationSource>(
        _ items: inout [Item], in source: Source
    ) throws(Source.Failure) {
        if items.count < 2 { return }
        let unsorted = items
        if !isDirect { source.expect { unsorted.map(\.row) } }
        let evaluator = Evaluator(source)
        var columns: [SortColumn] = []
        for key in keys { columns.append(try SortColumn(key, items, evaluator)) }
        let order = SortColumn.order(columns, ids: items.map(\.id), precedes: precedes)
        for (place, index) in order.enumerated() { items[place] = unsorted[Int(index)] }
    }
}

/// One sort descriptor with its names resolved to slots.
struct BoundSortKey: Sendable {
    let steps: [BoundReference]
    let end: BoundSortEnd
    /// The to-many whose objects are counted; nil for an attribute, which is ``end``.
    var counted: Relationship?

    var slot: Int { end.slot }
    var kind: SlotKind { end.kind }
    var isAscending: Bool { end.isAscending }
    var options: PredicateComparison.Options { end.options }
}

/// The attribute at the end of a sort descriptor's path: plain bits, so that comparing counts no
/// references.
struct BoundSortEnd: Sendable {
    let slot: Int
    let kind: SlotKind
    let isAscending: Bool
    let options: PredicateComparison.Options

    /// Returns the ascending order of two rows at the end of the key path; a missing row counts as
    /// null.
    func order(_ a: Row?, _ b: Row?) -> Int {
        guard let a, let b else {
            return (a.map { $0.isNull(slot) } ?? true ? 0 : 1)
                - (b.map { $0.isNull(slot) } ?? true ? 0 : 1)
        }
        return order(a, b)
    }

    /// Returns the ascending order of two existing rows.
    func order(_ a: borrowing Row, _ b: borrowing Row) -> Int {
        let isNull = (a.isNull(slot), b.isNull(slot))
        if isNull.0 || isNull.1 { return (isNull.0 ? 0 : 1) - (isNull.1 ? 0 : 1) }
        switch kind {
        case .integer, .boolean, .reference, .referenceEntity:
            return Self.order(a.integer(slot), b.integer(slot))
        case .double, .float, .date: return Self.order(a.double(slot), b.double(slot))
        case .decimal: return Self.order(a.decimal(slot), b.decimal(slot))
        case .text, .uri, .binary, .uuid, .transformable:
            // Sound: both rows live through the call.
            let bytes = (a.unsafeBytes(slot), b.unsafeBytes(slot))
            if options.isEmpty { return StoredText.compare(bytes.0, bytes.1) }
            return TextFolding.withFolded(bytes.0, options) { left in
                TextFolding.withFolded(bytes.1, options) { right in
                    StoredText.compare(left, right)
                }
            }
        }
    }

    private static func order<Value: Comparable>(_ a: Value, _ b: Value) -> Int {
        a < b ? -1 : (a == b ? 0 : 1)
    }
}

extension [FetchSortDescriptor] {
    /// Resolves the names and checks the types, once for any number of rows.
    ///
    /// - Parameters:
    ///   - entity: The entity of the rows.
    ///   - model: The entity's model.
    /// - Throws: ``FetchPredicateError`` with the entity, the key path, and a remedy.
    public func bound(
        to entity: Entity, in model: ManagedObjectModel
    ) throws(FetchPredicateError) -> BoundSort {
        let resolver = KeyPathResolver(model: model, entity: entity)
        var keys: [BoundSortKey] = []
        if beforeSelf.count < count {
            try self[beforeSelf.count].checkComparison(.object, of: entity)
        }
        for descriptor in beforeSelf {
            if let path = descriptor.countedPath {
                keys.append(try descriptor.boundCount(of: path, resolver))
                continue
            }
            var names = descriptor.keyPath
            if model.hasComposites {
                let flat = ModelPath(names, from: entity, in: model)
                names = flat.names + flat.rest
            }
            let path = try resolver.resolve(names)
            let name = descriptor.keyPath.joinedPath
            guard case .attribute(let attribute) = path.last else {
                throw FetchPredicateError(
                    .invalidKeyPath, entity: entity.name,
                    "Sorting by '\(name)': it refers to objects, which have no order. "
                        + "Sort by an attribute, reached over to-ones.")
            }
            if attribute.kind == .transformable {
                throw FetchPredicateError(
                    .typeMismatch, entity: entity.name,
                    "Sorting by '\(name)': it is transformable, and encoded values have no order. "
                        + "Sort by another attribute.")
            }
            try descriptor.checkComparison(ValueFamily(attribute.kind), of: entity)
            keys.append(
                BoundSortKey(
                    steps: path.steps,
                    end: BoundSortEnd(
                        slot: attribute.slot, kind: attribute.kind,
                        isAscending: descriptor.isAscending,
                        options: descriptor.comparison.options)))
        }
        return BoundSort(keys: keys, descendsByID: descendsByID)
    }
}

extension FetchSortDescriptor {
    fileprivate func boundCount(
        of path: [String], _ resolver: KeyPathResolver
    ) throws(FetchPredicateError) -> BoundSortKey {
        let entity = resolver.entity
        let resolved = try resolver.resolve(path)
        guard case .toMany(let relationship) = resolved.last else {
            throw FetchPredicateError(
                .invalidKeyPath, entity: entity.name,
                "Sorting by '\(keyPath.joinedPath)': the step before '@count' is not a to-many. "
                    + "Count a to-many relationship.")
        }
        try checkComparison(.number, of: entity)
        let end = BoundSortEnd(slot: 0, kind: .integer, isAscending: isAscending, options: [])
        return BoundSortKey(steps: resolved.steps, end: end, counted: relationship)
    }
}

extension FetchSortDescriptor {
    /// Checks that the comparison applies to a family of values.
    func checkComparison(
        _ family: ValueFamily, of entity: Entity
    ) throws(FetchPredicateError) {
        if comparison == .standard || family == .text { return }
        throw FetchPredicateError(
            .typeMismatch, entity: entity.name,
            "Sorting by '\(keyPath.joinedPath)': it is not text, and only text has other comparisons. "
                + "Use the standard comparison.")
    }
}

extension FetchSortDescriptor.Comparison {
    /// The equivalent options of predicates.
    public var options: PredicateComparison.Options {
        switch self {
        case .standard: []
        case .caseInsensitive: .caseInsensitive
        case .caseAndDiacriticInsensitive: [.caseInsensitive, .diacriticInsensitive]
        case .localized: .localeSensitive
        case .localizedCaseInsensitive: [.localeSensitive, .caseInsensitive]
        case .localizedStandard: [.localeSensitive, .numeric]
        }
    }
}
