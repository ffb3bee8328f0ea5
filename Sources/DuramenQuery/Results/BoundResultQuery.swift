public import DuramenModel

/// A result query that was checked against an entity and can process rows, on any thread.
public final class BoundResultQuery: Sendable {
    /// The query in the forms that stores support.
    ///
    /// Predicates and expressions have the lowered forms of ``FetchPredicate``, with one name for
    /// each element of a composite. Each aggregate is a ``FetchExpression/function(_:_:)`` with one
    /// argument; the argument of `count(SELF)` is ``FetchExpression/selfObject``.
    /// ``ResultQuery/having`` has only grouped key paths and aggregates. A sort descriptor with a
    /// single name may refer to a column.
    public let query: ResultQuery
    /// Whether there is one result for each group instead of each row.
    public let isGrouped: Bool

    /// The expressions to group by. For results of rows, these are the columns and the other sort
    /// keys.
    let keys: [ResultKeyExpression]
    let aggregates: [ResultAggregate]
    let columns: [ResultPart]
    let having: FetchPredicate?
    let sortKeys: [ResultSortKey]
    /// Whether the columns are the keys, in that order.
    let showsKeys: Bool
    /// The slots of the keys in a row; nil if some key is not an attribute of the object itself.
    private let slotsOfKeys: [SlotPlace]?

    private struct SlotPlace {
        let slot: Int
        let kind: SlotKind
    }

    /// The slots that are needed of each row; nil for all.
    package let slots: SlotSet?

    init(
        _ query: ResultQuery, isGrouped: Bool, keys: [ResultKeyExpression],
        aggregates: [ResultAggregate], columns: [ResultPart], having: FetchPredicate?,
        sortKeys: [ResultSortKey], slots: SlotSet?
    ) {
        self.query = query
        self.isGrouped = isGrouped
        self.keys = keys
        self.aggregates = aggregates
        self.columns = columns
        self.having = having
        self.sortKeys = sortKeys
        let places = keys.compactMap { key in
            key.attribute.map { SlotPlace(slot: $0.slot, kind: $0.kind) }
        }
        slotsOfKeys = places.count == keys.count ? places : nil
        showsKeys =
            columns.count == keys.count
            && columns.indices.allSatisfy { place in
                if case .key(place) = columns[place] { true } else { false }
            }
        self.slots = slots
    }

    /// Whether results have the order of the objects' IDs.
    package var isOrderedByID: Bool { !isGrouped && sortKeys.isEmpty }

    /// Whether the results depend only on the number of rows.
    package var readsCountOnly: Bool {
        isGrouped && keys.isEmpty && aggregates.allSatisfy { $0.operand == nil }
    }

    /// Returns the values of one row that the results need.
    package func record<Source: EvaluationSource>(
        of row: Row, id: ManagedObjectID, in source: Source
    ) throws(Source.Failure) -> ResultRecord {
        var record = ResultRecord(id: id)
        if let slotsOfKeys {
            record.keys = slotsOfKeys.map { row.value($0.slot, $0.kind) }
        } else {
            record.keys.reserveCapacity(keys.count)
            for key in keys {
                record.keys.append(try key.bound.value(of: row, id: id, in: source).scalar)
            }
        }
        record.operands.reserveCapacity(aggregates.count)
        for aggregate in aggregates {
            let value = try aggregate.operand?.value(of: row, id: id, in: source)
            record.operands.append(value ?? .value(.objectID(id)))
        }
        return record
    }
}

/// The values of a row for the results of a query.
package struct ResultRecord {
    let id: ManagedObjectID
    var keys: [StoredValue] = []
    var operands: [QueryValue] = []

    init(id: ManagedObjectID) { self.id = id }
}

/// An expression to group by.
struct ResultKeyExpression: Sendable {
    /// The variable that has the value in ``ResultPart/calculated(_:)``.
    let variable: String
    let expression: FetchExpression
    let bound: BoundFetchExpression
    /// The attribute of the object itself that the expression is; nil for every other expression.
    let attribute: Attribute?
    /// Whether equal values may have different forms, such as 1 and 1.0.
    let isCalculated: Bool
}

/// An aggregate function with its argument.
struct ResultAggregate: Sendable {
    /// The variable that has the result in ``ResultPart/calculated(_:)``.
    let variable: String
    let function: FetchFunction
    /// Nil for the object itself, which is never null.
    let operandExpression: FetchExpression?
    let operand: BoundFetchExpression?
}

/// The source of a value of a result.
enum ResultPart: Sendable {
    /// One of the keys.
    case key(Int)
    /// One of the aggregates.
    case aggregate(Int)
    /// An expression that is calculated from the variables of both.
    case calculated(FetchExpression)
}

/// One sort descriptor of a result query.
struct ResultSortKey: Sendable {
    let part: ResultPart
    let isAscending: Bool
    let options: PredicateComparison.Options
}

extension ResultQuery {
    /// Resolves the names and checks the types, once for any number of rows.
    ///
    /// - Parameters:
    ///   - entity: The query's entity in `model`.
    ///   - model: The entity's model.
    /// - Throws: ``FetchPredicateError`` with the entity, the column or key path, and a remedy.
    public func bound(
        to entity: Entity, in model: ManagedObjectModel
    ) throws(FetchPredicateError) -> BoundResultQuery {
        var binder = ResultBinder(self, entity: entity, model: model)
        return try binder.bind()
    }
}
