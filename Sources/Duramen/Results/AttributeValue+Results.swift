import DuramenModel
import DuramenQuery
import Foundation

extension AttributeValue {
    /// Creates the value from a result's value, whose number may have another type than the
    /// attribute.
    init?(result value: StoredValue) {
        if let value = Self(storedValue: value) {
            self = value
        } else if let kind = SlotKind(Self.attributeType), let other = value.converted(to: kind) {
            self.init(storedValue: other)
        } else {
            return nil
        }
    }
}

extension StoredValue {
    /// Converts a number to another kind; nil if that is not possible.
    fileprivate func converted(to kind: SlotKind) -> StoredValue? {
        switch (self, kind) {
        case (.integer(let number), .double), (.integer(let number), .float):
            .double(Double(number))
        case (.integer(let number), .decimal): .decimal(Decimal(number))
        case (.decimal(let number), .double), (.decimal(let number), .float):
            Double(number.description).map { .double($0) }
        case (.decimal(let number), .integer): Int64(number.description).map { .integer($0) }
        case (.double(let number), .integer): Int64(exactly: number).map { .integer($0) }
        default: nil
        }
    }
}
