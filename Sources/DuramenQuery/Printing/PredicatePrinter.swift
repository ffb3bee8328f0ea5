public import DuramenModel

/// Writes predicates as format strings. Parsing the text returns an equal predicate.
///
/// It uses its own stack, since predicates are also printed before their depth is checked.
struct PredicatePrinter {
    /// Whether all values are left out.
    let isRedacted: Bool
    /// The confidential attributes, whose compared values are left out; nil for none.
    let secrets: ConfidentialPaths?

    /// The text for parts that were not kept. It cannot be parsed.
    static let tooComplex = "… (too complex)"

    enum Work {
        case text(String)
        case predicate(FetchPredicate, isTight: Bool)
        case expression(FetchExpression, atLeast: OperatorLevel)
        /// The printer for the parts that follow.
        case turn(PredicatePrinter)
    }

    init(isRedacted: Bool, secrets: ConfidentialPaths? = nil) {
        self.isRedacted = isRedacted
        self.secrets = secrets
    }

    func string(_ predicate: FetchPredicate) -> String {
        string([.predicate(predicate, isTight: false)])
    }

    func string(_ expression: FetchExpression) -> String {
        string([.expression(expression, atLeast: .assignment)])
    }

    private func string(_ start: [Work]) -> String {
        var output = ""
        var printer = self
        var work = start
        while let next = work.popLast() {
            switch next {
            case .text(let text): output += text
            case .turn(let other): printer = other
            case .predicate(let predicate, let isTight):
                work += printer.parts(of: predicate, isTight: isTight).reversed()
            case .expression(let expression, let level):
                work += printer.parts(of: expression, atLeast: level).reversed()
            }
        }
        return output
    }

    /// Returns the parts of a predicate in order.
    ///
    /// - Parameters:
    ///   - predicate: The predicate.
    ///   - isTight: Whether a chain needs parentheses at this place.
    private func parts(of predicate: FetchPredicate, isTight: Bool) -> [Work] {
        if predicate.isTooComplex { return [.text(Self.tooComplex)] }
        return switch predicate.form {
        case .constant(let value): [.text(value ? "TRUEPREDICATE" : "FALSEPREDICATE")]
        case .comparison(let comparison): parts(of: comparison)
        case .not(let inner): [.text("NOT "), .predicate(inner, isTight: true)]
        case .and(let parts): chain(parts, " AND ", empty: "TRUEPREDICATE", isTight)
        case .or(let parts): chain(parts, " OR ", empty: "FALSEPREDICATE", isTight)
        case .quantified(let quantifier, let keyPath, let inner):
            [
                .text(quantifier.rawValue.uppercased() + " " + uncalled(keyPath) + " ("),
                .turn(with(secrets?.following(keyPath))), .predicate(inner, isTight: false),
                .turn(self), .text(")"),
            ]
        }
    }

    private func chain(
        _ parts: [FetchPredicate], _ separator: String, empty: String, _ isTight: Bool
    ) -> [Work] {
        guard let first = parts.first else { return [.text(empty)] }
        if parts.count == 1 { return [.predicate(first, isTight: isTight)] }
        var work: [Work] = [.predicate(first, isTight: true)]
        for part in parts.dropFirst() {
            work.append(.text(separator))
            work.append(.predicate(part, isTight: true))
        }
        return isTight ? [.text("(")] + work + [.text(")")] : work
    }

    private func parts(of comparison: PredicateComparison) -> [Work] {
        let options = comparison.options.formatSpelling
        let quantifier = comparison.quantifier.map { $0.rawValue.uppercased() + " " } ?? ""
        let parts: [Work] = [
            .text(quantifier), .expression(comparison.left, atLeast: .set),
            .text(" " + comparison.operator.formatSpelling + options + " "),
            .expression(comparison.right, atLeast: .set),
        ]
        guard !isRedacted, let secrets,
            secrets.contain(comparison.left) || secrets.contain(comparison.right)
        else { return parts }
        return [.turn(PredicatePrinter(isRedacted: true))] + parts + [.turn(self)]
    }

    func with(_ secrets: ConfidentialPaths?) -> PredicatePrinter {
        PredicatePrinter(isRedacted: isRedacted, secrets: secrets)
    }

    /// Returns a path before a parenthesis, which must not look like the call of a function.
    private func uncalled(_ path: [String]) -> String {
        let name = name(path)
        return FetchFunction(name: name) == nil ? name : "#" + name
    }

    func name(_ names: [String]) -> String {
        names.map { name in
            UnmanagedKeyPath.description(of: name) ?? FormatText.name(name)
        }.joined(separator: ".")
    }
}

extension FetchPredicate: CustomStringConvertible {
    /// The predicate as a format string with all values, from which `FetchPredicate.init` parses an
    /// equal predicate.
    ///
    /// Chains of one part or none are simplified. Text with values that stores cannot have, such as
    /// NaN, or with unmanaged key paths may not be parsed again.
    public var description: String { PredicatePrinter(isRedacted: false).string(self) }

    /// Returns the predicate as a format string. A `?` replaces every value that is compared with a
    /// confidential attribute, of the entity or of a related one, or with something unknown.
    public func description(for entity: Entity, in model: ManagedObjectModel) -> String {
        PredicatePrinter(
            isRedacted: false, secrets: ConfidentialPaths(model: model, entity: entity)
        )
        .string(self)
    }

    /// The predicate with `?` for every value except null, for logs and as a key of prepared
    /// statements.
    ///
    /// Predicates of one shape differ only in their values and the types of the values. Lists of
    /// different lengths have different shapes.
    public var shape: String { PredicatePrinter(isRedacted: true).string(self) }
}

extension FetchExpression: CustomStringConvertible {
    /// The expression as a format string.
    public var description: String { PredicatePrinter(isRedacted: false).string(self) }

    /// The expression with `?` for every value except null, for messages and logs.
    public var shape: String { PredicatePrinter(isRedacted: true).string(self) }
}
