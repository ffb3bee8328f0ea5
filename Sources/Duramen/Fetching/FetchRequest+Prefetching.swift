/// A relationship that ``FetchRequest/prefetching(_:)`` accepts: a to-one or a to-many.
///
/// The library declares all conformances.
public protocol PrefetchableRelationship {
    /// The class of the relationship's destination.
    associatedtype Destination: ManagedObject
}

extension Optional: PrefetchableRelationship where Wrapped: ManagedObject {
    /// The class of the to-one's destination.
    public typealias Destination = Wrapped
}

extension ToMany: PrefetchableRelationship {
    /// The class of the to-many's destination.
    public typealias Destination = Element
}

extension OrderedToMany: PrefetchableRelationship {
    /// The class of the to-many's destination.
    public typealias Destination = Element
}

extension FetchRequest {
    /// Loads the destinations of a relationship together with the results.
    ///
    /// A to-one costs one query for each 500 objects that are not in memory; a to-many one more for
    /// each 500 results, which tells its members. The objects stay in memory for the unit of work,
    /// and for as long as somebody holds them.
    public func prefetching<First: PrefetchableRelationship>(
        _ relationship: KeyPath<Object, First>
    ) -> Self {
        prefetching([Object.pathName(of: relationship)])
    }

    /// Loads the destinations of two relationships in turn, together with the results; see
    /// ``prefetching(_:)``.
    public func prefetching<
        First: PrefetchableRelationship, Second: PrefetchableRelationship
    >(
        _ first: KeyPath<Object, First>, _ second: KeyPath<First.Destination, Second>
    ) -> Self {
        prefetching([Object.pathName(of: first), First.Destination.pathName(of: second)])
    }

    /// Loads the destinations of three relationships in turn, together with the results; see
    /// ``prefetching(_:)``.
    public func prefetching<
        First: PrefetchableRelationship, Second: PrefetchableRelationship,
        Third: PrefetchableRelationship
    >(
        _ first: KeyPath<Object, First>, _ second: KeyPath<First.Destination, Second>,
        _ third: KeyPath<Second.Destination, Third>
    ) -> Self {
        prefetching([
            Object.pathName(of: first), First.Destination.pathName(of: second),
            Second.Destination.pathName(of: third),
        ])
    }

    private func prefetching(_ names: [String]) -> Self {
        var copy = self
        copy.relationshipKeyPathsForPrefetching.append(names.joined(separator: "."))
        return copy
    }

    /// Fetches only the given attributes and to-ones. The results are faults that have these
    /// values. Reading another property of one object loads it for all of them, in batches.
    ///
    /// Objects in memory have their values anyway. Where unsaved changes or several stores take
    /// part in the fetch, all values are read.
    public func fetchingOnly(_ properties: PartialKeyPath<Object>...) -> Self {
        var copy = self
        copy.propertiesToFetch += properties.map { Object.pathName(of: $0) }
        return copy
    }

    /// Has a lazy result read so many objects at once.
    public func batches(of count: Int) -> Self {
        var copy = self
        copy.fetchBatchSize = count
        return copy
    }
}

extension ManagedObject {
    /// The name of a property, or a description that no property has.
    fileprivate static func pathName(of keyPath: AnyKeyPath) -> String {
        propertyName(for: keyPath) ?? "\(keyPath)"
    }
}
