package import DuramenModel

/// The type of a parameter, by what it is compared with.
///
/// SQLite's parameters have no type. PostgreSQL's server guesses one if a statement does not say
/// it, and may then convert a column instead of the parameter, which uses no index.
package indirect enum SQLParameterType: Sendable, Hashable {
    /// A 64-bit integer: an integer of any width, a key, an entity number, a count.
    ///
    /// Engines compare integers of different widths exactly and with their indexes.
    case bigint
    /// A double, for doubles, floats and dates.
    case double
    /// True or false, as ``SQLParameter/integer(_:)`` 1 or 0.
    case boolean
    /// Text, for texts and URIs.
    case text
    /// Bytes.
    case bytes
    /// The 16 bytes of a UUID.
    case uuid
    /// An exact decimal number.
    case decimal
    /// An array of parameters, as ``SQLParameter/list(_:)``.
    case list(SQLParameterType)

    /// Creates the type of a parameter that is compared with a column.
    package init(_ kind: SlotKind) {
        switch kind {
        case .integer, .reference, .referenceEntity: self = .bigint
        case .double, .float, .date: self = .double
        case .boolean: self = .boolean
        case .text, .uri: self = .text
        case .decimal: self = .decimal
        case .binary, .transformable: self = .bytes
        case .uuid: self = .uuid
        }
    }
}
