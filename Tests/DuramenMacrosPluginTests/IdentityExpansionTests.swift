import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

@testable import DuramenMacrosPlugin

/// What `@Managed` says about the identity of objects and of values.
@Suite struct IdentityExpansionTests {
    @Test func anAttributeCalledIDIdentifiesObjectsAndValues() {
        let text = expansion("public var id: Int64", access: "public ")
        #expect(text.contains("extension Quake: Identifiable {\n}"))
        #expect(!text.contains("typealias ID"))
        #expect(text.contains("public var objectID: ManagedObjectID"))
        #expect(text.contains("case objectID, id"))
    }

    @Test(arguments: [
        "private var id: Int64 { 3 }", "@Relationship var id: ToMany<Region>",
        "@Attribute(.composite) var id: Place?", "@Attribute(.codable(\"A\")) var id: A?",
        "@Attribute(.transient) var id: A?",
    ])
    func aPropertyCalledIDThatCannotIdentifyLeavesThatToTheObjectID(member: String) {
        let text = expansion(member, access: "")
        #expect(
            text.contains("extension Quake: Identifiable {\n    typealias ID = ManagedObjectID\n}"))
    }

    @Test func anIDThatFewerSeeThanTheClassLeavesTheIdentityToTheObjectID() {
        let text = expansion("var id: Int64", access: "public ")
        #expect(text.ranges(of: "public typealias ID = ManagedObjectID").count == 2)
    }

    @Test func valuesWithACompositeCalledIDAreIdentifiedByTheObjectID() {
        let text = expansion("@Attribute(.composite) var id: Place?", access: "")
        #expect(text.ranges(of: "typealias ID = ManagedObjectID").count == 2)
    }

    @Test func aSubclassInheritsTheConformance() {
        let text = expanded("@Managed final class Sea: Place { var id: Int }")
        #expect(!text.contains("Identifiable"))
    }

    private func expansion(_ member: String, access: String) -> String {
        expanded("@Managed \(access)final class Quake: ManagedObject {\n    \(member)\n}")
    }

    private func expanded(_ source: String) -> String {
        let file = Parser.parse(source: source)
        return file.expand(macroSpecs: macroSpecs) { node in
            BasicMacroExpansionContext(
                lexicalContext: node.allMacroLexicalContexts())
        }.description
    }
}
