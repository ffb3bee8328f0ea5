public import DuramenModel

/// Results at one moment, as a sendable value: the names of the sections, and the IDs of their
/// objects.
///
/// Taking a snapshot costs nothing; later changes copy the storage that they change. New objects
/// have their permanent IDs here, so that their first save changes nothing.
public struct FetchedResultsSnapshot: Sendable {
    let content: ListContent
    /// The objects that the last update changed, and that kept their positions.
    public let reloadedItemIdentifiers: [ManagedObjectID]

    /// The names of the sections, in order; one empty name in results without sections.
    public var sectionIdentifiers: [String] { content.shownSections.names.map(\.string) }

    /// The number of sections.
    public var numberOfSections: Int { content.shownSections.count }

    /// The number of objects.
    public var numberOfItems: Int { content.count }

    /// The IDs of all objects, in order.
    public var itemIdentifiers: FetchedResultsItems {
        FetchedResultsItems(content: content, range: 0..<content.count)
    }

    /// Returns the number of objects in a section, which must exist.
    public func numberOfItems(inSection section: Int) -> Int {
        content.shownSections.rows(of: section).count
    }

    /// Returns the IDs of the objects of a section, which must exist, in order.
    public func itemIdentifiers(inSection section: Int) -> FetchedResultsItems {
        FetchedResultsItems(content: content, range: content.shownSections.rows(of: section))
    }

    /// Returns the ID of the object at a position; nil if there is none.
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

    /// Returns the ID at an index.
    public subscript(position: Int) -> ManagedObjectID {
        precondition(
            0..<range.count ~= position,
            "Duramen: the snapshot has \(range.count) objects there, and none at \(position).")
        return content.id(of: content[range.lowerBound + position])
    }
}
