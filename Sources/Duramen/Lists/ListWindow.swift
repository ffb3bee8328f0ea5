import DuramenModel

/// Which rows of a list are shown.
struct ListWindow: Sendable {
    var offset = 0
    var limit: Int?

    /// Whether it is not all of them.
    var isPart: Bool { offset > 0 || limit != nil }

    /// How many rows must be known to show all that are asked for.
    var end: Int {
        guard let limit else { return .max }
        let (end, isTooLarge) = limit.addingReportingOverflow(offset)
        return isTooLarge ? .max : end
    }

    /// How many rows are read, so that some can leave before more must be; nil for all.
    var endWithReserve: Int? {
        guard limit != nil, end < .max / 2 else { return nil }
        return end + Swift.max(32, Swift.min(end, 512) / 2)
    }

    func shown(of count: Int) -> Range<Int> {
        let start = Swift.min(offset, count)
        return start..<Swift.max(start, Swift.min(end, count))
    }
}

/// The rows that a list begins with.
struct ListRows: Sendable {
    var rows: [(part: Int, row: Row)] = []
    /// Whether there are no others behind them.
    var isComplete = true
    /// By part.
    var related: [RelatedRows] = []
}
