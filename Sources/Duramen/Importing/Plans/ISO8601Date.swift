import Foundation

/// Reads dates such as `2026-11-28`, `2026-11-28T09:30`, `2026-11-28 09:30:00.25+01:00`.
package enum ISO8601Date {
    /// The date of a text; nil when it is not one.
    package static func date(of text: String) -> Date? {
        var text = Array(text.utf8)[...]
        guard let year = number(&text, 4), take("-", &text), let month = number(&text, 2),
            take("-", &text), let day = number(&text, 2), (1...12).contains(month),
            (1...daysOfMonth(month, year)).contains(day)
        else { return nil }
        var seconds = Double(days(year, month, day)) * 86_400
        if text.isEmpty { return Date(timeIntervalSince1970: seconds) }
        guard take("T", &text) || take("t", &text) || take(" ", &text),
            let hour = number(&text, 2), take(":", &text), let minute = number(&text, 2),
            hour < 24, minute < 60
        else { return nil }
        seconds += Double(hour * 3_600 + minute * 60)
        if take(":", &text) {
            // A leap second is the first one of the next minute.
            guard let second = number(&text, 2), second <= 60 else { return nil }
            seconds += Double(second)
            if take(".", &text) || take(",", &text) {
                let digits = text.prefix { (0x30...0x39).contains($0) }
                guard !digits.isEmpty,
                    let part = Double("0." + String(decoding: digits, as: UTF8.self))
                else { return nil }
                seconds += part
                text = text.dropFirst(digits.count)
            }
        }
        if text.isEmpty || take("Z", &text) || take("z", &text) {
            return text.isEmpty ? Date(timeIntervalSince1970: seconds) : nil
        }
        let isWest = take("-", &text)
        guard isWest || take("+", &text), let hours = number(&text, 2) else { return nil }
        _ = take(":", &text)
        let minutes = text.isEmpty ? 0 : number(&text, 2) ?? 60
        guard text.isEmpty, hours < 24, minutes < 60 else { return nil }
        let offset = Double(hours * 3_600 + minutes * 60)
        return Date(timeIntervalSince1970: seconds + (isWest ? offset : -offset))
    }

    private static func number(_ text: inout ArraySlice<UInt8>, _ count: Int) -> Int? {
        guard text.count >= count else { return nil }
        var number = 0
        for byte in text.prefix(count) {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        text = text.dropFirst(count)
        return number
    }

    private static func take(_ mark: Unicode.Scalar, _ text: inout ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: mark) else { return false }
        text = text.dropFirst()
        return true
    }

    private static func daysOfMonth(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The days since 1 January 1970, in the Gregorian calendar, also before it began. The year is
    /// counted from March, so that the leap day is its last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
