import Foundation

/// A token of a format string.
struct FormatToken {
    enum Kind: Equatable {
        case end
        /// A name, or a reserved word in any case.
        case word(String)
        /// A name that is not a reserved word, because `#` precedes it.
        case name(String)
        /// The name of a function with colons, such as `add:to:`.
        case selector(String)
        /// A variable: `$name`.
        case variable(String)
        /// A collection operator: `@name`.
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
    /// The position of the token in bytes.
    var start: Int
    /// The reserved word; nil for any other token.
    var reserved: ReservedWord?
    /// The operator of the word or sign between two operands; nil if there is none.
    var `operator`: FormatOperator?
}

/// One sign, or a pair of signs.
struct FormatSign: Hashable, ExpressibleByStringLiteral {
    /// The first byte, and eight bits higher the second byte.
    private let bytes: UInt16

    init(_ first: UInt8, _ second: UInt8 = 0) { bytes = UInt16(first) | UInt16(second) << 8 }

    init(stringLiteral text: StaticString) {
        self = text.withUTF8Buffer { FormatSign($0[0], $0.count > 1 ? $0[1] : 0) }
    }

    /// Creates a sign from its spelling; nil for a word.
    init?(_ spelling: String) {
        let bytes = Array(spelling.utf8)
        guard let first = bytes.first, !FormatText.isIdentifierStart(first) else { return nil }
        self.init(first, bytes.count > 1 ? bytes[1] : 0)
    }

    /// Creates a sign from two bytes; nil if they are not a pair.
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

    /// Returns whether a byte is a sign by itself.
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

/// The kind of argument for a placeholder. Several letters of C have one meaning.
enum FormatPlaceholder: Equatable {
    /// `%@`: any value.
    case value
    /// `%K`: a key path.
    case keyPath
    /// `%s` and `%c`: text.
    case text(letters: String)
    /// `%f` and similar: a number.
    case number(letters: String)
    /// `%d` and similar: an integer.
    case whole(letters: String)

    /// Creates a placeholder.
    ///
    /// - Parameters:
    ///   - conversion: The last letter.
    ///   - letters: The letters after the `%`.
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
