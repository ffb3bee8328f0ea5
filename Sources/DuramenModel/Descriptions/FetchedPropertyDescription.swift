/// The description of one fetched property, as you write it in a model: a named condition that
/// finds objects without a relationship to the owner.
///
/// ```swift
/// FetchedPropertyDescription(
///     "namesakes", destination: "Person", predicateFormat: "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE")
/// ```
/// Contexts fetch the objects when the property is read first, and keep them until the owner is
/// refreshed. Nothing of it is stored, so that it takes no part in version hashes, may lead to
/// other stores, and cannot be queried.
public struct FetchedPropertyDescription: Sendable, Hashable {
    /// One order of the objects.
    public struct SortKey: Sendable, Hashable {
        /// A key path over to-ones.
        public var keyPath: String
        /// Whether small values come first.
        public var isAscending: Bool

        /// Describes an order.
        public init(_ keyPath: String, isAscending: Bool = true) {
            self.keyPath = keyPath
            self.isAscending = isAscending
        }
    }

    /// The property's name, unique within the entity and its ancestors.
    public var name: String
    /// The name of the entity whose objects are fetched, with those of its sub-entities.
    public var destination: String
    /// The condition as a format string, or nil for all objects. `$FETCH_SOURCE` refers to the
    /// owner.
    public var predicateFormat: String?
    /// The orders, most significant first.
    public var sortKeys: [SortKey]
    /// How many objects there are at most; nil for any number.
    public var fetchLimit: Int?
    /// Notes of the application.
    public var userInfo: [String: String]

    /// Describes a fetched property.
    public init(
        _ name: String, destination: String, predicateFormat: String? = nil,
        sortKeys: [SortKey] = [], fetchLimit: Int? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.destination = destination
        self.predicateFormat = predicateFormat
        self.sortKeys = sortKeys
        self.fetchLimit = fetchLimit
        self.userInfo = userInfo
    }
}
