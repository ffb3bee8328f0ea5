import Foundation

/// The conversion of values of one type to another type. A value is converted exactly or not at
/// all.
public struct ValueConversion: Sendable, Hashable {
    /// The type of the values before the conversion.
    public let source: AttributeType
    /// The type of the values after the conversion.
    public let target: AttributeType
    /// Whether every value of the source type can be converted.
    public let isLossless: Bool

    /// Creates the conversion between two types; nil if there is none.
    public init?(from source: AttributeType, to target: AttributeType) {
        guard let isLossless = Self.isLossless(source, target) else { return nil }
        self.source = source
        self.target = target
        self.isLossless = isLossless
    }

    private static let integerBits: [AttributeType: Int] = [
        .boolean: 1, .integer16: 16, .integer32: 32, .integer64: 64,
    ]
    /// The number of bits of an integer that floating-point numbers represent exactly.
    private static let mantissaBits: [AttributeType: Int] = [.float: 24, .double: 53]

    private static func isLossless(_ source: AttributeType, _ target: AttributeType) -> Bool? {
        if source == target { return true }
        // A URI is stored as its text, and an encoded value as its bytes.
        let alike: [Set<AttributeType>] = [[.uri, .string], [.transformable, .binaryData]]
        if alike.contains([source, target]) { return true }
        if let bits = integerBits[source] {
            if let others = integerBits[target] { return bits <= others }
            if let others = mantissaBits[target], source != .boolean { return bits <= others }
            return target == .decimal && source != .boolean ? true : nil
        }
        if let bits = mantissaBits[source] {
            if let others = mantissaBits[target] { return bits <= others }
            return integerBits[target] != nil && target != .boolean ? false : nil
        }
        if source == .decimal, target != .boolean {
            return integerBits[target] != nil || mantissaBits[target] != nil ? false : nil
        }
        return nil
    }

    /// Converts a value; returns nil if the target type cannot represent it. Null stays null.
    public func converted(_ value: StoredValue) -> StoredValue? {
        if value.isNull || source == target { return value }
        switch value {
        case .integer(let number): return converted(number)
        case .boolean(let flag): return converted(flag ? Int64(1) : 0)
        case .double(let number): return converted(number)
        case .decimal(let number): return converted(number)
        case .text(let text): return target == .uri ? .uri(text) : nil
        case .uri(let text): return target == .string ? .text(text) : nil
        case .binary: return value
        default: return nil
        }
    }

    private func converted(_ number: Int64) -> StoredValue? {
        switch target {
        case .boolean: return number == 0 || number == 1 ? .boolean(number == 1) : nil
        case .integer16: return Int16(exactly: number).map { .integer(Int64($0)) }
        case .integer32: return Int32(exactly: number).map { .integer(Int64($0)) }
        case .integer64: return .integer(number)
        case .double: return Double(exactly: number).map { .double($0) }
        case .float: return Float(exactly: number).map { .double(Double($0)) }
        case .decimal: return .decimal(Decimal(number))
        default: return nil
        }
    }

    private func converted(_ number: Double) -> StoredValue? {
        switch target {
        case .double: .double(number)
        case .float: Double(Float(number)) == number ? .double(number) : nil
        default: Int64(exactly: number).flatMap { converted($0) }
        }
    }

    private func converted(_ number: Decimal) -> StoredValue? {
        switch target {
        case .double, .float:
            let double = NSDecimalNumber(decimal: number).doubleValue
            guard double.isFinite, Decimal(string: "\(double)") == number else { return nil }
            return converted(double)
        default:
            guard let whole = Int64("\(number)") else { return nil }
            return converted(whole)
        }
    }
}
