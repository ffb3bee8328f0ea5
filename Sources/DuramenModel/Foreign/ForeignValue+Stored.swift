import Foundation

extension ForeignValue {
    /// Returns the value as an attribute of the given type stores it; nil if it has another kind.
    public func stored(as type: AttributeType) -> StoredValue? {
        switch (type, self) {
        case (_, .none): .null
        case (.integer16, .integer(let number)), (.integer32, .integer(let number)),
            (.integer64, .integer(let number)):
            .integer(number)
        case (.integer16, .real(let number)), (.integer32, .real(let number)),
            (.integer64, .real(let number)):
            Int64(exactly: number).map { .integer($0) }
        case (.boolean, .integer(let number)): .boolean(number != 0)
        case (.double, .integer(let number)), (.float, .integer(let number)):
            .double(Double(number))
        // Adding 0 turns -0.0 into 0.0, as for every value that is set.
        case (.double, .real(let number)), (.float, .real(let number)): .double(number + 0)
        case (.decimal, .integer(let number)): .decimal(Decimal(number))
        case (.decimal, .real(let number)):
            number.isFinite ? .decimal(Decimal(number)) : nil
        case (.decimal, .decimal(let number)): .decimal(number)
        case (.double, .decimal(let number)), (.float, .decimal(let number)):
            .double(NSDecimalNumber(decimal: number).doubleValue)
        case (.string, .text(let text)): .text(StoredText(text))
        case (.date, .date(let seconds)):
            .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.binaryData, .data(let data)): .binary(data)
        case (.uuid, .uuid(let identifier)): .uuid(identifier)
        case (.uri, .uri(let text)): .uri(StoredText(text))
        default: nil
        }
    }
}
