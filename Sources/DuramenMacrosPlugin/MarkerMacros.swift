import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`: read by `@Managed`. By itself it only reports a wrong place.
struct AttributeMarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        checkPlace(of: node, "Attribute", on: declaration, in: context)
        return []
    }
}

/// `@Relationship`: read by `@Managed`. By itself it only reports a wrong place.
struct RelationshipMarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        checkPlace(of: node, "Relationship", on: declaration, in: context)
        return []
    }
}

/// Reports a marker in a place that `@Managed` does not examine.
private func checkPlace(
    of node: AttributeSyntax, _ marker: String, on declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
) {
    let mistake: Mistake? =
        if let variable = declaration.as(VariableDeclSyntax.self) {
            if context.isInside("Composite") {
                marker == "Attribute" ? nil : .relationshipInComposite(variable.shownName)
            } else if !context.isInside("Managed") {
                .markerOutside(marker)
            } else if variable.isStatic {
                .markerOnStatic(marker, variable.shownName)
            } else if variable.isComputed {
                .markerOnComputed(marker, variable.shownName)
            } else {
                nil
            }
        } else {
            .markerOnOther(marker)
        }
    guard let mistake else { return }
    var findings = Findings()
    findings.report(mistake, at: node, fixIts: [.remove(node, "remove '@\(marker)'")])
    findings.diagnostics.forEach(context.diagnose)
}

extension MacroExpansionContext {
    /// Returns whether the declaration directly around the node has a macro.
    fileprivate func isInside(_ name: String) -> Bool {
        let parent = lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)
        return parent.map { !$0.attributes.named(name).isEmpty } ?? false
    }
}
