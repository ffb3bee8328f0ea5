import DocumentationSupport

/// One kind of an error, as `docs/errors.md` names it: a heading of the type, below it one of the
/// code.
struct ErrorCode: Hashable, Comparable, CustomStringConvertible {
    var type: String
    var code: String

    var description: String { "\(type) \(code)" }

    static func < (a: ErrorCode, b: ErrorCode) -> Bool { a.description < b.description }
}

extension ErrorCode {
    /// The codes that the sources declare: open sets by their spelling, closed ones by their cases.
    static func declared() throws -> Set<ErrorCode> {
        var codes: Set<ErrorCode> = []
        for path in try Repository.files(in: "Sources", withExtension: "swift") {
            let source = try Repository.text(path)
            let spellings = source.matches(of: #/= Code\(rawValue: "(\w+)"\)/#).map(\.output.1)
            let cases =
                source.contains("struct SaveConflictError") || source.contains("enum Code: ")
                ? closedCases(source) : []
            if spellings.isEmpty, cases.isEmpty { continue }
            let type = source.firstMatch(of: /(?:struct|extension) (\w+Error)\b/)?.output.1
            for code in spellings + cases {
                codes.insert(
                    ErrorCode(type: String(type ?? "unnamed in \(path)"), code: String(code)))
            }
        }
        return codes
    }

    private static func closedCases(_ source: String) -> [Substring] {
        guard let start = source.firstRange(of: /enum (?:Kind|Code)\b/)?.upperBound else {
            return []
        }
        let body = source[start...].prefix { $0 != "}" }
        return body.matches(of: /\bcase (\w+)/).map(\.output.1)
    }

    /// The codes that `docs/errors.md` has a heading for.
    static func documented() throws -> [ErrorCode] {
        var codes: [ErrorCode] = []
        var type = ""
        for line in try Repository.text("docs/errors.md").split(separator: "\n") {
            if let match = line.wholeMatch(of: #/## (\w+)/#) {
                type = String(match.output.1)
            } else if let match = line.wholeMatch(of: #/### (\w+)/#) {
                codes.append(ErrorCode(type: type, code: String(match.output.1)))
            }
        }
        return codes
    }
}
