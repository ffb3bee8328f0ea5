public import DuramenModel

/// A contradiction between a store and its model, its checksums, or another part of the store.
///
/// Findings name entities, properties and objects, never values.
public struct VerificationFinding: Error, Sendable, Hashable {
    /// A kind of damage. The set may grow.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        /// The stable spelling.
        public let rawValue: String

        /// Creates a kind from its spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file has a structure that the engine did not write.
        public static let structure = Kind(rawValue: "structure")
        /// The store's information about itself cannot be read.
        public static let metadata = Kind(rawValue: "metadata")
        /// A row cannot be read, or differs between iteration and access by ID.
        public static let row = Kind(rawValue: "row")
        /// An index lacks rows, or contains wrong ones.
        public static let index = Kind(rawValue: "index")
        /// A to-one refers to an object that does not exist.
        public static let reference = Kind(rawValue: "reference")
        /// The two sides of a relationship do not agree.
        public static let pair = Kind(rawValue: "pair")
        /// Two objects have the same unique values.
        public static let uniqueness = Kind(rawValue: "uniqueness")
        /// A derived attribute does not have the value that its source determines.
        public static let derivedValue = Kind(rawValue: "derivedValue")
        /// An ordered to-many relationship has other members or numbers than its pairs or members.
        public static let order = Kind(rawValue: "order")
        /// A file of a large value is missing, or has other bytes.
        public static let externalValue = Kind(rawValue: "externalValue")
        /// The history cannot be read, or lacks transactions.
        public static let history = Kind(rawValue: "history")
    }

    /// The kind of damage.
    public var kind: Kind
    /// A description of the damage and its place.
    public var message: String
    /// The entity or property, such as `Book.author`; nil for findings about the whole store.
    public var place: String?
    /// The first affected object, if one is known.
    public var example: ManagedObjectID?
    /// The number of equal findings at this place.
    public var count: Int

    /// Describes a finding.
    public init(
        _ kind: Kind, _ message: String, place: String? = nil, example: ManagedObjectID? = nil,
        count: Int = 1
    ) {
        self.kind = kind
        self.message = message
        self.place = place
        self.example = example
        self.count = count
    }
}

extension VerificationFinding: DescribedError {
    /// The kind, the message, and the number of occurrences.
    public var description: String {
        "\(kind.rawValue): \(message)" + (count > 1 ? " (\(count) times)" : "")
    }
}

/// Collects findings, and counts those of equal kind and place.
struct FindingList {
    private struct Key: Hashable {
        var kind: VerificationFinding.Kind
        var place: String?
        var message: String
    }

    private(set) var all: [VerificationFinding] = []
    private var places: [Key: Int] = [:]

    mutating func add(_ finding: VerificationFinding) {
        let key = Key(kind: finding.kind, place: finding.place, message: finding.message)
        if let place = places[key] {
            all[place].count += finding.count
        } else {
            places[key] = all.count
            all.append(finding)
        }
    }

    /// Adds a finding for an error of reading.
    ///
    /// - Throws: The error, unless it is one of damage.
    mutating func add(
        _ error: StoreError, as kind: VerificationFinding.Kind, place: String? = nil
    ) throws(StoreError) {
        guard [.damagedFile, .damagedValue, .foreignFile, .incompatibleModel].contains(error.code)
        else { throw error }
        add(
            VerificationFinding(
                error.code == .damagedValue ? .externalValue : kind, error.message, place: place,
                example: error.objectID))
    }
}
