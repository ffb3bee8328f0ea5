import Foundation

extension StoredValue {
    /// Returns the order of two values. Every store uses this order.
    ///
    /// Numbers compare by value across integers, doubles, decimals and Booleans. Text and URIs
    /// compare by bytes, dates by time, and bytes, UUIDs and object IDs by their bytes or keys.
    /// - Returns: A negative number, zero or a positive number; nil if the values have no order,
    ///   because one is null or their kinds cannot be compared.
    public static func order(_ a: StoredValue, _ b: StoredValue) -> Int? {
        switch (a, b) {
        case (.integer(let x), .integer(let y)): sign(x, y)
        case (.double(let x), .double(let y)): sign(x, y)
        case (.text(let x), .text(let y)), (.uri(let x), .uri(let y)),
            (.text(let x), .uri(let y)), (.uri(let x), .text(let y)):
            x.withUTF8 { left in y.withUTF8 { right in StoredText.compare(left, right) } }
        case (.date(let x), .date(let y)):
            sign(x.timeIntervalSinceReferenceDate, y.timeIntervalSinceReferenceDate)
        case (.binary(let x), .binary(let y)):
            x.withUnsafeBytes { left in y.withUnsafeBytes { StoredText.compare(left, $0) } }
        case (.uuid(let x), .uuid(let y)):
            withUnsafeBytes(of: x.uuid) { left in
                withUnsafeBytes(of: y.uuid) { StoredText.compare(left, $0) }
            }
        case (.objectID(let x), .objectID(let y)): x == y ? 0 : (x < y ? -1 : 1)
        default: numericOrder(a, b)
        }
    }

    private static func numericOrder(_ a: StoredValue, _ b: StoredValue) -> Int? {
        if let x = a.wholeNumber, let y = b.wholeNumber { return sign(x, y) }
        if case .decimal(let x) = a, case .double(let y) = b { return x.order(against: y) }
        if case .double(let x) = a, case .decimal(let y) = b {
            return y.order(against: x).map { -$0 }
        }
        if let x = a.decimalNumber, let y = b.decimalNumber { return sign(x, y) }
        // An integer and a double are compared exactly, since a 64-bit integer can have more
        // digits.
        if let x = a.wholeNumber, case .double(let y) = b { return order(x, y) }
        if case .double(let x) = a, let y = b.wholeNumber { return order(y, x).map { -$0 } }
        return nil
    }

    private var wholeNumber: Int64? {
        switch self {
        case .integer(let value): value
        case .boolean(let value): value ? 1 : 0
        default: nil
        }
    }

    private var decimalNumber: Decimal? {
        switch self {
        case .decimal(let value): value
        case .integer(let value): Decimal(value)
        case .boolean(let value): Decimal(value ? 1 : 0)
        default: nil
        }
    }

    private static func order(_ integer: Int64, _ double: Double) -> Int? {
        if double.isNaN { return nil }
        if double >= 0x1p63 { return -1 }
        if double < -0x1p63 { return 1 }
        let whole = Int64(double.rounded(.towardZero))
        if integer != whole { return sign(integer, whole) }
        return sign(0, double - Double(whole))
    }

    private static func sign<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : (a == b ? 0 : 1) }
}
