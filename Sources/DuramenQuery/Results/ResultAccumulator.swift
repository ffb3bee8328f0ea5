package import DuramenModel

/// Makes the results of a query from rows, which may come in any order and from several stores.
///
/// - Complexity: Results of groups take memory for each group, not for each row, but see
///   ``AggregateState``. Results of rows that are sorted and limited take memory for twice the
///   limit.
package struct ResultAccumulator {
    private let query: BoundResultQuery
    private let hasCalculatedKeys: Bool
    // Of groups, by their keys.
    private var places: [ResultKey: Int] = [:]
    private var keys: [[StoredValue]] = []
    private var states: [[AggregateState]] = []
    // Of rows.
    private var entries: [ResultEntry] = []
    private let order: ResultOrder
    /// Whether rows come in the order of results.
    private let isOrdered: Bool
    /// The place after the last result that matters; nil when all do.
    private let end: Int?

    /// - Parameter isOrdered: Whether rows come by the IDs of their objects.
    package init(_ query: BoundResultQuery, isOrdered: Bool) {
        self.query = query
        hasCalculatedKeys = query.keys.contains(where: \.isCalculated)
        self.isOrdered = isOrdered && query.isOrderedByID
        order = ResultOrder(query)
        let (sum, overflows) = query.query.offset.addingReportingOverflow(query.query.limit ?? 0)
        end = query.query.limit == nil || overflows ? nil : sum
        // All rows are one group where nothing tells them apart, also when there are none.
        if query.isGrouped, query.keys.isEmpty { _ = place(of: []) }
    }

    /// Takes what a row gives.
    ///
    /// - Returns: False when no further row can change the results.
    package mutating func add(_ record: ResultRecord) -> Bool {
        if !query.isGrouped { return addEntry(record) }
        let place = place(of: record.keys)
        for index in record.operands.indices { states[place][index].add(record.operands[index]) }
        return true
    }

    /// Takes a whole group, of which no row comes otherwise.
    package mutating func add(_ group: GroupValues) {
        let place = place(of: group.keys)
        states[place] = group.aggregates.map(AggregateState.init(known:))
    }

    /// Takes rows of which only the number matters.
    package mutating func add(rows: Int) {
        let place = place(of: [])
        for index in states[place].indices { states[place][index].add(rows: rows) }
    }

    private mutating func place(of values: [StoredValue]) -> Int {
        let key = ResultKey(values: values)
        if let place = places[key] {
            // Of equal values in different forms always the same one is shown.
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

    /// The results: by column, in order, windowed.
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

    /// Each different result once; of those that differ in form only, always the first one: they
    /// stand by their form, since distinct results are sorted by their columns.
    private func distinct(_ entries: [ResultEntry]) -> [ResultEntry] {
        var seen: Set<ResultKey> = []
        return entries.filter { seen.insert(ResultKey(values: $0.columns)).inserted }
    }
}
