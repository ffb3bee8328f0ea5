/// One key of a sort order.
///
/// Null comes before every value on every store: first in ascending order, last in descending
/// order. Objects with equal keys are ordered by their IDs, ascending.
public struct FetchSortDescriptor: Sendable, Hashable, Codable {
    /// The comparison of two values of the key.
    public enum Comparison: String, Sendable, Hashable, Codable, CaseIterable {
        /// Compares by value; text by its UTF-8 bytes.
        case standard
        /// Compares text without case.
        case caseInsensitive
        /// Compares text without case and diacritical marks.
        case caseAndDiacriticInsensitive
        /// Compares text by letters, then marks, then case, lower case first. The order is that of
        /// CLDR's root. It does not depend on a language, so that it is equal on every machine.
        case localized
        /// Compares text like ``localized``, without case.
        case localizedCaseInsensitive
        /// Compares text like ``localized``, but a run of digits is a number: "a 9" comes before "a
        /// 10".
        case localizedStandard
    }

    /// The sort key: an attribute, the number of objects of a to-many, as in `["tags", "@count"]`,
    /// or `["SELF"]`. Attributes and counts may be reached through to-ones.
    public var keyPath: [String]
    /// Whether small values come first.
    public var isAscending: Bool
    /// The comparison of values.
    public var comparison: Comparison

    /// Sorts by a key path, such as `"region.name"`.
    ///
    /// `"tags.@count"` sorts by the number of tags, which is 0 if a to-one in the path is nil.
    /// `"SELF"` sorts by the ID of the object. In descending order, the newest saved objects come
    /// first and unsaved objects last.
    public init(
        _ keyPath: String, ascending: Bool = true, comparison: Comparison = .standard
    ) {
        self.keyPath = keyPath.keyPathNames
        isAscending = ascending
        self.comparison = comparison
    }

    /// Sorts by a key path, with Core Data's argument label.
    public init(key: String, ascending: Bool, comparison: Comparison = .standard) {
        self.init(key, ascending: ascending, comparison: comparison)
    }
}
