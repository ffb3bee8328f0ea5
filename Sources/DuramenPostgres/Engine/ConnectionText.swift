import DuramenStore
import Foundation

/// The text that says where a store is, cut into libpq's parameters and ours.
///
/// libpq refuses parameters that it does not know, and its messages repeat the text with the
/// password. So the names are checked here, before libpq reads anything.
struct ConnectionText {
    /// The text without our own parameters.
    private(set) var forLibpq = ""
    /// Our own parameters.
    private(set) var own: [String: String] = [:]

    /// Our own parameters by their names.
    static let ownNames: Set<String> = [
        "schema", "connections", "allow", "notices", "read_timeout",
    ]

    /// Cuts a URI or a list of `name=value`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - known: The names that libpq knows.
    /// - Throws: `.invalidRequest` for an unknown or repeated parameter.
    init(_ text: String, known: Set<String>) throws(StoreError) {
        var isPasswordBefore = false
        func check(_ name: String) throws(StoreError) {
            // libpq's other names, in URIs only.
            if known.contains(name) || name == "ssl" {
                isPasswordBefore = isPasswordBefore || name == "password"
                return
            }
            // Behind a password without quotes, what looks like a name may be a part of it.
            let isName = !name.isEmpty && name.count <= 40 && !isPasswordBefore
            let shown = isName && name.allSatisfy { $0.isLowercase || $0 == "_" } ? name : nil
            throw Self.unusable(
                shown.map { "it has an unknown parameter '\($0)'; remove it." }
                    ?? "it has an unknown parameter; check names and quotes.")
        }
        if let range = text.range(of: "://") {
            let start = Self.queryStart(text[range.upperBound...])
            forLibpq = String(text[..<start])
            var kept: [Substring] = []
            for part in text[start...].dropFirst().split(separator: "&") {
                let pair = part.split(separator: "=", maxSplits: 1)
                let name = String(pair.first ?? "")
                if Self.ownNames.contains(name) {
                    try take(name, (pair.count > 1 ? String(pair[1]) : "").removingPercentEncoding)
                } else {
                    try check(name)
                    kept.append(part)
                }
            }
            if !kept.isEmpty { forLibpq += "?" + kept.joined(separator: "&") }
        } else {
            var kept: [Substring] = []
            for pair in try Self.pairs(text[...]) {
                if Self.ownNames.contains(pair.name) {
                    try take(pair.name, pair.value)
                } else {
                    try check(pair.name)
                    kept.append(pair.text)
                }
            }
            forLibpq = kept.joined(separator: " ")
        }
    }

    /// Returns the error for a text that cannot be used.
    static func unusable(_ why: String) -> StoreError {
        StoreError(.invalidRequest, "Cannot use the text that says where the store is: \(why)")
    }

    private mutating func take(_ name: String, _ value: String?) throws(StoreError) {
        guard let value, !value.isEmpty, own.updateValue(value, forKey: name) == nil else {
            throw Self.unusable("its parameter '\(name)' is empty or repeated; give it once.")
        }
    }

    /// Where the parameters of a URI begin. A question mark may also be in the password.
    private static func queryStart(_ rest: Substring) -> String.Index {
        var from = rest.startIndex
        if let end = rest.firstIndex(where: { $0 == "@" || $0 == "/" }), rest[end] == "@" {
            from = end
        }
        return rest[from...].firstIndex(of: "?") ?? rest.endIndex
    }

    private struct Pair {
        let name: String
        let value: String
        let text: Substring
    }

    /// Cuts `name = 'value'` pairs as libpq does: blanks around the sign, quotes, backslashes.
    private static func pairs(_ text: Substring) throws(StoreError) -> [Pair] {
        var pairs: [Pair] = []
        var rest = text.drop(while: \.isWhitespace)
        while !rest.isEmpty {
            let begin = rest
            let name = rest.prefix { $0 != "=" && !$0.isWhitespace }
            rest = rest.dropFirst(name.count).drop(while: \.isWhitespace)
            guard rest.first == "=" else {
                throw unusable("a parameter has no '='; check names and quotes.")
            }
            rest = rest.dropFirst().drop(while: \.isWhitespace)
            let isQuoted = rest.first == "'"
            if isQuoted { rest = rest.dropFirst() }
            var value = ""
            var isClosed = !isQuoted
            while let next = rest.first {
                if isQuoted ? next == "'" : next.isWhitespace { break }
                rest = rest.dropFirst()
                if next == "\\", let escaped = rest.first {
                    value.append(escaped)
                    rest = rest.dropFirst()
                } else if next != "\\" {
                    value.append(next)
                }
            }
            if isQuoted, rest.first == "'" {
                rest = rest.dropFirst()
                isClosed = true
            }
            guard isClosed else { throw unusable("a quote is not closed; check the quotes.") }
            pairs.append(
                Pair(
                    name: String(name), value: value,
                    text: begin[..<rest.startIndex]))
            rest = rest.drop(while: \.isWhitespace)
        }
        return pairs
    }
}
