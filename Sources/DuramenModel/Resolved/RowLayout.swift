/// How the bytes of a slot are read.
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
    /// An exact decimal number's shortest digits, as ASCII in the tail.
    case decimal
    /// Bytes in the tail.
    case binary
    /// 16 bytes in the tail.
    case uuid
    /// The key of a to-one's destination, in place.
    case reference
    /// The index of the destination's entity, in place, beside a ``reference``.
    case referenceEntity
    /// An encoded value's bytes in the tail, which nothing compares.
    case transformable

    /// Whether the slot holds offset and length of bytes in the tail.
    @inlinable public var isTail: Bool {
        switch self {
        case .text, .uri, .decimal, .binary, .uuid, .transformable: true
        default: false
        }
    }

    /// How rows hold values of an attribute type; nil when they cannot.
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

/// The slots of an entity's rows. Inherited slots come first, then the entity's own by name. Slots
/// that accessors need not know come last: hidden to-ones, entity slots, and the numbers of members
/// of ordered to-manys. An entity slot belongs to a to-one whose destination has sub-entities.
///
/// A sub-entity's own slots follow its parent's properties, so that an accessor compiled for the
/// parent reads the rows of every descendant.
public struct RowLayout: Sendable, Hashable {
    /// The kind of each slot.
    public let kinds: [SlotKind]
    /// The slots whose values stand in the tail, ascending.
    public let tailSlots: [Int]

    init(kinds: [SlotKind]) {
        self.kinds = kinds
        tailSlots = kinds.indices.filter { kinds[$0].isTail }
    }

    /// The number of slots, each 8 bytes wide.
    @inlinable public var slotCount: Int { kinds.count }
}
