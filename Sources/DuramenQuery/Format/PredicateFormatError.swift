public import DuramenModel

/// An error that says why a format string cannot be parsed.
public struct PredicateFormatError: Error, Sendable, Hashable {
    /// The kind of the error.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling, a heading in `docs/errors.md`.
        public let rawValue: String

        /// Creates a code with the given spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Something else is expected at this position.
        public static let syntax = Code(rawValue: "syntax")
        /// A text, a name or a number is incomplete or not permitted.
        public static let invalidLiteral = Code(rawValue: "invalidLiteral")
        /// A function, a type or a selector is unknown.
        public static let unknownName = Code(rawValue: "unknownName")
        /// The numbers of arguments and placeholders differ, or an argument has the wrong type.
        public static let argumentMismatch = Code(rawValue: "argumentMismatch")
        /// A variable has no value.
        public static let missingVariable = Code(rawValue: "missingVariable")
        /// The predicate is nested more than 128 deep or has more than 40 000 parts, or a key path
        /// has more than 128 steps.
        public static let tooComplex = Code(rawValue: "tooComplex")
    }

    /// The kind of the error.
    public let code: Code
    /// The format string.
    public let format: String
    /// The position of the error, in Unicode scalars from the beginning of the format string.
    public let offset: Int
    /// A description of the problem and its remedy.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, format: String, offset: Int, _ message: String) {
        self.code = code
        self.format = format
        self.offset = offset
        self.message = message
    }

    /// Creates an error at a position in bytes.
    init(_ code: Code, format: String, byteOffset: Int, _ message: String) {
        // Continuation bytes of a character do not count.
        let offset = format.utf8.prefix(byteOffset).count { $0 & 0xC0 != 0x80 }
        self.init(code, format: format, offset: offset, message)
    }
}

extension PredicateFormatError: DescribedError {
    /// The message, and below it the line of the format string with a caret at the position.
    public var description: String {
        let scalars = Array(format.unicodeScalars)
        let place = min(max(offset, 0), scalars.count)
        let start = scalars[..<place].lastIndex(of: "\n").map { $0 + 1 } ?? 0
        let end = scalars[place...].firstIndex(of: "\n") ?? scalars.count
        // Long lines are cut, so that the caret stays in view.
        let first = max(start, place - 60)
        let last = min(end, place + 40)
        let line = (first > start ? "…" : "") + text(scalars[first..<last])
        let indent = String(repeating: " ", count: place - first + (first > start ? 1 : 0))
        return "\(message) [\(code.rawValue)]\n  \(line)\(last < end ? "…" : "")\n  \(indent)^"
    }

    private func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        // A control character would move the caret.
        for scalar in scalars {
            let isControl =
                scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
            view.append(isControl ? " " : scalar)
        }
        return String(view)
    }
}
