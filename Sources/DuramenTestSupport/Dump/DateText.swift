import Foundation

/// Dates as ISO 8601 in UTC, with as many digits of the second as the date has.
enum DateText {
    static func of(_ date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        let whole = seconds.rounded(.down)
        // The years have at most nine digits; beyond, a double has no whole seconds.
        guard abs(whole) < 0x1p53 else { return "\(seconds) s after 2001-01-01T00:00:00Z" }
        let second = Int(whole) + 978_307_200
        let day = second >= 0 ? second / 86_400 : (second - 86_399) / 86_400
        let time = second - day * 86_400
        let clock = [time / 3_600, time / 60 % 60, time % 60].map { padded($0, 2) }
        return "\(civil(day))T\(clock.joined(separator: ":"))\(fraction(seconds, whole))Z"
    }

    /// The shortest digits that give the same date again, at most nine.
    private static func fraction(_ seconds: Double, _ whole: Double) -> String {
        let part = seconds - whole
        if part == 0 { return "" }
        var scale = 1.0
        for digits in 1...9 {
            scale *= 10
            // Never rounded up to the next second.
            let number = min((part * scale).rounded(), scale - 1)
            if digits == 9 || whole + number / scale == seconds {
                return "." + padded(Int(number), digits)
            }
        }
        return ""
    }

    /// The day in the Gregorian calendar, also before it began. The year is counted from March, so
    /// that the leap day is its last.
    private static func civil(_ day: Int) -> String {
        let day = day + 719_468
        let era = (day >= 0 ? day : day - 146_096) / 146_097
        let dayOfEra = day - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let dayOfMonth = dayOfYear - (153 * shifted + 2) / 5 + 1
        return "\(year < 0 ? "-" : "")\(padded(abs(year), 4))-\(padded(month, 2))-"
            + padded(dayOfMonth, 2)
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
