import DuramenModel
import Foundation

/// Values as text that is the same on every machine.
enum ValueText {
    /// The most bytes that are shown in Base64.
    static let shortBytes = 32

    static func of(_ value: StoredValue, _ attribute: Attribute) -> String {
        switch value {
        case .null: "nil"
        case .integer(let number): String(number)
        case .double(let number):
            attribute.kind == .float ? "\(Float(number))" : "\(number)"
        case .decimal(let number): number.description
        case .boolean(let flag): String(flag)
        case .text(let text), .uri(let text): quoted(text.string)
        case .date(let date): DateText.of(date)
        case .uuid(let uuid): uuid.uuidString
        case .binary(let data):
            attribute.codableType == nil ? bytes(data) : json(data) ?? bytes(data)
        // Attributes have no references.
        case .objectID: "reference"
        }
    }

    /// Text in quotes, with the escapes of Swift.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where isInvisible(scalar):
                quoted += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Whether a scalar would break a line or hide in it.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// An encoded value as it is stored; nil if that is not JSON on one line.
    private static func json(_ data: Data) -> String? {
        guard (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil,
            let text = String(validating: data, as: UTF8.self),
            !text.unicodeScalars.contains(where: isInvisible)
        else { return nil }
        return text
    }

    private static func bytes(_ data: Data) -> String {
        let count = data.count == 1 ? "1 byte" : "\(data.count) bytes"
        if data.isEmpty { return count }
        if data.count <= shortBytes { return "\(count), Base64 \(data.base64EncodedString())" }
        let digest = data.withUnsafeBytes { ContentHash.sha256(of: $0) }
        return "\(count), SHA-256 " + digest.prefix(8).map(hexadecimal).joined()
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
