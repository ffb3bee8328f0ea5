public import DuramenModel

/// Results at one moment, as a value to send anywhere: the names of the sections, and the IDs of
/// the objects in them.
///
/// Taking one costs nothing; what changes later is copied then. New objects have their permanent
/// IDs here before they are saved, so that their first save changes nothing.
public struct FetchedResultsSnapshot: Sendable {
    let content: ListContent
    /// The objects that have changed since the last snapshot and kept their positions.
    public let reloadedItemIdentifiers: [ManagedObjectID]

    /// The names of the sections, in order; one without a name in results without sections.
    public var sectionIdentifiers: [String] { content.shownSections.names.map(\.string) }

    /// The number of sections.
    public var numberOfSections: Int { content.shownSections.count }

    /// The number of objects.
    public var numberOfItems: Int { content.count }

    /// All objects, in order.
    public var itemIdentifiers: FetchedResultsItems {
        FetchedResultsItems(content: content, range: 0..<content.count)
    }

    /// The number of objects in a section. There must be such a section.
    public func numberOfItems(inSection section: Int) -> Int {
        content.shownSections.rows(of: section).count
    }

    /// The objects of a section, in order. There must be such a section.
    public func itemIdentifiers(inSection section: Int) -> FetchedResultsItems {
        FetchedResultsItems(content: content, range: content.shownSections.rows(of: section))
    }

    /// Returns the object at a position, or nil if there is none.
    public func itemIdentifier(at path: FetchedResultsIndexPath) -> ManagedObjectID? {
        content.position(of: path).map { content.id(of: content[$0]) }
    }
}

/// The IDs of objects of a snapshot, in order.
public struct FetchedResultsItems: Sendable, RandomAccessCollection {
    let content: ListContent
    let range: Range<Int>

    /// The index of the first ID.
    public var startIndex: Int { 0 }

    /// The number of IDs.
    public var endIndex: Int { range.count }

    /// The ID at an index.
    public subscript(position: Int) -> ManagedObjectID {
        precondition(
            0..<range.count ~= position,
            "Duramen: the snapshot has \(range.count) objects there, and none at \(position).")
        return content.id(of: content[range.lowerBound + position])
    }
}
