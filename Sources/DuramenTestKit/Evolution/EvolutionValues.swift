import DuramenModel
import Foundation

/// Values of all types for models that change.
enum EvolutionValues {
    static let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date,
        .binaryData, .uuid, .uri,
    ]

    private static let names: [AttributeType: String] = [
        .integer16: "small", .integer32: "medium", .integer64: "large", .decimal: "exact",
        .double: "real", .float: "single", .string: "text", .boolean: "flag", .date: "moment",
        .binaryData: "bytes", .uuid: "token", .uri: "link",
    ]

    static func value(_ type: AttributeType, _ random: inout SplitMix64) -> StoredValue {
        names[type].flatMap { SampleValues.all[$0]?.randomElement(using: &random) } ?? .null
    }

    /// The value converted to another type; nil if that is impossible.
    static func converted(_ value: StoredValue, to type: AttributeType) -> StoredValue? {
        switch (value, type) {
        case (.null, _): .null
        case (.integer(let number), .integer16):
            (-32_768...32_767).contains(number) ? value : nil
        case (.integer(let number), .integer32):
            (-2_147_483_648...2_147_483_647).contains(number) ? value : nil
        case (.integer, .integer64): value
        case (.integer(let number), .double):
            Double(exactly: number).map { .double($0) }
        case (.integer(let number), .decimal): .decimal(Decimal(number))
        case (.boolean(let flag), _): .integer(flag ? 1 : 0)
        case (.double, .double): value
        case (.double(let number), .integer32):
            Int32(exactly: number).map { .integer(Int64($0)) }
        case (.text(let text), .uri): .uri(text)
        case (.uri(let text), .string): .text(text)
        default: nil
        }
    }

    /// The types to which edits change a type.
    static func targets(of type: AttributeType) -> [AttributeType] {
        switch type {
        case .integer16: [.integer32, .integer64, .decimal, .double]
        case .integer32: [.integer64, .decimal, .double, .integer16]
        case .integer64: [.decimal, .integer32, .double]
        case .boolean: [.integer16, .integer32, .integer64]
        case .float: [.double]
        case .double: [.integer32]
        case .string: [.uri]
        case .uri: [.string]
        default: []
        }
    }
}
