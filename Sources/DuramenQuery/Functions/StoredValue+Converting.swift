package import DuramenModel

extension StoredValue {
    /// Returns the value in the form that attributes of a type store; nil if it cannot be
    /// converted. Numbers are converted to each other if only digits beyond the precision of a
    /// double are lost.
    package func converted(to type: AttributeType) -> StoredValue? {
        if isNull { return self }
        switch type {
        case .integer16, .integer32, .integer64:
            return Number(self)?.whole.map { .integer($0) }
        case .double, .float: return Number(self).map { .double($0.double + 0.0) }
        case .decimal: return Number(self) == nil ? nil : FetchCast.decimal.value(of: self)
        case .boolean:
            if case .boolean = self { return self }
            guard let number = Number(self)?.whole, 0...1 ~= number else { return nil }
            return .boolean(number == 1)
        case .string: return textValue.map { .text($0) }
        case .uri: return textValue.map { .uri($0) }
        default: return self
        }
    }
}
