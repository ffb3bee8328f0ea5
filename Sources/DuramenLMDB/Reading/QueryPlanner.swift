import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenStore

/// The plan for finding the rows of a query.
enum QueryPlan {
    /// The rows with these keys, ascending.
    case keys([Int64])
    /// The whole table, in the order of the keys.
    case table
    /// Ranges of the index at a position in ``StoreSchema/indexes``.
    case index(Int, [KeyRange], IndexOrder)

    /// The order in which rows are read from an index.
    enum IndexOrder {
        /// All keys are collected and sorted first.
        case byKey
        /// The order of the query.
        case asAsked(isReversed: Bool)
    }
}

/// Chooses the plan that reads the fewest rows.
struct QueryPlanner {
    let question: Question
    let rows: RowReading
    /// By position of the index; nil for incomplete ones.
    let numbers: [UInt32?]

    private var schema: StoreSchema { rows.schema }

    // The cost of reading an index entry and its row, compared with a row of a scan.
    private static let costOfEntry = 8
    private static let smallCount = 64

    func plan() throws(StoreError) -> QueryPlan {
        if let objects = question.conditions.objects { return .keys(keys(of: objects)) }
        let total = rows.transaction.count(schema.places[question.entity.id.index].rows)
        // With more entries than this, a scan of the table is cheaper.
        let bound = max(total / Self.costOfEntry, Self.smallCount)
        var best: (count: Int, ranges: [KeyRange], place: Int)?
        var ordered: (ranges: [KeyRange], place: Int, usedParts: Int)?
        for place in schema.places[question.entity.id.index].indexes {
            guard let number = numbers[place] else { continue }
            let index = schema.indexes[place]
            var builder = RangeBuilder(question.conditions, index, number: number)
            let (ranges, usedParts) = builder.ranges()
            // Of two indexes with the order, prefer the one with more conditions.
            if question.conditions.isOrdered(by: index), usedParts > ordered?.usedParts ?? -1 {
                ordered = (ranges, place, usedParts)
            }
            if usedParts == 0 { continue }
            let count = try count(ranges, upTo: min(bound, best?.count ?? bound))
            if count < best?.count ?? bound { best = (count, ranges, place) }
        }
        if let ordered {
            // Sorting a short list is faster than reading a long index.
            if let best, best.place != ordered.place, best.count <= Self.smallCount {
                return .index(best.place, best.ranges, .byKey)
            }
            let isReversed = !(question.query.sortDescriptors.first?.isAscending ?? true)
            if question.query.limit != nil || best?.place == ordered.place {
                return .index(
                    ordered.place, ordered.ranges, .asAsked(isReversed: isReversed))
            }
        }
        if let best { return .index(best.place, best.ranges, .byKey) }
        return .table
    }

    private func keys(of objects: [ManagedObjectID]) -> [Int64] {
        let keys = objects.filter { $0.store == schema.handle && $0.key > 0 }.map(\.key)
        return Array(Set(keys)).sorted()
    }

    /// The number of entries in ranges, counted up to a limit.
    private func count(_ ranges: [KeyRange], upTo limit: Int) throws(StoreError) -> Int {
        let cursor = try rows.transaction.cursor(schema.tables.index)
        var count = 0
        for range in ranges {
            var record = try range.lower.withBytes { (lower) throws(StoreError) in
                try cursor.seek(lower)
            }
            while let found = record, count < limit,
                range.upper.withUnsafeBytes({ StoredText.compare(found.key, $0) < 0 })
            {
                count += 1
                record = try cursor.next()
            }
            if count >= limit { return count }
        }
        return count
    }
}
