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
        /// A placeholder for an argument, without its `%`.
        case placeholder(String)
        /// Signs, as the longest that stand together.
        case sign(String)
    }

    var kind: Kind
    /// Where it stands, in Unicode scalars.
    var start: Int
    var end: Int

    /// The word in upper case, for reserved words.
    var keyword: String? {
        if case .word(let word) = kind { word.uppercased() } else { nil }
    }
}
