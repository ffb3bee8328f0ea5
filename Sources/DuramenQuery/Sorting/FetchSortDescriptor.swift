/// One key of a sort order.
///
/// Null comes before every value, so first ascending and last descending, on every store. Objects that
/// all keys call equal are ordered by their IDs, ascending.
public struct FetchSortDescriptor: Sendable, Hashable, Codable {
    /// How two values of the key are compared.
    public enum Comparison: String, Sendable, Hashable, Codable, CaseIterable {
        /// By value; text by its UTF-8 bytes.
        case standard
        /// Text without regard to upper and lower case.
        case caseInsensitive
        /// Text without regard to case and marks.
        case caseAndDiacriticInsensitive
        /// Text as people look names up: by letters, then marks, then case, small letters first. It is the order of
        /// CLDR's root and follows no one language, so that it is the same on every machine.
        case localized
        /// The same without regard to case.
        case localizedCaseInsensitive
        /// As ``localized``, but the digits of a run are a number: "a 9" comes before "a 10".
        case localizedStandard
    }

    /// An attribute, reached over to-ones.
    public var keyPath: [String]
    /// Whether small values come first.
    public var isAscending: Bool
    /// How values are compared.
    public var comparison: Comparison

    /// Sorts by a key path, such as `"region.name"`.
    public init(
        _ keyPath: String, ascending: Bool = true, comparison: Comparison = .standard
    ) {
        self.keyPath = keyPath.keyPathNames
        isAscending = ascending
        self.comparison = comparison
    }
}
