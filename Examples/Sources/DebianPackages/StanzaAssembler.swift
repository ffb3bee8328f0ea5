/// Puts lines together into stanzas and notes every break of the format (deb822).
///
/// Empty lines, and lines of nothing but blanks, end a stanza; lines that begin with `#` are
/// comments wherever they stand.
struct StanzaAssembler {
    /// A field whose value is not decoded yet; offsets count from the start of the kept text.
    struct Field {
        var known: KnownField?
        var name: Range<Int>
        var value: Range<Int>
        var line: Int
        var isContinued = false
        var hasComment = false
    }

    /// What a continuation line would continue.
    private enum Previous {
        case nothing
        case field
        case brokenLine
    }

    private let limits: PackageReader.Limits
    private let knownFields = KnownFieldIndex()
    private var scanner: LineScanner

    private var fields: [Field] = []
    private var seen: UInt32 = 0
    private var problems = ProblemList(limit: 0)
    private var lines: ClosedRange<Int>?
    private var previous = Previous.nothing
    /// Set once a stanza is too long to be kept: from then on only its end matters.
    private var isDiscarding = false
    private var nameBeforeDiscarding: String?

    init(source: any ByteSource, limits: PackageReader.Limits) {
        self.limits = limits
        scanner = LineScanner(
            source: source, blockBytes: limits.blockBytes, lineBytes: limits.lineBytes)
    }

    /// How far the source has been read.
    var progress: PackageReader.Progress {
        PackageReader.Progress(bytesRead: scanner.consumedBytes, totalBytes: scanner.totalBytes)
    }

    /// How many bytes are held in memory, for tests of the bound.
    var bufferedBytes: Int { scanner.bufferedBytes }

    /// Reads to the end of the next stanza, or returns `nil` when there is none.
    mutating func next() throws(PackageReaderError) -> PackageReader.Entry? {
        begin()
        while let line = try scanner.nextLine() {
            switch line {
            case .overlong:
                extendLines()
                discard(because: .overlongLine)
                try scanner.skipLine()
            case .text(let range):
                if isBlank(range) {
                    if lines != nil { return finish() }
                    scanner.forget()
                } else {
                    add(range)
                }
            }
        }
        return lines == nil ? nil : finish()
    }

    private mutating func begin() {
        scanner.forget()
        fields.removeAll(keepingCapacity: true)
        seen = 0
        problems = ProblemList(limit: limits.problemsPerStanza)
        lines = nil
        previous = .nothing
        isDiscarding = false
        nameBeforeDiscarding = nil
    }

    private mutating func finish() -> PackageReader.Entry {
        let lines = self.lines ?? 1...1
        var packageName = nameBeforeDiscarding
        if problems.isEmpty {
            var decoder = StanzaDecoder(text: scanner.keptText, problems: problems)
            if let stanza = decoder.stanza(of: fields, seen: seen, lines: lines) {
                return .package(stanza)
            }
            problems = decoder.problems
        }
        if !isDiscarding { packageName = decodedName() }
        return .malformed(
            MalformedStanza(
                lines: lines, packageName: packageName, problems: problems.listed,
                unlistedProblemCount: problems.unlistedCount))
    }

    // MARK: - Lines

    private mutating func add(_ range: Range<Int>) {
        let line = text(range)
        let first = line.first
        if first == Byte.hash {
            if lines == nil { scanner.forget() } else { noteComment() }
        } else {
            extendLines()
            if !isDiscarding {
                if first?.isBlank == true { addContinuation(range) } else { addField(range, line) }
            }
        }
        if isDiscarding {
            scanner.forget()
        } else if scanner.keptBytes > limits.stanzaBytes {
            discard(because: .overlongStanza)
        }
    }

    private mutating func noteComment() {
        if !fields.isEmpty { fields[fields.count - 1].hasComment = true }
    }

    private mutating func addContinuation(_ range: Range<Int>) {
        switch previous {
        case .field:
            let last = fields.count - 1
            fields[last].value = fields[last].value.lowerBound..<range.upperBound
            fields[last].isContinued = true
        case .nothing:
            note(.continuationBeforeField)
            // One report is enough for all lines that follow.
            previous = .brokenLine
        case .brokenLine:
            break
        }
    }

    private mutating func addField(_ range: Range<Int>, _ line: ArraySlice<UInt8>) {
        previous = .brokenLine
        guard let colon = line.firstIndex(of: Byte.colon) else { return note(.lineWithoutColon) }
        let name = line[..<colon]
        guard isFieldName(name) else { return note(.invalidFieldName) }
        let nameEnd = range.lowerBound + name.count
        let field = Field(
            known: knownFields.field(named: name), name: range.lowerBound..<nameEnd,
            value: (nameEnd + 1)..<range.upperBound, line: scanner.lineNumber)
        if isDuplicate(field) {
            note(.duplicateField(String(decoding: name, as: UTF8.self)))
        } else if fields.count == limits.fieldsPerStanza {
            discard(because: .tooManyFields)
        } else {
            fields.append(field)
            seen |= field.known?.bit ?? 0
            previous = .field
        }
    }

    /// Whether the bytes are a field name: printing ASCII, without `#` or `-` at the start.
    private func isFieldName(_ name: ArraySlice<UInt8>) -> Bool {
        guard let first = name.first, first != Byte.hyphen, name.count <= 128 else { return false }
        return name.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    private func isDuplicate(_ field: Field) -> Bool {
        if let known = field.known { return seen & known.bit != 0 }
        // Linear, but the limit on fields keeps a hostile stanza from making it matter.
        return fields.contains { other in
            other.known == nil && other.name.count == field.name.count
                && text(other.name).elementsEqual(text(field.name), by: isSameIgnoringCase)
        }
    }

    private func isBlank(_ range: Range<Int>) -> Bool {
        text(range).allSatisfy(\.isWhitespace)
    }

    private func text(_ range: Range<Int>) -> ArraySlice<UInt8> {
        let text = scanner.keptText
        return text[(text.startIndex + range.lowerBound)..<(text.startIndex + range.upperBound)]
    }

    private mutating func extendLines() {
        let line = scanner.lineNumber
        lines = (lines?.lowerBound ?? line)...line
    }

    // MARK: - Problems

    private mutating func note(_ reason: MalformedStanza.Reason) {
        problems.note(reason, line: scanner.lineNumber)
    }

    /// Lets go of a stanza that breaks a limit, so that memory stays bounded.
    private mutating func discard(because reason: MalformedStanza.Reason) {
        if !isDiscarding {
            nameBeforeDiscarding = decodedName()
            isDiscarding = true
            fields.removeAll(keepingCapacity: true)
        }
        note(reason)
        scanner.forget()
    }

    /// The value of the `Package` field, when it is a name.
    private func decodedName() -> String? {
        guard let field = fields.first(where: { $0.known == .package }) else { return nil }
        let value = text(field.value).trimmed
        return value.isPackageName ? String(decoding: value, as: UTF8.self) : nil
    }
}

/// The first problems of a stanza, and the count of the rest.
struct ProblemList {
    private(set) var listed: [MalformedStanza.Problem] = []
    private(set) var unlistedCount = 0
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    var isEmpty: Bool { listed.isEmpty }

    mutating func note(_ reason: MalformedStanza.Reason, line: Int) {
        if listed.count < limit {
            listed.append(MalformedStanza.Problem(line: line, reason: reason))
        } else {
            unlistedCount += 1
        }
    }
}
