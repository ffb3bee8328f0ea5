/// The result of an import.
public struct ImportReport: Sendable, Hashable {
    /// The objects of one entity in a feed. An object is counted once in each chunk that has it.
    public struct Counts: Sendable, Hashable {
        /// The objects that were new.
        public internal(set) var inserted: Int
        /// The objects that were stored and changed.
        public internal(set) var updated: Int
        /// The objects that were stored and have the values of the feed already.
        public internal(set) var unchanged: Int

        /// Makes counts, to compare with those of a report.
        public init(inserted: Int = 0, updated: Int = 0, unchanged: Int = 0) {
            self.inserted = inserted
            self.updated = updated
            self.unchanged = unchanged
        }
    }

    /// The counts by the names of entities, those of related objects included.
    public internal(set) var entities: [String: Counts] = [:]
    /// The elements that were read.
    public internal(set) var elementCount = 0
    /// The elements that were refused, at most ``mostFailures`` of them.
    public internal(set) var failures: [ImportFailure] = []
    /// The number of elements that were refused.
    public internal(set) var failureCount = 0
    /// The position behind the last element that is saved.
    public internal(set) var position = ImportPosition()

    /// The most failures that a report keeps.
    public static let mostFailures = 1_000

    /// The number of new objects of all entities.
    public var inserted: Int { entities.values.reduce(0) { $0 + $1.inserted } }
    /// The number of changed objects of all entities.
    public var updated: Int { entities.values.reduce(0) { $0 + $1.updated } }
    /// The number of objects of all entities that did not change.
    public var unchanged: Int { entities.values.reduce(0) { $0 + $1.unchanged } }

    mutating func record(_ failure: ImportFailure) {
        failureCount += 1
        if failures.count < Self.mostFailures { failures.append(failure) }
    }
}

extension ImportReport: CustomStringConvertible {
    /// The counts in one line.
    public var description: String {
        "\(elementCount) elements: \(inserted) objects inserted, \(updated) updated, \(unchanged) "
            + "unchanged; \(failureCount) elements refused"
    }
}

/// An element that an import refused.
public struct ImportFailure: Sendable, Hashable, CustomStringConvertible {
    /// The value in the feed, as a JSON pointer such as `/features/12/properties/mag`. Of a feed of
    /// lines the first token is the number of the element, from 0 on.
    public let pointer: String
    /// The reason, with a remedy.
    public let reason: String

    /// The pointer and the reason.
    public var description: String { "\(pointer): \(reason)" }
}

/// A position in a feed, to go on there later.
public struct ImportPosition: Sendable, Hashable, Codable {
    /// The number of elements before the position.
    public internal(set) var elementCount = 0

    /// The beginning of a feed.
    public init() {}
}

/// The state of an import after a chunk.
public struct ImportProgress: Sendable {
    /// The counts and failures so far. Its position is that of the last save.
    public let report: ImportReport
    /// The bytes of the feed that were read.
    public let byteCount: Int
}
