/// A literal in Swift source that names a part of a model.
struct SourceLiteral {
    enum Kind: Equatable {
        case format
        case keyPath
        case entityName
    }

    let kind: Kind
    let text: String
    let place: SourcePlace
    /// The subject of the request that has the literal: a class or an entity, by its name; nil if
    /// it is unknown.
    let subject: String?
}

/// Finds the literals of a file that are conditions, key paths or names of entities.
struct SourceLiterals {
    private let tokens: [SwiftToken]

    init(_ source: String) {
        var tokenizer = SwiftTokenizer(source)
        tokens = tokenizer.tokens()
    }

    func all() -> [SourceLiteral] {
        var found: [SourceLiteral] = []
        for place in tokens.indices {
            guard case .string(let text?) = tokens[place].kind, let kind = kind(at: place) else {
                continue
            }
            found.append(
                SourceLiteral(
                    kind: kind, text: text, place: tokens[place].place,
                    subject: kind == .entityName ? nil : subject(of: place)))
        }
        return found
    }

    // MARK: - The kind of a literal

    private func kind(at place: Int) -> SourceLiteral.Kind? {
        if isArgument(place, of: "FetchPredicate", labels: [nil, "format"]) { return .format }
        if isArgument(place, of: "FetchSortDescriptor", labels: [nil])
            || isArgument(place, of: "sorted", labels: ["by"])
        {
            return .keyPath
        }
        guard place >= 2, tokens[place - 1].isSign(":"), let label = tokens[place - 2].name else {
            return isPrefetched(place) ? .keyPath : nil
        }
        switch label {
        case "sectionNameKeyPath": return .keyPath
        case "entityName": return .entityName
        default: return nil
        }
    }

    /// Returns whether a token is the first argument of a call, with one of the labels.
    private func isArgument(_ place: Int, of function: String, labels: [String?]) -> Bool {
        var before = place - 1
        var label: String?
        if before >= 1, tokens[before].isSign(":"), let name = tokens[before - 1].name {
            label = name
            before -= 2
        }
        return labels.contains(label) && before >= 1 && tokens[before].isSign("(")
            && tokens[before - 1].name == function
    }

    /// Returns whether a token is in the list of prefetched relationships.
    private func isPrefetched(_ place: Int) -> Bool {
        var before = place - 1
        while before >= 0 {
            switch tokens[before].kind {
            case .string, .sign(UInt8(ascii: ",")): before -= 1
            case .sign(UInt8(ascii: "[")):
                return before >= 2 && tokens[before - 1].isSign("=")
                    && tokens[before - 2].name == "relationshipKeyPathsForPrefetching"
            default: return false
            }
        }
        return false
    }

    // MARK: - The subject of a literal

    /// Returns the subject at the start of the chain of calls that has the literal:
    /// `FetchRequest<Quake>()…`.
    private func subject(of place: Int) -> String? {
        var depth = 0
        var before = place - 1
        while before >= 0 {
            let token = tokens[before]
            switch token.kind {
            case .sign(UInt8(ascii: ")")): depth += 1
            case .sign(UInt8(ascii: "(")): depth = max(0, depth - 1)
            case .sign(UInt8(ascii: "{")), .sign(UInt8(ascii: "}")), .sign(UInt8(ascii: ";")),
                .sign(UInt8(ascii: "=")):
                return nil
            case .name(let name) where depth == 0:
                if ["let", "var", "return", "func", "if", "guard"].contains(name) { return nil }
                if name.hasPrefix("FetchRequest") || name.hasSuffix("Request") {
                    return subject(ofCallAt: before)
                }
            default: break
            }
            before -= 1
        }
        return nil
    }

    /// Returns `Quake` for `FetchRequest<Quake>(…)`, or the entity that its first argument names.
    private func subject(ofCallAt place: Int) -> String? {
        guard place + 3 < tokens.count, tokens[place + 1].isSign("<"),
            let type = tokens[place + 2].name, tokens[place + 3].isSign(">")
        else { return nil }
        if type != "ManagedObject" { return type }
        guard place + 7 < tokens.count, tokens[place + 4].isSign("("),
            tokens[place + 5].name == "entityName", case .string(let name) = tokens[place + 7].kind
        else { return nil }
        return name
    }
}
