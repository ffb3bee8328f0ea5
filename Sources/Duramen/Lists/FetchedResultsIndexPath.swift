/// The position of an object in the results: its row within a section.
public struct FetchedResultsIndexPath: Sendable, Hashable, Comparable, Codable {
    /// The position among the rows of the section.
    public var row: Int
    /// The position among the sections; 0 for results without sections.
    public var section: Int

    /// Creates an index path.
    public init(row: Int, section: Int) {
        self.row = row
        self.section = section
    }

    /// The row, under the name that collections use; see ``row``.
    public var item: Int { row }

    /// Whether one index path is before another: by section, then by row.
    public static func < (a: FetchedResultsIndexPath, b: FetchedResultsIndexPath) -> Bool {
        (a.section, a.row) < (b.section, b.row)
    }
}

extension FetchedResultsIndexPath: CustomStringConvertible {
    /// The section and row, such as `[2, 14]`.
    public var description: String { "[\(section), \(row)]" }
}
