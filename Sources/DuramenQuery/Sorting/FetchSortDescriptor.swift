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
