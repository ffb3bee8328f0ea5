package import DuramenModel

/// Computes the results of a query from rows, which may come in any order and from several stores.
///
/// - Complexity: Results of groups use memory for each group, not for each row, but see
///   ``AggregateState``. Results of rows that are sorted and limited use memory for twice the
///   limit.
package struct ResultAccumulator {
    private let query: BoundResultQuery
    private let hasCalculatedKeys: Bool
    // For groups, by their keys.
    private var places: [ResultKey: Int] = [:]
    private var keys: [[StoredValue]] = []
    private var states: [[AggregateState]] = []
    // For rows.
    private var entries: [ResultEntry] = []
    private let order: ResultOrder
    /// Whether rows come in the order of the results.
    private let isOrdered: Bool
    /// The index after the last result that is needed; nil if all are.
    private let end: Int?

    /// Creates an accumulator without rows.
    ///
    /// - Parameters:
    ///   - query: The query of the results.
    ///   - isOrdered: Whether rows come in the order of their objects' IDs.
    package init(_ query: BoundResultQuery, isOrdered: Bool) {
        self.query = query
        hasCalculatedKeys = query.keys.contains(where: \.isCalculated)
        self.isOrdered = isOrdered && query.isOrderedByID
        order = ResultOrder(query)
        let (sum, overflows) = query.query.offset.addingReportingOverflow(query.query.limit ?? 0)
        end = query.query.limit == nil || overflows ? nil : sum
        // Without keys, all rows are one group, even if there are no rows.
        if query.isGrouped, query.keys.isEmpty { _ = place(of: []) }
    }

    /// Adds the values of a row.
    ///
    /// - Returns: False if further rows cannot change the results.
    package mutating func add(_ record: ResultRecord) -> Bool {
        if !query.isGrouped { return addEntry(record) }
        let place = place(of: record.keys)
        for index in record.operands.indices { states[place][index].add(record.operands[index]) }
        return true
    }

    /// Adds a whole group, whose rows are not added.
    package mutating func add(_ group: GroupValues) {
        let place = place(of: group.keys)
        states[place] = group.aggregates.map(AggregateState.init(known:))
    }

    /// Adds rows of which only the number is needed.
    package mutating func add(rows: Int) {
        let place = place(of: [])
        for index in states[place].indices { states[place][index].add(rows: rows) }
    }

    private mutating func place(of values: [StoredValue]) -> Int {
        let key = ResultKey(values: values)
        if let place = places[key] {
            // Of equal values in different forms, the first in the order of forms is kept.
            if hasCalculatedKeys, [StoredValue].formOrder(values, keys[place]) < 0 {
                keys[place] = values
            }
            return place
        }
        places[key] = keys.count
        keys.append(values)
        states.append(query.aggregates.map { AggregateState($0.function) })
        return keys.count - 1
    }

    private mutating func addEntry(_ record: ResultRecord) -> Bool {
        if let end, isOrdered, entries.count >= end { return false }
        if isOrdered, query.showsKeys {
            entries.append(ResultEntry(columns: record.keys, sortValues: []))
        } else {
            var values = ResultValues(query, record.keys, [])
            entries.append(order.entry(&values, record.id))
        }
        if let end, !isOrdered, entries.count >= 1024, entries.count / 2 >= end {
            entries.sort(by: order.precedes)
            entries.removeLast(entries.count - end)
        }
        return true
    }

    /// Returns the results: the values of each by column, in order, limited to the window.
    package func results() -> [[StoredValue]] {
        var entries = query.isGrouped ? groups() : entries
        if !isOrdered { entries.sort(by: order.precedes) }
        if query.query.isDistinct { entries = distinct(entries) }
        let rest = entries.dropFirst(query.query.offset)
        return (query.query.limit.map { rest.prefix($0) } ?? rest).map(\.columns)
    }

    private func groups() -> [ResultEntry] {
        var entries: [ResultEntry] = []
        entries.reserveCapacity(keys.count)
        for place in keys.indices {
            var values = ResultValues(query, keys[place], states[place].map(\.result))
            if let having = query.having, !values.holds(having) { continue }
            entries.append(order.entry(&values, nil))
        }
        return entries
    }

    /// Returns the distinct results. Of equal results in different forms, the first is kept;
    /// results are sorted by form, since distinct results are sorted by their columns.
    private func distinct(_ entries: [ResultEntry]) -> [ResultEntry] {
        var seen: Set<ResultKey> = []
        return entries.filter { seen.insert(ResultKey(values: $0.columns)).inserted }
    }
}
