import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit

extension SaboteurEntry {
    static let longValueSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.pushdown, FindsByBeginningsOfTexts.self),
        SaboteurEntry(.pushdown, FindsByBeginningsOfBytes.self),
        SaboteurEntry(.pushdown, EndsRangesAtBeginningsOfTexts.self),
        SaboteurEntry(.pushdown, EndsRangesAtBeginningsOfBytes.self),
        SaboteurEntry(.pushdown, CutsPrefixes.self),
        SaboteurEntry(.pushdown, OrdersByBeginningsOfTexts.self),
        SaboteurEntry(.pushdown, OrdersByBeginningsOfBytes.self),
        SaboteurEntry(.pushdown, ComposesIndexedTexts.self),
        SaboteurEntry(.pushdown, OrdersComposedTexts.self),
        SaboteurEntry(.pushdown, JoinsConditions.self),
        SaboteurEntry(.pushdown, JoinsSortKeys.self),
    ]
}

final class FindsByBeginningsOfTexts: ViewSaboteur, @unchecked Sendable {
    override var operators: Set<PredicateComparison.Operator> { [.equal, .notEqual, .isIn] }
    override func view(_ value: StoredValue) -> StoredValue { value.beginningOfText }
}

final class FindsByBeginningsOfBytes: ViewSaboteur, @unchecked Sendable {
    override var operators: Set<PredicateComparison.Operator> { [.equal, .notEqual, .isIn] }
    override func view(_ value: StoredValue) -> StoredValue { value.beginningOfBytes }
}

/// The comparisons that are a range of an index.
private let ranges: Set<PredicateComparison.Operator> = [
    .less, .lessOrEqual, .greater, .greaterOrEqual, .between,
]

final class EndsRangesAtBeginningsOfTexts: ViewSaboteur, @unchecked Sendable {
    override var operators: Set<PredicateComparison.Operator> { ranges }
    override func view(_ value: StoredValue) -> StoredValue { value.beginningOfText }
}

final class EndsRangesAtBeginningsOfBytes: ViewSaboteur, @unchecked Sendable {
    override var operators: Set<PredicateComparison.Operator> { ranges }
    override func view(_ value: StoredValue) -> StoredValue { value.beginningOfBytes }
}

final class CutsPrefixes: ViewSaboteur, @unchecked Sendable {
    override var operators: Set<PredicateComparison.Operator> { [.beginsWith] }
    override func view(_ value: StoredValue) -> StoredValue { value.beginningOfText }
}

final class OrdersByBeginningsOfTexts: ViewSaboteur, @unchecked Sendable {
    override var ordersViews: Bool { true }
    override func view(_ value: StoredValue) -> StoredValue { value.beginningOfText }
}

final class OrdersByBeginningsOfBytes: ViewSaboteur, @unchecked Sendable {
    override var ordersViews: Bool { true }
    override func view(_ value: StoredValue) -> StoredValue { value.beginningOfBytes }
}

final class ComposesIndexedTexts: ViewSaboteur, @unchecked Sendable {
    override var operators: Set<PredicateComparison.Operator> {
        ranges.union([.equal, .notEqual, .isIn, .beginsWith])
    }
    override func view(_ value: StoredValue) -> StoredValue { value.composed }

    override func isViewed(_ attribute: String, of entity: Entity) -> Bool {
        model.descriptions.contains { description in
            description.name == entity.name
                && description.indexes.contains {
                    $0.elements.contains { $0.property == attribute }
                }
        }
    }
}

final class OrdersComposedTexts: ViewSaboteur, @unchecked Sendable {
    override var ordersViews: Bool { true }
    override func view(_ value: StoredValue) -> StoredValue { value.composed }
}

/// Looks for two equal parts as one text, as under a compound key without a separator.
final class JoinsConditions: PushdownSaboteur, @unchecked Sendable {
    override func predicate(_ predicate: FetchPredicate) -> FetchPredicate {
        guard case .and(let parts) = predicate.form, parts.count == 2,
            case .comparison(let first) = parts[0].form, first.operator == .equal,
            case .constant(.text(let lead)) = first.right.form,
            case .comparison(let second) = parts[1].form, second.operator == .equal,
            case .constant(.text(let tail)) = second.right.form
        else { return predicate }
        let scalars = Array((lead.string + tail.string).unicodeScalars)
        return .or(
            (0...scalars.count).map { place in
                .and(
                    [(first, scalars[..<place]), (second, scalars[place...])].map {
                        comparison, part in
                        var text = String.UnicodeScalarView()
                        text.append(contentsOf: part)
                        var comparison = comparison
                        comparison.right = .constant(.text(StoredText(String(text))))
                        return .comparison(comparison)
                    })
            })
    }
}

/// Orders by two texts as one.
final class JoinsSortKeys: OrderSaboteur, @unchecked Sendable {
    override func rows(
        _ query: StoreQuery, _ snapshot: any StoreSnapshot
    ) throws(StoreError) -> [Row] {
        let entity = model[query.entity]
        let keys = query.sortDescriptors.filter { key in
            entity.attributes.contains { [$0.name] == key.keyPath && $0.kind == .text }
                && key.isAscending
        }
        guard keys.count == 2, query.sortDescriptors.count == 2 else {
            return try super.rows(query, snapshot)
        }
        let rows = try QueryExecution(unlimited(query), on: base, in: snapshot).rows()
        let joined = rows.map { row in
            let values = RowCoding.values(of: row, in: model, store: handle)
            let texts = keys.map { values[$0.keyPath[0]]?.textOrEmpty ?? "" }
            return (text: StoredText(texts.joined()), row: row)
        }
        return window(joined.sorted { $0.text < $1.text }.map(\.row), query)
    }
}
