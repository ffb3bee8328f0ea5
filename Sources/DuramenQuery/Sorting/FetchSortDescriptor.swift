/// One key of a sort order.
///
/// Null comes before every value, so first ascending and last descending, on every store. Objects
/// that all keys call equal are ordered by their IDs, ascending.
public struct FetchSortDescriptor: Sendable, Hashable, Codable {
    /// How two values of the key are compared.
    public enum Comparison: String, Sendable, Hashable, Codable, CaseIterable {
        /// By value; text by its UTF-8 bytes.
        case standard
        /// Text without regard to upper and lower case.
        case caseInsensitive
        /// Text without regard to case and marks.
        case caseAndDiacriticInsensitive
        /// Text as people look names up: by letters, then marks, then case, small letters first. It
        /// is the order of CLDR's root and follows no one language, so that it is the same on every
        /// machine.
        case localized
        /// The same without regard to case.
        case localizedCaseInsensitive
        /// As ``localized``, but the digits of a run are a number: "a 9" comes before "a 10".
        case localizedStandard
    }

    /// An attribute, the number of objects of a to-many, as in `["tags", "@count"]`, or `["SELF"]`;
    /// the first two may be reached over to-ones.
    public var keyPath: [String]
    /// Whether small values come first.
    public var isAscending: Bool
    /// How values are compared.
    public var comparison: Comparison

    /// Sorts by a key path, such as `"region.name"`.
    ///
    /// `"tags.@count"` sorts by the number of tags, which is 0 behind a to-one that is nil.
    /// `"SELF"` sorts by the ID of the object, which is useful in descending order: new objects
    /// come first.
    public init(
        _ keyPath: String, ascending: Bool = true, comparison: Comparison = .standard
    ) {
        self.keyPath = keyPath.keyPathNames
        isAscending = ascending
        self.comparison = comparison
    }

    /// Sorts by a key path, as ``init(_:ascending:comparison:)-(String,_,_)`` does.
    public init(key: String, ascending: Bool, comparison: Comparison = .standard) {
        self.init(key, ascending: ascending, comparison: comparison)
    }
}
