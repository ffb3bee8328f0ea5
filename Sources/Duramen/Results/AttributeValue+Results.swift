import DuramenModel
import DuramenQuery
import Foundation

extension AttributeValue {
    /// Takes a value of a result, whose numbers may have another form than the attributes that they
    /// come from.
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
    /// The number in another form; nil for what is no number, or has no such form.
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
