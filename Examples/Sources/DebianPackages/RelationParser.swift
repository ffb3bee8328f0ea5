/// Reads the value of a relationship field (Debian Policy 7.1), byte by byte.
///
///     list        = [ clause ] *( "," [ clause ] )
///     clause      = relation *( "|" relation )
///     relation    = name [ ":" name ] [ "(" comparison version ")" ]
///                   [ "[" *term "]" ] *( "<" *term ">" )
///     term        = [ "!" ] name
///
/// Blanks and line ends may stand between any two of these.
struct RelationParser {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Reads a dependency field, or returns `nil` when it breaks the syntax.
    static func dependencies(in bytes: ArraySlice<UInt8>) -> [Dependency]? {
        var parser = RelationParser(bytes)
        var list: [Dependency] = []
        while !parser.isAtEnd {
            if parser.take(UInt8(ascii: ",")) { continue }
            guard let dependency = parser.clause() else { return nil }
            list.append(dependency)
            guard parser.isAtEnd || parser.take(UInt8(ascii: ",")) else { return nil }
        }
        return list
    }

    /// Reads a `Provides` field, or returns `nil` when it breaks the syntax.
    static func provided(in bytes: ArraySlice<UInt8>) -> [ProvidedPackage]? {
        var parser = RelationParser(bytes)
        var list: [ProvidedPackage] = []
        while !parser.isAtEnd {
            if parser.take(UInt8(ascii: ",")) { continue }
            guard let relation = parser.relation(),
                relation.version == nil || relation.version?.comparison == .equal,
                relation.architectures.isEmpty, relation.profiles.isEmpty
            else { return nil }
            list.append(
                ProvidedPackage(
                    name: relation.name, architectureQualifier: relation.architectureQualifier,
                    version: relation.version?.version))
            guard parser.isAtEnd || parser.take(UInt8(ascii: ",")) else { return nil }
        }
        return list
    }

    // MARK: - Grammar

    private mutating func clause() -> Dependency? {
        guard let first = relation() else { return nil }
        var alternatives = [first]
        while take(UInt8(ascii: "|")) {
            guard let next = relation() else { return nil }
            alternatives.append(next)
        }
        return Dependency(alternatives: alternatives)
    }

    private mutating func relation() -> PackageRelation? {
        skipWhitespace()
        guard let name = name() else { return nil }
        var relation = PackageRelation(name: name)
        // No blank may stand before the colon, nor after it.
        if position < bytes.endIndex, bytes[position] == Byte.colon {
            position += 1
            guard let qualifier = self.name() else { return nil }
            relation.architectureQualifier = qualifier
        }
        if take(UInt8(ascii: "(")) {
            guard let requirement = requirement() else { return nil }
            relation.version = requirement
        }
        if take(UInt8(ascii: "[")) {
            guard let terms = terms(until: UInt8(ascii: "]")) else { return nil }
            relation.architectures = terms
        }
        while take(Byte.lessThan) {
            guard let terms = terms(until: Byte.greaterThan) else { return nil }
            relation.profiles.append(terms)
        }
        return relation
    }

    /// Reads from after the opening parenthesis to after the closing one.
    private mutating func requirement() -> VersionRequirement? {
        skipWhitespace()
        let comparison: VersionRequirement.Comparison
        if take(UInt8(ascii: "=")) {
            comparison = .equal
        } else if take(Byte.greaterThan) {
            // A lone ">" is the old spelling of ">=", and a lone "<" that of "<=".
            comparison = takeHere(Byte.greaterThan) ? .later : .laterOrEqual
            if comparison == .laterOrEqual { _ = takeHere(UInt8(ascii: "=")) }
        } else if take(Byte.lessThan) {
            comparison = takeHere(Byte.lessThan) ? .earlier : .earlierOrEqual
            if comparison == .earlierOrEqual { _ = takeHere(UInt8(ascii: "=")) }
        } else {
            // dpkg takes a version without a comparison as an exact one.
            comparison = .equal
        }
        skipWhitespace()
        let start = position
        while position < bytes.endIndex, bytes[position].isVersionByte { position += 1 }
        let version = text(from: start)
        guard !version.isEmpty, take(UInt8(ascii: ")")) else { return nil }
        return VersionRequirement(comparison, version)
    }

    /// Reads terms to after the closing byte; at least one.
    private mutating func terms(until close: UInt8) -> [RestrictionTerm]? {
        var terms: [RestrictionTerm] = []
        while !take(close) {
            let isNegated = take(UInt8(ascii: "!"))
            guard let name = name() else { return nil }
            terms.append(RestrictionTerm(name, isNegated: isNegated))
            // Two terms have a blank between them: `[amd64!i386]` is a mistake.
            guard position < bytes.endIndex,
                bytes[position].isWhitespace || bytes[position] == close
            else { return nil }
        }
        return terms.isEmpty ? nil : terms
    }

    private mutating func name() -> String? {
        let start = position
        guard start < bytes.endIndex, bytes[start].isLetterOrDigit else { return nil }
        while position < bytes.endIndex, bytes[position].isNameByte { position += 1 }
        return text(from: start)
    }

    // MARK: - Bytes

    /// Whether nothing but blanks is left.
    private var isAtEnd: Bool {
        mutating get {
            skipWhitespace()
            return position == bytes.endIndex
        }
    }

    private mutating func skipWhitespace() {
        while position < bytes.endIndex, bytes[position].isWhitespace { position += 1 }
    }

    /// Passes over blanks and the byte, when it comes next.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipWhitespace()
        return takeHere(byte)
    }

    private mutating func takeHere(_ byte: UInt8) -> Bool {
        guard position < bytes.endIndex, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// The bytes from `start` to the position, all of which have been checked to be ASCII.
    private func text(from start: Int) -> String {
        String(decoding: bytes[start..<position], as: UTF8.self)
    }
}
