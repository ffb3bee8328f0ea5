import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import DuramenMacrosPlugin

/// The macros under the names that `DuramenMacros` gives them.
let macroSpecs: [String: MacroSpec] = [
    "Managed": MacroSpec(type: ManagedMacro.self, conformances: ["Identifiable"]),
    "Composite": MacroSpec(type: CompositeMacro.self, conformances: ["CompositeValue"]),
    "Attribute": MacroSpec(type: AttributeMarkerMacro.self),
    "Relationship": MacroSpec(type: RelationshipMarkerMacro.self),
    "_ManagedSlot": MacroSpec(type: ManagedSlotMacro.self),
]

/// A diagnostic, by its identifier and the source text it points at.
struct Diagnosis: Equatable {
    let id: String
    let text: String

    init(_ id: String, at text: String) {
        self.id = id
        self.text = text
    }
}

/// What the macros say about a source, and what each fix-it makes of it.
struct Misuse: Equatable {
    var diagnoses: [Diagnosis]
    /// The fixed source by the fix-it's message.
    var fixes: [String: String]

    init(_ diagnoses: Diagnosis..., fixes: [String: String] = [:]) {
        self.diagnoses = diagnoses
        self.fixes = fixes
    }

    /// Expands all macros of a source and collects the diagnostics.
    init(expanding source: String) {
        let expansion = Expansion(of: source)
        diagnoses = expansion.diagnostics.map {
            Diagnosis(
                ($0.diagMessage as? Mistake)?.id ?? $0.message, at: expansion.text(of: $0.node))
        }
        fixes = [:]
        for fixIt in expansion.diagnostics.flatMap(\.fixIts) {
            fixes[fixIt.message.message] = expansion.source(applying: fixIt)
        }
    }

    /// The same for one declaration inside a managed class; fixes show the declaration alone.
    init(ofMember member: String) {
        let before = "@Managed final class Quake: ManagedObject {\n"
        let after = "\n}"
        self.init(expanding: before + member + after)
        fixes = fixes.mapValues { String($0.dropFirst(before.count).dropLast(after.count)) }
    }
}

/// One run of the macros over a source file.
struct Expansion {
    let source: String
    private let context: BasicMacroExpansionContext

    init(of source: String) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "Tests.swift")])
        _ = file.expand(
            macroSpecs: macroSpecs,
            contextGenerator: { node in
                BasicMacroExpansionContext(
                    sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
            })
        self.source = source
        self.context = context
    }

    var diagnostics: [Diagnostic] { context.diagnostics }

    /// The source where the compiler would underline the node.
    func text(of node: Syntax) -> String {
        let start = node.positionAfterSkippingLeadingTrivia
        return text(from: start, to: node.endPositionBeforeTrailingTrivia, of: node)
    }

    /// The source after all changes of a fix-it, from the back so that offsets stay right.
    func source(applying fixIt: FixIt) -> String {
        var bytes = Array(source.utf8)
        let edits = fixIt.changes.map { change -> (Range<Int>, String) in
            guard case .replaceText(let range, let text, let node) = change else {
                return (0..<0, "")
            }
            return (offset(range.lowerBound, node)..<offset(range.upperBound, node), text)
        }
        for (range, text) in edits.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
            bytes.replaceSubrange(range, with: Array(text.utf8))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func text(
        from start: AbsolutePosition, to end: AbsolutePosition, of node: Syntax
    ) -> String {
        let bytes = Array(source.utf8)[offset(start, node)..<offset(end, node)]
        return String(decoding: bytes, as: UTF8.self)
    }

    private func offset(_ position: AbsolutePosition, _ node: Syntax) -> Int {
        context.location(for: position, anchoredAt: node, fileName: "").offset
    }
}
