public import DuramenModel

/// Sort descriptors checked against an entity and ready to order rows, on any thread.
///
/// The order is total: what all keys call equal is ordered by ID, ascending, whatever the keys'
/// directions, unless a descriptor asks for `SELF` in descending order. A key that cannot be
/// reached, behind a null or a missing object, is null.
public struct BoundSort: Sendable {
    let keys: [BoundSortKey]
    /// Whether all keys are attributes of the rows themselves.
    let isDirect: Bool
    /// Whether what all keys call equal is ordered by ID, descending.
    let descendsByID: Bool

    init(keys: [BoundSortKey], descendsByID: Bool = false) {
        self.keys = keys
        self.descendsByID = descendsByID
        isDirect = keys.allSatisfy { $0.steps.isEmpty && $0.counted == nil }
    }

    /// Whether a key is the number of objects of a to-many, which other rows decide.
    package var countsObjects: Bool { keys.contains { $0.counted != nil } }

    /// Whether an object comes before another one that all keys call equal.
    package func precedes(_ a: ManagedObjectID, _ b: ManagedObjectID) -> Bool {
        descendsByID ? b < a : a < b
    }

    /// A row with the ID of its object, which the row need not know (it may be temporary).
    public typealias Item = (row: Row, id: ManagedObjectID)

    /// Sorts rows.
    ///
    /// - Throws: What `source` throws; the rows are then as they were.
    /// - Complexity: O(*n* log *n*) comparisons of words; text beyond its first eight bytes, later
    ///   keys and IDs are compared only where those are equal. Each key path is followed once per
    ///   row.
    public func sort<Source: EvaluationSource>(
        _ items: inout [Item], in source: Source
    ) throws(Source.Failure) {
        if items.count < 2 { return }
        let evaluator = Evaluator(source)
        var columns: [SortColumn] = []
        for key in keys { columns.append(try SortColumn(key, items, evaluator)) }
        let order = SortColumn.order(columns, ids: items.map(\.id), precedes: precedes)
        let unsorted = items
        for (place, index) in order.enumerated() { items[place] = unsorted[Int(index)] }
    }
}

/// One sort descriptor whose names have become slots.
struct BoundSortKey: Sendable {
    let steps: [BoundReference]
    let end: BoundSortEnd
    /// The to-many whose objects are counted; nil for an attribute, which ``end`` names.
    var counted: Relationship?

    var slot: Int { end.slot }
    var kind: SlotKind { end.kind }
    var isAscending: Bool { end.isAscending }
    var options: PredicateComparison.Options { end.options }
}

/// The attribute that a sort descriptor leads to: plain bits, so that comparing counts no
/// references.
struct BoundSortEnd: Sendable {
    let slot: Int
    let kind: SlotKind
    let isAscending: Bool
    let options: PredicateComparison.Options

    /// The order of two rows that the key path ends in, before the direction; a missing row counts
    /// as null.
    func order(_ a: Row?, _ b: Row?) -> Int {
        guard let a, let b else {
            return (a.map { $0.isNull(slot) } ?? true ? 0 : 1)
                - (b.map { $0.isNull(slot) } ?? true ? 0 : 1)
        }
        return order(a, b)
    }

    /// The same for rows that are there.
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
    /// - Throws: ``FetchPredicateError`` that names the entity, the key path, and a remedy.
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
    /// Checks that values of a kind can be compared so.
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
    /// How predicates say it.
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
