public import DuramenModel

/// A round trip of a context to its store. ``ManagedObjectContext/faulting(_:_:)`` reports round
/// trips, and ``ManagedObjectContext/expectRoundTrips(atMost:_:)`` counts them.
public struct RoundTrip: Sendable, Hashable {
    /// The reason for a round trip: an open set.
    public struct Reason: RawRepresentable, Sendable, Hashable {
        /// The stable spelling, as descriptions show it.
        public let rawValue: String

        /// Creates a reason from its spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A fetch, a count, or a fetch of IDs.
        public static let fetch = Reason(rawValue: "fetch")
        /// A property was read whose object, or whose list of members, was not in memory.
        public static let fault = Reason(rawValue: "fault")
        /// A fetch also loaded related objects.
        public static let prefetch = Reason(rawValue: "prefetch")
        /// An iteration of a lazy result reached a batch that is not in memory.
        public static let batch = Reason(rawValue: "batch")
        /// An object was looked up by its ID.
        public static let lookUp = Reason(rawValue: "lookUp")
        /// Values were reloaded.
        public static let refresh = Reason(rawValue: "refresh")
        /// Changes were saved.
        public static let save = Reason(rawValue: "save")
    }

    /// The reason for the round trip.
    public let reason: Reason
    /// The entity of the objects; empty for a save.
    public let entityName: String
    /// The property that was read or prefetched; nil if there is none.
    public let propertyName: String?
    /// The object that was read; nil for several objects or none.
    public let objectID: ManagedObjectID?
    /// The number of requested objects; 0 if it is not known in advance.
    public let objectCount: Int

    init(
        _ reason: Reason, _ entityName: String, _ propertyName: String? = nil,
        _ objectID: ManagedObjectID? = nil, _ objectCount: Int = 0
    ) {
        self.reason = reason
        self.entityName = entityName
        self.propertyName = propertyName
        self.objectID = objectID
        self.objectCount = objectCount
    }

    /// A text that is equal for round trips with the same reason and property.
    fileprivate var site: String {
        let path = [entityName, propertyName ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
        return path.isEmpty ? reason.rawValue : "\(reason.rawValue) of '\(path)'"
    }
}

extension RoundTrip: CustomStringConvertible {
    /// The reason, the property and the number of objects; never a value.
    public var description: String {
        objectCount > 1 ? "\(site), \(objectCount) objects" : site
    }
}

extension [RoundTrip] {
    /// The round trips by reason and property, most frequent first: `500 × fault of 'Region.name',
    /// 1 × fetch of 'Quake'`.
    var summary: String {
        Dictionary(grouping: self, by: \.site)
            .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
            .map { "\($0.value.count) × \($0.key)" }.joined(separator: ", ")
    }
}
