import DuramenModel

/// The range of a list's rows that is shown.
struct ListWindow: Sendable {
    var offset = 0
    var limit: Int?

    /// Whether only some of the rows are shown.
    var isPart: Bool { offset > 0 || limit != nil }

    /// The number of rows that must be known to show the window.
    var end: Int {
        guard let limit else { return .max }
        let (end, isTooLarge) = limit.addingReportingOverflow(offset)
        return isTooLarge ? .max : end
    }

    /// The number of rows to load, with a reserve so that some can leave the list; nil for all.
    var endWithReserve: Int? {
        guard limit != nil, end < .max / 2 else { return nil }
        return end + Swift.max(32, Swift.min(end, 512) / 2)
    }

    func shown(of count: Int) -> Range<Int> {
        let start = Swift.min(offset, count)
        return start..<Swift.max(start, Swift.min(end, count))
    }
}

/// The loaded rows of a list.
struct ListRows: Sendable {
    var rows: [(part: Int, row: Row)] = []
    /// Whether no further rows follow.
    var isComplete = true
    /// The related rows by part.
    var related: [RelatedRows] = []
}
