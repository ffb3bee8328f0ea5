import DuramenModel
import Foundation

/// A value of a feed does not suit its property.
struct UnsuitableValue: Error {
    /// The reason, as the end of a sentence that begins with the property.
    let problem: String
}

extension JSONReader {
    /// Reads a value of an attribute.
    ///
    /// - Throws: ``JSONMistake``, or ``UnsuitableValue``.
    mutating func readValue(of field: ImportPlan.AttributeField) throws -> StoredValue {
        let attribute = field.attribute
        let kind = try kind()
        if kind == .null {
            try readNull()
            return .null
        }
        let value: StoredValue
        switch attribute.kind {
        case .integer: value = .integer(try readInteger(kind))
        case .double, .float: value = .double(try readDouble(kind))
        case .decimal: value = .decimal(try readDecimal(kind))
        case .boolean: value = .boolean(try readFlag(kind))
        case .date: value = .date(try readDate(kind, field.dateFormat))
        case .text: value = .text(StoredText(try readText(kind)))
        case .uri: value = .uri(StoredText(try readText(kind)))
        case .uuid:
            guard let uuid = UUID(uuidString: try readText(kind)) else {
                throw UnsuitableValue(problem: "needs a UUID in its usual form")
            }
            value = .uuid(uuid)
        case .binary:
            guard let data = Data(base64Encoded: try readText(kind)) else {
                throw UnsuitableValue(problem: "needs bytes in Base64")
            }
            value = .binary(data)
        case .transformable: value = try readEncoded(attribute)
        case .reference, .referenceEntity:
            throw UnsuitableValue(problem: "is not an attribute")
        }
        if let problem = attribute.type.problem(with: value) {
            throw UnsuitableValue(problem: problem)
        }
        return attribute.type.stored(value)
    }

    private mutating func readText(_ kind: Kind) throws -> String {
        guard kind == .string else { throw UnsuitableValue(problem: "needs a string") }
        return try readString()
    }

    private mutating func readDigits(_ kind: Kind) throws -> String {
        guard kind == .number else { throw UnsuitableValue(problem: "needs a number") }
        return String(decoding: bytes[try readNumber()], as: UTF8.self)
    }

    private mutating func readInteger(_ kind: Kind) throws -> Int64 {
        let digits = try readDigits(kind)
        if let number = Int64(digits) { return number }
        // Such as 5.0 or 1e3.
        guard let number = Decimal(string: digits, locale: Self.locale),
            let whole = Int64("\(number)")
        else { throw UnsuitableValue(problem: "needs a whole number of 64 bits") }
        return whole
    }

    private mutating func readDouble(_ kind: Kind) throws -> Double {
        guard let number = Double(try readDigits(kind)), number.isFinite else {
            throw UnsuitableValue(problem: "needs a number in the range of a double")
        }
        return number
    }

    /// Decimals are also written as strings, since many writers of JSON round numbers.
    private mutating func readDecimal(_ kind: Kind) throws -> Decimal {
        let digits = kind == .string ? try readString() : try readDigits(kind)
        var number = JSONReader(Array(digits.utf8), 0..<digits.utf8.count)
        guard (try? number.readNumber()) == 0..<digits.utf8.count,
            let decimal = Decimal(string: digits, locale: Self.locale), !decimal.isNaN
        else {
            throw UnsuitableValue(problem: "needs a number of at most 38 digits")
        }
        return decimal
    }

    private mutating func readFlag(_ kind: Kind) throws -> Bool {
        if kind == .boolean { return try readBoolean() }
        if kind == .number {
            switch try readDigits(kind) {
            case "0": return false
            case "1": return true
            default: break
            }
        }
        throw UnsuitableValue(problem: "needs true or false")
    }

    private mutating func readDate(_ kind: Kind, _ format: ImportDateFormat) throws -> Date {
        switch format {
        case .iso8601:
            guard kind == .string, let date = ISO8601Date.date(of: try readString()) else {
                throw UnsuitableValue(
                    problem: "needs a date as 2026-11-28T09:30:00Z; or name the form of dates")
            }
            return date
        case .secondsSince1970: return Date(timeIntervalSince1970: try readDouble(kind))
        case .millisecondsSince1970:
            return Date(timeIntervalSince1970: try readDouble(kind) / 1_000)
        case .secondsSinceReferenceDate:
            return Date(timeIntervalSinceReferenceDate: try readDouble(kind))
        }
    }

    /// Takes JSON as the value of a transformable attribute, in the form that its type writes.
    private mutating func readEncoded(_ attribute: Attribute) throws -> StoredValue {
        let data = Data(bytes[try skip()])
        guard let type = attribute.codableType else {
            throw UnsuitableValue(problem: "has no type that is read from JSON")
        }
        do throws(CodingFailure) {
            return .binary(try type.data(of: try type.value(of: data)))
        } catch {
            throw UnsuitableValue(problem: error.problem)
        }
    }

    private static let locale = Locale(identifier: "en_US_POSIX")
}
