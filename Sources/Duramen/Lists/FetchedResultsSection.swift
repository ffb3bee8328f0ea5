/// A section of results.
public struct FetchedResultsSection<Object: ManagedObject> {
    /// The name; empty in results without sections.
    public let name: String
    /// The section's title in a section index: the first letter of its name, as a capital; nil
    /// without one.
    public let indexTitle: String?
    /// The objects of the section, in order.
    public let objects: FetchedObjects<Object>

    /// The number of objects.
    public var numberOfObjects: Int { objects.count }
}

@available(*, unavailable, message: "results belong to their context; take a snapshot")
extension FetchedResultsSection: Sendable {}
