import Foundation

/// A word of a format string.
struct FormatToken {
    enum Kind: Equatable {
        case end
        /// A name, or a reserved word in any case.
        case word(String)
        /// A name that is no reserved word, since `#` stands before it.
        case name(String)
        /// The name of a function with colons, such as `add:to:`.
        case selector(String)
        /// `$name`
        case variable(String)
        /// `@name`
        case collectionOperator(String)
        case text(String)
        case integer(UInt64)
        case double(Double)
        case decimal(Decimal)
        /// A placeholder for an argument.
        case placeholder(FormatPlaceholder)
        case sign(FormatSign)
    }

    var kind: Kind
    /// Where it stands, in bytes.
    var start: Int
    /// What a word means that is reserved.
    var reserved: ReservedWord?
    /// What the word or sign stands for between two pieces.
    var `operator`: FormatOperator?
}

/// One sign, or two that stand together.
struct FormatSign: Hashable, ExpressibleByStringLiteral {
    /// The first byte, and eight bits higher the second one.
    private let bytes: UInt16

    init(_ first: UInt8, _ second: UInt8 = 0) { bytes = UInt16(first) | UInt16(second) << 8 }

    init(stringLiteral text: StaticString) {
        self = text.withUTF8Buffer { FormatSign($0[0], $0.count > 1 ? $0[1] : 0) }
    }

    /// The sign that a text is; nil for a word.
    init?(_ spelling: String) {
        let bytes = Array(spelling.utf8)
        guard let first = bytes.first, !FormatText.isIdentifierStart(first) else { return nil }
        self.init(first, bytes.count > 1 ? bytes[1] : 0)
    }

    /// Two bytes that stand together; nil for others.
    init?(pair first: UInt8, _ second: UInt8) {
        switch (first, second) {
        case (UInt8(ascii: "&"), UInt8(ascii: "&")), (UInt8(ascii: "|"), UInt8(ascii: "|")),
            (UInt8(ascii: "*"), UInt8(ascii: "*")), (UInt8(ascii: "!"), UInt8(ascii: "=")),
            (UInt8(ascii: ":"), UInt8(ascii: "=")), (UInt8(ascii: "="), UInt8(ascii: "=")),
            (UInt8(ascii: "="), UInt8(ascii: "<")), (UInt8(ascii: "="), UInt8(ascii: ">")),
            (UInt8(ascii: "<"), UInt8(ascii: "=")), (UInt8(ascii: "<"), UInt8(ascii: "<")),
            (UInt8(ascii: "<"), UInt8(ascii: ">")), (UInt8(ascii: ">"), UInt8(ascii: "=")),
            (UInt8(ascii: ">"), UInt8(ascii: ">")):
            self.init(first, second)
        default: return nil
        }
    }

    /// Whether a byte is a sign by itself.
    static func isSingle(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "="),
            UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ","), UInt8(ascii: "."),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "/"),
            UInt8(ascii: "&"), UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension FormatSign: CustomStringConvertible {
    var description: String {
        String(
            decoding: [UInt8(bytes & 0xFF), UInt8(bytes >> 8)].filter { $0 != 0 }, as: UTF8.self)
    }
}

/// What a placeholder takes; C has many letters for the same.
enum FormatPlaceholder: Equatable {
    /// `%@`: any value.
    case value
    /// `%K`
    case keyPath
    /// `%s` and `%c`
    case text(letters: String)
    /// `%f` and the like
    case number(letters: String)
    /// `%d` and the like
    case whole(letters: String)

    /// - Parameter letters: Those behind the `%`.
    init(conversion: UInt8, letters: String) {
        switch conversion {
        case UInt8(ascii: "@"): self = .value
        case UInt8(ascii: "K"): self = .keyPath
        case UInt8(ascii: "s"), UInt8(ascii: "c"), UInt8(ascii: "C"): self = .text(letters: letters)
        case _ where "eEfFgGaA".utf8.contains(conversion): self = .number(letters: letters)
        default: self = .whole(letters: letters)
        }
    }
}
