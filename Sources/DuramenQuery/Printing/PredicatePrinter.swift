public import DuramenModel

/// Writes predicates in the spelling of format strings, so that reading the text makes the same
/// predicate again.
///
/// It works with a stack of its own, since predicates are also printed before their depth is
/// checked.
struct PredicatePrinter {
    /// Whether all values are left out.
    let isRedacted: Bool
    /// Whether the values are left out that are compared with confidential attributes.
    let secrets: ConfidentialPaths?

    /// What stands for parts that were not kept; no format string.
    static let tooComplex = "… (too complex)"

    enum Work {
        case text(String)
        case predicate(FetchPredicate, isTight: Bool)
        case expression(FetchExpression, atLeast: OperatorLevel)
        /// What follows is printed by another printer.
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

    /// What a predicate is written as, in order.
    ///
    /// - Parameter isTight: Whether a chain needs parentheses where the predicate stands.
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

    /// A path before a parenthesis, which would make the name of a function a call.
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
    /// The predicate as a format string, values and all, from which ``init(_:_:)`` makes the same
    /// predicate.
    ///
    /// Chains of one part or none are written as what they mean. What no store takes, such as NaN
    /// and a key path of a Swift property that is none of the model, need not be read again.
    public var description: String { PredicatePrinter(isRedacted: false).string(self) }

    /// Returns the predicate as a format string. A `?` replaces every value that is compared with a
    /// confidential attribute, of the entity or of a related one, or with something unknown.
    public func description(for entity: Entity, in model: ManagedObjectModel) -> String {
        PredicatePrinter(
            isRedacted: false, secrets: ConfidentialPaths(model: model, entity: entity)
        )
        .string(self)
    }

    /// The predicate with `?` for every value but null, for logs and as a key of prepared
    /// statements.
    ///
    /// Predicates of one shape differ in nothing but their values and the values' types. Lists of
    /// different lengths have different shapes.
    public var shape: String { PredicatePrinter(isRedacted: true).string(self) }
}

extension FetchExpression: CustomStringConvertible {
    /// The expression as format strings spell it.
    public var description: String { PredicatePrinter(isRedacted: false).string(self) }

    /// The expression with `?` for every value but null, for messages and logs.
    public var shape: String { PredicatePrinter(isRedacted: true).string(self) }
}
