/// What a page is told: all that there is, or what became of it.
public enum ListMessage: Sendable, Equatable {
    case list([ListedSection])
    case change(ListChange)
}

/// A section with its packages.
public struct ListedSection: Sendable, Equatable, Codable {
    public var name: String
    public var rows: [ListedPackage]
}

/// What a page shows of a package.
public struct ListedPackage: Sendable, Equatable, Codable {
    /// The same as long as the package exists.
    public var id: String
    public var name: String
    public var version: String
    public var synopsis: String
}

/// What became of a list, in the order in which a page does it: nothing has to be sorted or counted
/// there.
///
/// A package that moved is taken away and put in again; a page knows it by its ID.
public struct ListChange: Sendable, Equatable, Codable {
    /// The place of a row: its section, and its place there.
    public struct Place: Sendable, Equatable, Codable {
        public var section: Int
        public var row: Int
    }

    /// A section that came.
    public struct NewSection: Sendable, Equatable, Codable {
        public var index: Int
        public var name: String
    }

    /// A package that stands at a place now.
    public struct Row: Sendable, Equatable, Codable {
        public var place: Place
        public var package: ListedPackage
    }

    /// The rows to take away, the last first.
    public var removedRows: [Place] = []
    /// The sections to take away then, the last first.
    public var removedSections: [Int] = []
    /// The sections to put in then, the first first.
    public var insertedSections: [NewSection] = []
    /// The rows to put in then, the first first.
    public var insertedRows: [Row] = []
    /// The rows that show something else in the end.
    public var updatedRows: [Row] = []
}
