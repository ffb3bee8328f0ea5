import DuramenModel

/// One result with the values for its order.
struct ResultEntry {
    var columns: [StoredValue]
    /// The values that precede the columns in the order.
    var sortValues: [StoredValue]
}

/// The order of results.
struct ResultOrder {
    private let query: BoundResultQuery
    /// Whether small values come first, by sort value.
    private let directions: [Bool]

    init(_ query: BoundResultQuery) {
        self.query = query
        directions = query.sortKeys.map(\.isAscending)
    }

    /// Returns the result of a group, or of a row with its object's ID.
    func entry(_ values: inout ResultValues, _ id: ManagedObjectID?) -> ResultEntry {
        let columns = query.columns.map { values.value(of: $0) }
        if !query.sortKeys.isEmpty {
            let sortValues = query.sortKeys.map { key in
                let value = values.value(of: key.part)
                guard !key.options.isEmpty, let text = value.textValue else { return value }
                return .text(TextFolding.fold(text, key.options))
            }
            return ResultEntry(columns: columns, sortValues: sortValues)
        }
        if query.query.isDistinct { return ResultEntry(columns: columns, sortValues: []) }
        return ResultEntry(columns: columns, sortValues: id.map { [.objectID($0)] } ?? values.keys)
    }

    func precedes(_ a: ResultEntry, _ b: ResultEntry) -> Bool {
        for place in a.sortValues.indices {
            let order = StoredValue.resultOrder(a.sortValues[place], b.sortValues[place])
            let isAscending = place < directions.count ? directions[place] : true
            if order != 0 { return (order < 0) == isAscending }
        }
        return [StoredValue].formOrder(a.columns, b.columns) < 0
    }
}
