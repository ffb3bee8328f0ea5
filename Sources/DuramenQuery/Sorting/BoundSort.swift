public import DuramenModel

/// Sort descriptors checked against an entity and ready to order rows, on any thread.
///
/// The order is total: what all keys call equal is ordered by ID, ascending, whatever the keys'
/// directions. A key that cannot be reached, behind a null or a missing object, is null.
public struct BoundSort: Sendable {
    let keys: [BoundSortKey]

    /// A row with the ID of its object, which the row need not know (it may be temporary).
    public typealias Item = (row: Row, id: ManagedObjectID)

    /// Sorts rows.
    ///
    /// - Throws: What `source` throws; the rows are then as they were.
    /// - Complexity: O(*n* log *n*) comparisons of words; text beyond its first eight bytes, later keys
    ///   and IDs are compared only where those are equal. Each key path is followed once per row.
    public func sort<Source: EvaluationSource>(
        _ items: inout [Item], in source: Source
    ) throws(Source.Failure) {
        if items.count < 2 { return }
        let evaluator = Evaluator(source)
        var columns: [SortColumn] = []
        for key in keys { columns.append(try SortColumn(key, items, evaluator)) }
        let order = SortColumn.order(columns, ids: items.map(\.id))
        let unsorted = items
        for (place, index) in order.enumerated() { items[place] = unsorted[Int(index)] }
    }
}

/// One sort descriptor whose names have become slots.
struct BoundSortKey: Sendable {
    let steps: [BoundReference]
    let slot: Int
    let kind: SlotKind
    let isAscending: Bool
    let options: PredicateComparison.Options

    /// The order of two rows that the key path ends in; a missing row counts as null.
    func order(_ a: Row?, _ b: Row?) -> Int {
        let first = a.flatMap { $0.isNull(slot) ? nil : $0 }
        let second = b.flatMap { $0.isNull(slot) ? nil : $0 }
        guard let first, let second else { return (first == nil ? 0 : 1) - (second == nil ? 0 : 1) }
        switch kind {
        case .integer, .boolean, .reference, .referenceEntity:
            return Self.order(first.integer(slot), second.integer(slot))
        case .double, .float, .date: return Self.order(first.double(slot), second.double(slot))
        case .decimal: return Self.order(first.decimal(slot), second.decimal(slot))
        case .text, .uri, .binary, .uuid, .transformable:
            // Sound: both rows live through the call.
            return TextFolding.withFolded(first.unsafeBytes(slot), options) { left in
                TextFolding.withFolded(second.unsafeBytes(slot), options) { right in
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
        for descriptor in self {
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
                    "Sorting by '\(name)': it leads to objects, which have no order. "
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
                    steps: path.steps, slot: attribute.slot, kind: attribute.kind,
                    isAscending: descriptor.isAscending, options: descriptor.comparison.options))
        }
        return BoundSort(keys: keys)
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
            "Sorting by '\(keyPath.joinedPath)': it is no text, and only text has other comparisons. "
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
