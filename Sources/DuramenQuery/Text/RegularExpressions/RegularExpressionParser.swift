/// Parses a pattern by recursive descent.
///
/// The syntax and its errors follow ICU's state table (regexcst.txt).
struct RegularExpressionParser {
    struct Flags {
        var isCaseless = false
        var marksLines = false
        var matchesTerminators = false
        var isFreeSpaced = false
    }

    private static let depthLimit = 128
    private static let boundLimit = 1000
    private static let byteLimit = 65_536

    var scanner: RegularExpressionScanner
    let folding: ScalarFolding
    private(set) var flags = Flags() {
        didSet { scanner.isFreeSpaced = flags.isFreeSpaced }
    }
    private var depth = 0
    private var groupNames: Set<String> = []

    init(
        _ pattern: String, _ options: PredicateComparison.Options
    ) throws(RegularExpressionError) {
        guard pattern.utf8.count <= Self.byteLimit else {
            throw RegularExpressionError(
                .patternTooComplex, at: 0,
                "The pattern has more than \(Self.byteLimit) bytes. Match its parts one by one.")
        }
        scanner = RegularExpressionScanner(pattern)
        folding = ScalarFolding(options)
    }

    mutating func pattern() throws(RegularExpressionError) -> RegularExpressionNode {
        let node = try alternatives()
        if try scanner.next() == .plain(")") {
            throw invalid("The ')' closes nothing. Write '\\)' for a parenthesis.")
        }
        return node
    }

    // MARK: - Sequences

    private mutating func alternatives() throws(RegularExpressionError) -> RegularExpressionNode {
        var branches: [RegularExpressionNode] = []
        var sequence: [RegularExpressionNode] = []
        while true {
            switch try scanner.peek() {
            case .end, .plain(")"):
                branches.append(sequence.count == 1 ? sequence[0] : .sequence(sequence))
                return branches.count == 1 ? branches[0] : .alternatives(branches)
            case .plain("|"):
                _ = try scanner.next()
                branches.append(.sequence(sequence))
                sequence = []
            default: try sequence.append(item())
            }
        }
    }

    private mutating func item() throws(RegularExpressionError) -> RegularExpressionNode {
        switch try scanner.next() {
        case .plain(let scalar):
            switch scalar {
            case "(": return try group()
            case "[": return try quantified(.member(of: characterClass()))
            case ".": return try quantified(anyScalar())
            case "^":
                return try quantified(.assertion(flags.marksLines ? .lineStart : .textStart))
            case "$": return try quantified(.assertion(flags.marksLines ? .lineEnd : .finalEnd))
            case "*", "+", "?", "{", "}":
                throw invalid("The '\(scalar)' repeats nothing. Write '\\\(scalar)' for itself.")
            default: return try quantified(literal(scalar))
            }
        case .quoted(let scalar): return try quantified(literal(scalar))
        case .escape(let scalar): return try escape(scalar)
        case .end: return .sequence([])
        }
    }

    private func anyScalar() -> RegularExpressionNode {
        flags.matchesTerminators
            ? .member(orLineBreak: .all) : .member(of: .complement(.lineTerminators))
    }

    private func literal(_ scalar: Unicode.Scalar) -> RegularExpressionNode {
        let folded = folding.fold(scalar)
        guard flags.isCaseless, folded.count == 1 else {
            return .sequence(folded.map { .scalar($0) })
        }
        return .member(of: .ranges(folding.ranges([scalar.value...scalar.value], isCaseless: true)))
    }

    private mutating func escape(
        _ scalar: Unicode.Scalar
    ) throws(RegularExpressionError) -> RegularExpressionNode {
        // As in ICU, only the assertions '^' and '$' can be repeated.
        switch scalar {
        case "A": return .assertion(.textStart)
        case "b": return .assertion(.wordBoundary)
        case "B": return .assertion(.noWordBoundary)
        case "Z": return .assertion(.finalEnd)
        case "z": return .assertion(.textEnd)
        case "R": return try quantified(.member(orLineBreak: .lineTerminators))
        case "k", "1"..."9":
            throw unsupported("a back reference", "Spell out what may stand there.")
        default:
            if let node = try classEscape(scalar) { return try quantified(.member(of: node)) }
            return try quantified(literal(try escapedLiteral(scalar)))
        }
    }

    /// Returns the scalar itself; fails if a backslash could give it a meaning.
    func escapedLiteral(
        _ scalar: Unicode.Scalar
    ) throws(RegularExpressionError) -> Unicode.Scalar {
        switch scalar {
        case "X", "G", "N": throw unsupported("'\\\(scalar)'", "Spell out what may stand there.")
        case "a"..."z", "A"..."Z", "0"..."9":
            throw invalid("'\\\(scalar)' has no meaning here. Write '\(scalar)' for itself.")
        default: return scalar
        }
    }

    // MARK: - Repetitions

    private mutating func quantified(
        _ node: RegularExpressionNode
    ) throws(RegularExpressionError) -> RegularExpressionNode {
        let least: Int
        let most: Int?
        switch try scanner.peek() {
        case .plain("*"): (least, most) = (0, nil)
        case .plain("+"): (least, most) = (1, nil)
        case .plain("?"): (least, most) = (0, 1)
        case .plain("{"): (least, most) = try bounds()
        default: return node
        }
        // The closing brace of the bounds is still to be read.
        _ = try scanner.next()
        if try scanner.skip("+") {
            throw unsupported("possessive repetition", "Leave out the '+' after the repetition.")
        }
        _ = try scanner.skip("?")
        return .repetition(node, atLeast: least, atMost: most)
    }

    private mutating func bounds() throws(RegularExpressionError) -> (Int, Int?) {
        _ = try scanner.next()
        let error = invalid(
            "A '{' begins none of '{n}', '{n,}', '{n,m}' with n up to m. Write '\\{' for it.")
        guard let least = try number() else { throw error }
        var most: Int? = least
        if try scanner.skip(",") { most = try number() }
        guard try scanner.peek() == .plain("}"), least <= most ?? least else { throw error }
        return (least, most)
    }

    private mutating func number() throws(RegularExpressionError) -> Int? {
        var number: Int?
        while case .plain(let scalar) = try scanner.peek(), scalar.isASCII,
            let digit = Character(scalar).wholeNumberValue
        {
            _ = try scanner.next()
            let value = (number ?? 0) * 10 + digit
            guard value <= Self.boundLimit else {
                throw tooComplex(
                    "A repetition is bounded by more than \(Self.boundLimit). Lower it.")
            }
            number = value
        }
        return number
    }

    // MARK: - Groups

    private mutating func group() throws(RegularExpressionError) -> RegularExpressionNode {
        let start = scanner.offset
        let outer = flags
        // Flags without a group apply up to the end of the enclosing group.
        if try scanner.skip("?"), try groupHead(start) { return .sequence([]) }
        try descend()
        let node = try alternatives()
        guard try scanner.next() == .plain(")") else {
            throw invalid("The '(' is not closed. Add ')', or write '\\('.", at: start)
        }
        ascend()
        flags = outer
        return try quantified(node)
    }

    private static let refusals: [Unicode.Scalar: (String, String)] = [
        ">": ("an atomic group", "Write '(?:' where going back does no harm."),
        "=": ("lookahead", "Make it a comparison of its own."),
        "!": ("lookahead", "Make it a comparison of its own."),
        "(": ("a condition", "Write alternatives."),
        "{": ("a condition", "Write alternatives."),
        "R": ("recursion", "Write out the levels that may occur."),
        "&": ("recursion", "Write out the levels that may occur."),
        "P": ("recursion", "Write out the levels that may occur."),
        "d": ("the flag d", "Use i, m, s and x only."),
        "u": ("the flag u", "Use i, m, s and x only."),
        "w": ("the flag w", "Use i, m, s and x only."),
    ]

    /// Parses the text after `(?`, and returns whether the group ends there.
    private mutating func groupHead(_ start: Int) throws(RegularExpressionError) -> Bool {
        var changed = flags
        var isOn = true
        while true {
            switch try scanner.next() {
            case .plain("<") where scanner.offset == start + 2:
                try groupName(start)
                return false
            case .plain("i") where !isOn && folding.foldsCase:
                throw unsupported("'(?-i)' with the option [c]", "Leave out the option.", at: start)
            case .plain("i"): changed.isCaseless = isOn
            case .plain("m"): changed.marksLines = isOn
            case .plain("s"): changed.matchesTerminators = isOn
            case .plain("x"): changed.isFreeSpaced = isOn
            case .plain("-"): isOn = false
            case .plain(let end) where end == ":" || end == ")" && scanner.offset > start + 2:
                flags = changed
                return end == ")"
            case .plain(let scalar):
                guard let (what, remedy) = Self.refusals[scalar] else { throw badGroup(start) }
                throw unsupported(what, remedy, at: start)
            default: throw badGroup(start)
            }
        }
    }

    private mutating func groupName(_ start: Int) throws(RegularExpressionError) {
        var name = ""
        while case .plain(let scalar) = try scanner.next() {
            switch scalar {
            case "=" where name.isEmpty, "!" where name.isEmpty:
                throw unsupported("lookbehind", "Make it a comparison of its own.", at: start)
            case ">" where !name.isEmpty:
                if groupNames.insert(name).inserted { return }
                throw invalid("Two groups have one name. Rename one of them.", at: start)
            case "a"..."z", "A"..."Z": name.unicodeScalars.append(scalar)
            case "0"..."9" where !name.isEmpty: name.unicodeScalars.append(scalar)
            default: throw badGroup(start)
            }
        }
        throw badGroup(start)
    }

    private func badGroup(_ start: Int) -> RegularExpressionError {
        invalid("'(?' begins no known group. Write '(?:' or '(?<name>' or '\\('.", at: start)
    }

    /// Enters a level of groups or classes; fails if there are too many.
    mutating func descend() throws(RegularExpressionError) {
        depth += 1
        if depth > Self.depthLimit {
            throw tooComplex(
                "Groups and classes are nested more than \(Self.depthLimit) deep. Leave some out.")
        }
    }

    mutating func ascend() { depth -= 1 }

    // MARK: - Errors

    func invalid(_ message: String, at offset: Int? = nil) -> RegularExpressionError {
        RegularExpressionError(.invalidPattern, at: offset ?? scanner.offset, message)
    }

    func unsupported(
        _ what: String, _ remedy: String, at offset: Int? = nil
    ) -> RegularExpressionError {
        RegularExpressionError(
            .unsupportedPattern, at: offset ?? scanner.offset,
            "The pattern has \(what), which MATCHES does not offer. \(remedy)")
    }

    private func tooComplex(_ message: String) -> RegularExpressionError {
        RegularExpressionError(.patternTooComplex, at: scanner.offset, message)
    }
}
