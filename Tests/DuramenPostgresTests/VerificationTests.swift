import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenPostgres

/// Contradictions that other programs have written into a store's tables.
@Suite(.enabled(if: TestServer.isThere)) struct VerificationTests {
    private static let model = testModel([
        EntityDescription(
            name: "Book",
            attributes: [AttributeDescription("code", .string, isOptional: true)],
            relationships: [.toMany("tags", destination: "Tag", inverse: "books")],
            uniquenessConstraints: [["code"]]),
        EntityDescription(
            name: "Tag",
            attributes: [AttributeDescription("label", .string, isOptional: true)],
            relationships: [.toMany("books", destination: "Book", inverse: "tags")]),
    ])

    /// The findings after a statement that is not the library's.
    private func findings(after text: String) throws -> [VerificationFinding] {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let description = schemas.next()
        let store = try description.open(model: Self.model)
        let books = try store.insert("Book", all: [["code": .text("a")], ["code": .text("b")]])
        let tags = try store.insert("Tag", all: [["label": .text("x")]])
        let relationship = try #require(
            Self.model.relationships.first { StoredText($0.name) == StoredText("tags") })
        try store.saved(
            ChangeSet(
                edges: [
                    EdgeChange(
                        relationship: relationship.id, added: [.init(from: books[0], to: tags[0])])
                ]))
        #expect(try StoreVerification(of: store).run() == [])
        let connection = try TestServer.connection()
        defer { connection.close() }
        _ = try connection.run(
            Statement(
                text.replacingOccurrences(of: "@", with: "\"\(description.location)\"."),
                prepared: false))
        // A state that does not have the change is not taken again.
        try store.saved(ChangeSet(metadata: ["step": .integer(1)]))
        defer { try? store.close() }
        return try StoreVerification(of: store).run()
    }

    @Test func aValueThatAnotherProgramChangedContradictsTheUniqueValues() throws {
        let found = try findings(after: "UPDATE @book SET code = 'c' WHERE code = 'b'")
        #expect(found.map(\.kind) == [.uniqueness])
        #expect(found.first?.example?.entityName == "Book")
    }

    @Test func aRowThatAnotherProgramDeletedLeavesValuesAndPairs() throws {
        let kinds = try findings(after: "DELETE FROM @book WHERE code = 'a'").map(\.kind)
        #expect(Set(kinds) == [.uniqueness, .pair])
    }

    @Test func nobodyFindsAnythingInASoundStore() throws {
        #expect(try findings(after: "SELECT 1") == [])
    }
}
