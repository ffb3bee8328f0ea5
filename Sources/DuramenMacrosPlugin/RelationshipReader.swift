import SwiftDiagnostics
import SwiftSyntax

/// Reads the type, marker and initial value of a property marked `@Relationship`.
struct RelationshipReader {
    let name: String
    let type: TypeSyntax
    let marker: AttributeSyntax
    let binding: PatternBindingSyntax
    private(set) var findings = Findings()

    init(
        name: String, type: TypeSyntax, marker: AttributeSyntax, binding: PatternBindingSyntax
    ) {
        self.name = name
        self.type = type
        self.marker = marker
        self.binding = binding
    }

    /// Returns the kind of the relationship; nil if its type is not valid for a relationship.
    mutating func kind() -> ManagedProperty.Kind? {
        let options = RelationshipOptions(marker, findings: &findings)
        checkInitialValue()
        switch TypeShape(type) {
        case .toMany(let destination, let isOrdered):
            checkNotRequired(options)
            return .toMany(destination: destination, isOrdered: isOrdered, options)
        case .optional(let wrapped):
            return optional(wrapped, options)
        case .collection(let element):
            reportCollection(element)
        case .plain(let plain) where plain.isKnownValueType:
            reportNotARelationship(plain)
        case .plain(let plain), .implicitlyUnwrapped(let plain):
            reportNotOptional(plain, options)
        }
        return nil
    }

    private mutating func optional(
        _ wrapped: TypeSyntax, _ options: RelationshipOptions
    ) -> ManagedProperty.Kind? {
        if wrapped.isToMany {
            findings.report(
                .optionalToMany(name), at: type,
                fixIts: [.replace(type, with: wrapped.trimmedDescription, "remove '?'")])
        } else if case .collection(let element) = TypeShape(wrapped) {
            reportCollection(element)
        } else if wrapped.isKnownValueType {
            reportNotARelationship(wrapped)
        } else {
            checkNotCounted(options)
            checkValuesNotAskedFor(options)
            return .toOne(destination: wrapped, options)
        }
        return nil
    }

    // MARK: - Reports

    private mutating func checkInitialValue() {
        // `= nil` has no effect, and is written often by habit.
        guard let initializer = binding.initializer,
            !(initializer.value.isNilLiteral && !type.isToMany)
        else { return }
        findings.report(
            .relationshipDefault(name), at: initializer.value,
            fixIts: [.removeWithSpaceBefore(initializer, "remove the initial value")])
    }

    private mutating func checkNotRequired(_ options: RelationshipOptions) {
        guard let required = options.requiredOption else { return }
        let fixIt: FixIt =
            marker.labeledArguments.count == 1
            ? .replace(marker, with: "@Relationship", "remove '.required'")
            : .remove(required, "remove '.required'")
        findings.report(.requiredToMany(name), at: required, fixIts: [fixIt])
    }

    private mutating func checkNotCounted(_ options: RelationshipOptions) {
        guard let count = options.countArgument else { return }
        findings.report(.countedToOne(name), at: count)
    }

    private mutating func checkValuesNotAskedFor(_ options: RelationshipOptions) {
        guard let argument = options.valuesArgument else { return }
        findings.report(.valuesOfToOne(name), at: argument)
    }

    private mutating func reportCollection(_ element: TypeSyntax) {
        var fixIts: [FixIt] = []
        if !element.isKnownValueType {
            let text = "ToMany<\(element.trimmedDescription)>"
            fixIts = [.replace(type, with: text, "use '\(text)'")]
        }
        findings.report(.collection(name, type.trimmedDescription), at: type, fixIts: fixIts)
    }

    private mutating func reportNotARelationship(_ value: TypeSyntax) {
        findings.report(
            .notARelationship(name, value.trimmedDescription), at: type,
            fixIts: [.remove(marker, "remove '@Relationship'")])
    }

    private mutating func reportNotOptional(_ plain: TypeSyntax, _ options: RelationshipOptions) {
        let makeOptional = FixIt.replace(type, with: plain.asOptional, "make the type optional")
        var fixIts = [makeOptional]
        if !options.isRequired {
            fixIts.append(
                .all([addRequired, makeOptional], "make the type optional and add '.required'"))
        }
        findings.report(
            .notOptional(name, plain.trimmedDescription), at: type, fixIts: fixIts)
    }

    private var addRequired: FixIt {
        if let first = marker.labeledArguments.first {
            return .insert(".required, ", before: first, "")
        }
        return .replace(
            marker, with: "@\(marker.attributeName.trimmedDescription)(.required)", "")
    }
}

extension TypeSyntax {
    var isToMany: Bool {
        if case .toMany = TypeShape(self) { true } else { false }
    }

    /// The optional of this type, as text.
    var asOptional: String {
        let needsParentheses = self.is(SomeOrAnyTypeSyntax.self) || self.is(FunctionTypeSyntax.self)
        return needsParentheses ? "(\(trimmedDescription))?" : "\(trimmedDescription)?"
    }
}
