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
    /// Returns a copy of the request that also loads the destinations of a relationship.
    ///
    /// A to-one costs one query per 500 objects that are not in memory. A to-many costs one more
    /// query per 500 results, which returns its members. The objects stay in memory for the unit of
    /// work, and as long as they are referenced.
    public func prefetching<First: PrefetchableRelationship>(
        _ relationship: KeyPath<Object, First>
    ) -> Self {
        prefetching([Object.pathName(of: relationship)])
    }

    /// Returns a copy of the request that loads a path of two relationships; see
    /// ``prefetching(_:)``.
    public func prefetching<
        First: PrefetchableRelationship, Second: PrefetchableRelationship
    >(
        _ first: KeyPath<Object, First>, _ second: KeyPath<First.Destination, Second>
    ) -> Self {
        prefetching([Object.pathName(of: first), First.Destination.pathName(of: second)])
    }

    /// Returns a copy of the request that loads a path of three relationships; see
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

    /// Returns a copy of the request that fetches only some attributes and to-ones. The results are
    /// faults that have these values. Reading another property of one object loads it for all of
    /// them, in batches.
    ///
    /// Objects in memory keep all their values. If unsaved changes or several stores take part in
    /// the fetch, all values are loaded.
    public func fetchingOnly(_ properties: PartialKeyPath<Object>...) -> Self {
        var copy = self
        copy.propertiesToFetch += properties.map { Object.pathName(of: $0) }
        return copy
    }

    /// Returns a copy of the request whose lazy result loads a number of objects at once.
    public func batches(of count: Int) -> Self {
        var copy = self
        copy.fetchBatchSize = count
        return copy
    }
}

extension ManagedObject {
    /// The name of a property. For other key paths, a description that matches no property.
    fileprivate static func pathName(of keyPath: AnyKeyPath) -> String {
        propertyName(for: keyPath) ?? "\(keyPath)"
    }
}
