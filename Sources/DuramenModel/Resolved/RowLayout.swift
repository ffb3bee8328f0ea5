/// The kind of value in a slot, which determines how its bytes are read.
public enum SlotKind: UInt8, Sendable, Hashable {
    /// A signed integer, in place; ``Attribute/type`` gives its width.
    case integer
    /// A double, in place.
    case double
    /// A float, widened to a double, in place.
    case float
    /// 0 or 1, in place.
    case boolean
    /// Seconds since 2001-01-01 00:00 UTC as a double, in place.
    case date
    /// UTF-8 bytes in the tail.
    case text
    /// A URI's UTF-8 bytes in the tail.
    case uri
    /// The shortest digits of an exact decimal number, as ASCII in the tail.
    case decimal
    /// Bytes in the tail.
    case binary
    /// 16 bytes in the tail.
    case uuid
    /// The key of a to-one's destination, in place.
    case reference
    /// The index of the destination's entity, in place, beside a ``reference``.
    case referenceEntity
    /// The bytes of an encoded value, in the tail. They cannot be compared.
    case transformable

    /// Whether the slot has the offset and length of bytes in the tail.
    @inlinable public var isTail: Bool {
        switch self {
        case .text, .uri, .decimal, .binary, .uuid, .transformable: true
        default: false
        }
    }

    /// Creates the kind of slot for an attribute type; nil if rows cannot have such values.
    public init?(_ type: AttributeType) {
        switch type {
        case .integer16, .integer32, .integer64: self = .integer
        case .decimal: self = .decimal
        case .double: self = .double
        case .float: self = .float
        case .string: self = .text
        case .boolean: self = .boolean
        case .date: self = .date
        case .binaryData: self = .binary
        case .uuid: self = .uuid
        case .uri: self = .uri
        case .transformable: self = .transformable
        default: return nil
        }
    }
}

/// The slots of an entity's rows. Inherited slots come first, then the entity's own by name. The
/// rest are internal: hidden to-ones, entity slots of to-ones whose destination has sub-entities,
/// and member counts of ordered to-manys.
///
/// A sub-entity's own slots follow its parent's properties, so that an accessor compiled for the
/// parent can read the rows of every descendant.
public struct RowLayout: Sendable, Hashable {
    /// The kind of value that each slot holds.
    public let kinds: [SlotKind]
    /// The slots whose values are in the tail, ascending.
    public let tailSlots: [Int]

    init(kinds: [SlotKind]) {
        self.kinds = kinds
        tailSlots = kinds.indices.filter { kinds[$0].isTail }
    }

    /// The number of slots, each 8 bytes wide.
    @inlinable public var slotCount: Int { kinds.count }
}
