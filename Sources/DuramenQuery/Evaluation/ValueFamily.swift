import DuramenModel
import Foundation

/// A kind of values that can be compared with each other.
enum ValueFamily: String {
    case number
    case text
    case date
    case binary
    case uuid = "UUID"
    case object
    case encoded = "encoded value"

    init(_ kind: SlotKind) {
        switch kind {
        case .integer, .double, .float, .boolean, .decimal: self = .number
        case .text, .uri: self = .text
        case .date: self = .date
        case .binary: self = .binary
        case .uuid: self = .uuid
        case .reference, .referenceEntity: self = .object
        case .transformable: self = .encoded
        }
    }

    /// Creates the family of a value; nil for null, which can be compared with every value.
    init?(_ value: StoredValue) {
        switch value {
        case .null: return nil
        case .integer, .double, .decimal, .boolean: self = .number
        case .text, .uri: self = .text
        case .date: self = .date
        case .binary: self = .binary
        case .uuid: self = .uuid
        case .objectID: self = .object
        }
    }
}

extension StoredValue {
    /// Whether the value is a NaN, which equals nothing and has no order.
    var isNotANumber: Bool {
        switch self {
        case .double(let value): value.isNaN
        case .decimal(let value): value.isNaN
        case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
        default: false
        }
    }
}
