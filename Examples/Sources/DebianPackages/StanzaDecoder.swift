/// Turns the fields of one stanza into a ``PackageStanza``.
struct StanzaDecoder {
    private let text: ArraySlice<UInt8>
    private(set) var problems: ProblemList

    init(text: ArraySlice<UInt8>, problems: ProblemList) {
        self.text = text
        self.problems = problems
    }

    /// Decodes the fields, or returns `nil` and has noted at least one problem.
    mutating func stanza(
        of fields: [StanzaAssembler.Field], seen: UInt32, lines: ClosedRange<Int>
    ) -> PackageStanza? {
        var stanza = PackageStanza(name: "", version: "", lines: lines)
        for required in [KnownField.package, .version] where seen & required.bit == 0 {
            problems.note(.missingField(required.name), line: lines.lowerBound)
        }
        for field in fields {
            if let known = field.known {
                decode(field, as: known, into: &stanza)
            } else if let value = foldedText(of: field), !value.isEmpty {
                stanza.otherFields.append(
                    PackageStanza.Field(name: nameText(of: field), value: value))
            }
        }
        return problems.isEmpty ? stanza : nil
    }

    private mutating func decode(
        _ field: StanzaAssembler.Field, as known: KnownField, into stanza: inout PackageStanza
    ) {
        switch known {
        case .package: stanza.name = required(field, \.isPackageName)
        case .version: stanza.version = required(field, \.isVersion)
        case .architecture: stanza.architecture = simpleText(of: field)
        case .priority: stanza.priority = simpleText(of: field)
        case .section: stanza.section = simpleText(of: field)
        case .homepage: stanza.homepage = simpleText(of: field)
        case .maintainer: stanza.maintainer = simpleText(of: field).map { Contact($0) }
        case .status:
            guard let text = simpleText(of: field) else { return }
            stanza.status = valid(InstallationStatus(text), field)
        case .installedSize: stanza.installedSizeKiB = number(of: field)
        case .description: decodeDescription(field, into: &stanza)
        case .preDepends: stanza.preDepends = dependencies(of: field)
        case .depends: stanza.depends = dependencies(of: field)
        case .recommends: stanza.recommends = dependencies(of: field)
        case .suggests: stanza.suggests = dependencies(of: field)
        case .provides:
            stanza.provides = valid(RelationParser.provided(in: unfolded(field)), field) ?? []
        }
    }

    // MARK: - Values

    /// A value that must be there and have a form, which implies that it is ASCII.
    private mutating func required(
        _ field: StanzaAssembler.Field, _ hasForm: (ArraySlice<UInt8>) -> Bool
    ) -> String {
        let value = unfolded(field).trimmed
        if value.isEmpty {
            problems.note(.missingField(nameText(of: field)), line: field.line)
        } else if !hasForm(value) {
            problems.note(.invalidValue(field: nameText(of: field)), line: field.line)
        }
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func number(of field: StanzaAssembler.Field) -> Int? {
        let value = unfolded(field).trimmed
        guard !value.isEmpty else { return nil }
        var number: Int? = 0
        for byte in value {
            guard byte.isDigit, let sum = number?.appending(digit: byte) else {
                number = nil
                break
            }
            number = sum
        }
        return valid(number, field)
    }

    private mutating func dependencies(of field: StanzaAssembler.Field) -> [Dependency] {
        valid(RelationParser.dependencies(in: unfolded(field)), field) ?? []
    }

    /// Passes the value on, and notes a problem when there is none.
    private mutating func valid<Value>(_ value: Value?, _ field: StanzaAssembler.Field) -> Value? {
        if value == nil {
            problems.note(.invalidValue(field: nameText(of: field)), line: field.line)
        }
        return value
    }

    private mutating func decodeDescription(
        _ field: StanzaAssembler.Field, into stanza: inout PackageStanza
    ) {
        guard let text = foldedText(of: field, emptiesFullStops: true) else { return }
        let parts = text.utf8.split(
            separator: Byte.lineFeed, maxSplits: 1, omittingEmptySubsequences: false)
        if let synopsis = parts.first, !synopsis.isEmpty {
            stanza.synopsis = String(Substring(synopsis))
        }
        if parts.count > 1, !parts[1].isEmpty {
            stanza.extendedDescription = String(Substring(parts[1]))
        }
    }

    // MARK: - Text

    private func nameText(of field: StanzaAssembler.Field) -> String {
        // Field names have been checked to be ASCII.
        String(decoding: slice(field.name), as: UTF8.self)
    }

    /// The value on one line, or `nil` when it is empty or not UTF-8; the latter is noted.
    private mutating func simpleText(of field: StanzaAssembler.Field) -> String? {
        guard field.isContinued else {
            guard let text = validText(slice(field.value).trimmed, of: field) else { return nil }
            return text.isEmpty ? nil : text
        }
        guard let text = foldedText(of: field) else { return nil }
        let words = text.split { $0 == " " || $0 == "\t" || $0.isNewline }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// The value with its line feeds, without comments and the blank that marks a continuation.
    private mutating func foldedText(
        of field: StanzaAssembler.Field, emptiesFullStops: Bool = false
    ) -> String? {
        guard field.isContinued else { return validText(slice(field.value).trimmed, of: field) }
        var joined: [UInt8] = []
        joined.reserveCapacity(field.value.count)
        forEachLine(of: field) { index, line in
            if index == 0 {
                joined.append(contentsOf: line.trimmed)
                return
            }
            var content = line.dropFirst()
            if content.last == Byte.carriageReturn { content = content.dropLast() }
            joined.append(Byte.lineFeed)
            if emptiesFullStops && content.count == 1 && content.first == Byte.fullStop { return }
            joined.append(contentsOf: content)
        }
        return validText(joined[...], of: field)
    }

    /// The bytes of the value without comments; lines are as they are.
    private func unfolded(_ field: StanzaAssembler.Field) -> ArraySlice<UInt8> {
        guard field.isContinued && field.hasComment else { return slice(field.value) }
        var joined: [UInt8] = []
        forEachLine(of: field) { _, line in
            joined.append(contentsOf: line)
            joined.append(Byte.lineFeed)
        }
        return joined[...]
    }

    private mutating func validText(
        _ bytes: ArraySlice<UInt8>, of field: StanzaAssembler.Field
    ) -> String? {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var lineNumber = field.line
        for line in slice(field.value).split(
            separator: Byte.lineFeed, omittingEmptySubsequences: false)
        {
            let isComment = lineNumber > field.line && line.first == Byte.hash
            if !isComment && String(validating: line, as: UTF8.self) == nil { break }
            lineNumber += 1
        }
        problems.note(.invalidUTF8(field: nameText(of: field)), line: lineNumber)
        return nil
    }

    /// Calls the closure for each line of the value that is not a comment.
    private func forEachLine(
        of field: StanzaAssembler.Field, _ body: (Int, ArraySlice<UInt8>) -> Void
    ) {
        var rest = slice(field.value)
        var index = 0
        while true {
            let end = rest.firstIndex(of: Byte.lineFeed) ?? rest.endIndex
            let line = rest[..<end]
            if index == 0 || line.first != Byte.hash { body(index, line) }
            guard end < rest.endIndex else { return }
            rest = rest[(end + 1)...]
            index += 1
        }
    }

    private func slice(_ range: Range<Int>) -> ArraySlice<UInt8> {
        text[(text.startIndex + range.lowerBound)..<(text.startIndex + range.upperBound)]
    }
}

extension Int {
    /// The number with one more decimal digit, or `nil` when that is too large.
    fileprivate func appending(digit: UInt8) -> Int? {
        let (product, overflowed) = multipliedReportingOverflow(by: 10)
        let (sum, overflowedAgain) = product.addingReportingOverflow(Int(digit - 0x30))
        return overflowed || overflowedAgain ? nil : sum
    }
}
