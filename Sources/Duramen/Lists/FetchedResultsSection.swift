/// A section of results.
public struct FetchedResultsSection<Object: ManagedObject> {
    /// The name; empty in results without sections.
    public let name: String
    /// The title of the section in an index: the capitalized first letter of its name, or nil
    /// without a name.
    public let indexTitle: String?
    /// The objects of the section, in order.
    public let objects: FetchedObjects<Object>

    /// The number of objects.
    public var numberOfObjects: Int { objects.count }
}

@available(*, unavailable, message: "results belong to their context; take a snapshot")
extension FetchedResultsSection: Sendable {}
