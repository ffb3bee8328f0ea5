import DuramenModel
import Foundation

extension ForeignValue {
    /// Creates the value that a model file writes as this text.
    init(_ text: String, type: AttributeType) {
        // A cleared field in the editor leaves an empty text, which is a value only for text.
        if text.isEmpty, type != .string {
            self = .none
            return
        }
        self = Self.value(text, type) ?? .foreign(text)
    }

    private static func value(_ text: String, _ type: AttributeType) -> ForeignValue? {
        switch type {
        case .integer16, .integer32, .integer64:
            Int64(text).map { .integer($0) } ?? Double(text).map { .real($0) } ?? flag(text)
        case .double, .float: Double(text).map { .real($0) } ?? flag(text)
        case .decimal: decimal(text).map { .decimal($0) } ?? flag(text)
        case .boolean: flag(text)
        case .string: .text(text)
        case .date: Double(text).flatMap { $0.isFinite ? .date($0) : nil }
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .uri: .uri(text)
        case .binaryData: Data(base64Encoded: text).map { .data($0) }
        default: nil
        }
    }

    private static func decimal(_ text: String) -> Decimal? {
        // Foundation parses a valid prefix and ignores the rest.
        guard text.wholeMatch(of: /[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]{1,3})?/) != nil else {
            return nil
        }
        return Decimal(string: text).flatMap { $0.isNaN ? nil : $0 }
    }

    /// Returns the number to which Core Data converts a word, for every type of number.
    private static func flag(_ text: String) -> ForeignValue? {
        switch text.lowercased() {
        case "yes", "true", "1": .integer(1)
        case "no", "false", "0": .integer(0)
        default: nil
        }
    }
}
