/// A stanza that could not be read, and why; the reader goes on with the one after it.
public struct MalformedStanza: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with a stanza.
    public enum Reason: Sendable, Hashable {
        /// The line is neither a field, nor a continuation, nor a comment.
        case lineWithoutColon
        /// What stands before the colon cannot be a field name.
        case invalidFieldName
        /// The stanza begins with an indented line.
        case continuationBeforeField
        /// The stanza has two fields of this name.
        case duplicateField(String)
        /// The stanza lacks this field, or has it without a value.
        case missingField(String)
        /// The text of this field is not UTF-8.
        case invalidUTF8(field: String)
        /// The text of this field breaks the field's own syntax.
        case invalidValue(field: String)
        /// The line is longer than ``PackageReader/Limits/lineBytes``.
        case overlongLine
        /// The stanza is longer than ``PackageReader/Limits/stanzaBytes``.
        case overlongStanza
        /// The stanza has more fields than ``PackageReader/Limits/fieldsPerStanza``.
        case tooManyFields
    }

    /// One thing that is wrong, and where.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// The line, counted from 1; that of the field's name when a value is wrong as a whole.
        public var line: Int
        /// What is wrong there.
        public var reason: Reason

        /// Creates a problem at a line.
        public init(line: Int, reason: Reason) {
            self.line = line
            self.reason = reason
        }

        /// The line and the reason in words; it never repeats what the file has as a value.
        public var description: String { "line \(line) \(reason.explanation)" }
    }

    /// The first and the last line of the stanza, counted from 1.
    public var lines: ClosedRange<Int>
    /// The value of the `Package` field when that much could be read.
    public var packageName: String?
    /// What is wrong, in the order of lines: at least one problem and at most
    /// ``PackageReader/Limits/problemsPerStanza``.
    public var problems: [Problem]
    /// How many more problems were found than ``problems`` lists.
    public var unlistedProblemCount: Int

    /// Creates the report of one stanza.
    public init(
        lines: ClosedRange<Int>, packageName: String?, problems: [Problem],
        unlistedProblemCount: Int = 0
    ) {
        self.lines = lines
        self.packageName = packageName
        self.problems = problems
        self.unlistedProblemCount = unlistedProblemCount
    }

    /// One line of text that names the stanza and lists the problems.
    public var description: String {
        let subject = packageName.map { "package '\($0)'" } ?? "a stanza without a usable name"
        var text = "\(subject), lines \(lines.lowerBound)-\(lines.upperBound): "
        text += problems.map(\.description).joined(separator: "; ")
        if unlistedProblemCount > 0 { text += "; and \(unlistedProblemCount) more" }
        return text
    }
}

extension MalformedStanza.Reason {
    /// The reason as the predicate of a sentence about the line.
    fileprivate var explanation: String {
        switch self {
        case .lineWithoutColon: "has no colon after a field name"
        case .invalidFieldName: "has no valid field name before its colon"
        case .continuationBeforeField: "continues a field, but none precedes it"
        case .duplicateField(let name): "repeats the field '\(name)'"
        case .missingField(let name): "begins a stanza without '\(name)'"
        case .invalidUTF8(let name): "has text in '\(name)' that is not UTF-8"
        case .invalidValue(let name): "has a value that '\(name)' does not allow"
        case .overlongLine: "is longer than the limit for lines"
        case .overlongStanza: "exceeds the limit for the length of a stanza"
        case .tooManyFields: "exceeds the limit for the number of fields"
        }
    }
}
