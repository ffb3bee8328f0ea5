import Foundation

/// Dates as text of ISO 8601.
enum Timestamp {
    // The years 1 to 9999, for which the text has its usual form. Files may contain any number.
    private static let usual = -63_113_904_000.0..<252_423_993_600.0 - 978_307_200

    /// Returns the text, to the microsecond; without a fraction if it is zero.
    static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        guard usual.contains(seconds) else { return "2001-01-01T00:00:00Z \(seconds) s" }
        var whole = seconds.rounded(.down)
        var fraction = Int(((seconds - whole) * 1_000_000).rounded())
        if fraction == 1_000_000 { (whole, fraction) = (whole + 1, 0) }
        let text = Date(timeIntervalSinceReferenceDate: whole).ISO8601Format()
        if fraction == 0 { return text }
        var digits = String(String(fraction + 1_000_000).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(text.dropLast()).\(digits)Z"
    }

    /// Parses a date with or without fractional seconds, or a day, which starts in UTC.
    static func date(_ text: String) -> Date? {
        let styles: [Date.ISO8601FormatStyle] = [
            .iso8601, .init(includingFractionalSeconds: true), .iso8601.year().month().day(),
        ]
        for style in styles {
            if let date = try? Date(text, strategy: style) { return date }
        }
        return nil
    }
}
