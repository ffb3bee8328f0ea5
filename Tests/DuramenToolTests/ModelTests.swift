import Foundation
import StoreTestSupport
import Testing

/// `duramen model`, over the models of the examples and files of its own.
@Suite struct ModelTests {
    private static let accounts = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Examples/Sources/ModelFile/Accounts.xcdatamodeld").path
    let folder = TemporaryFolder()

    /// A model of one entity with the given content.
    private func file(_ content: String, named name: String = "contents") throws -> String {
        let path = folder.file(name)
        let text = "<model>\n<entity name=\"Thing\">\n\(content)\n</entity>\n</model>"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test func changesBetweenVersionsAreNamed() throws {
        let diff = try Tool("model", "diff", Self.accounts)
        #expect(diff.status == 0)
        #expect(
            diff.output == """
                Account: indexes changed (no migration)
                Account.login: rules of validation changed (no migration)
                Account.person: attribute added
                Account.shell: attribute added
                Account.remark: attribute removed
                Account.groups: relationship added
                Account.primaryGroup: relationship added
                Group: entity added
                withoutShell: fetch request added (no migration)
                numbered: fetch request added (no migration)
                Accounts 2 -> Accounts 3: 10 changes, a migration is inferred

                """)
        let first = try Tool("model", "diff", Self.accounts, "--to", "Accounts 2")
        #expect(first.output.contains("Account: entity renamed from User\n"))
        #expect(first.output.contains("Account.number: attribute renamed from uid\n"))
    }

    @Test func aMigrationThatSomebodyHasToWriteIsAStatus() throws {
        let old = try file("", named: "old")
        let new = try file(
            "<attribute name=\"name\" attributeType=\"String\"/>", named: "new")
        let diff = try Tool("model", "diff", old, new)
        #expect(diff.status == 1)
        #expect(
            diff.output.hasPrefix(
                "Thing.name: attribute added; not inferred: it is mandatory and has no default"))
        #expect(try Tool("model", "diff", new, old).status == 0)
    }

    @Test func mistakesAreShownAtTheirPlaces() throws {
        let path = try file(
            """
            <attribute name="a" attributeType="Integer 16" defaultValueString="many"/>
            <attribute name="b" attributeType="String" colour="red"/>
            <attribute name="b" attributeType="String"/>
            """)
        let result = try Tool("model", "validate", path)
        #expect(result.status == 1)
        #expect(
            result.output.contains(
                "\(path):3:1: warning: Thing.a: its default value does not fit Integer 16; left out"
            ))
        #expect(result.output.contains("\(path):5:1: error: Thing.b: "))
        #expect(result.output.contains("note: Thing.b: 'colour' of 'attribute' is not known"))
        #expect(result.output.hasSuffix("1 version, 3 findings\n"))
    }

    @Test func warningsFailWhereTheyAreAskedTo() throws {
        let path = try file(
            "<attribute name=\"a\" attributeType=\"Boolean\" defaultValueString=\"maybe\"/>")
        #expect(try Tool("model", "validate", path).status == 0)
        #expect(try Tool("model", "validate", "--strict", path).status == 1)
        let broken = try Tool("model", "validate", folder.file("nothing"))
        #expect(broken.status == 1)
        #expect(broken.output.contains("there is no such file or folder. [notFound]"))
    }

    @Test func versionsAreShownWithTheirChecksums() throws {
        let checksums = try Tool("model", "checksum", Self.accounts)
        let names = checksums.output.split(separator: "\n").map { $0.split(separator: "  ")[1] }
        #expect(names == ["Accounts", "Accounts 2", "Accounts 3"])
        let show = try Tool("model", "show", Self.accounts, "--version", "Accounts 2")
        let checksum = checksums.output.split(separator: "\n")[1].split(separator: "  ")[0]
        #expect(
            show.output.hasPrefix("Accounts, version Accounts 2 of 3, checksum \(checksum)\n\n"))
        #expect(show.output.contains("number  Integer 64  with a default, once uid\n"))
        let missing = try Tool("model", "show", Self.accounts, "--version", "4")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("it has 'Accounts', 'Accounts 2', 'Accounts 3'."))
    }

    @Test func codeAndDrawingsAreWrittenToFiles() throws {
        let code = folder.file("Accounts.swift")
        #expect(
            try Tool("model", "generate", Self.accounts, "-o", code, "--access", "public").status
                == 0)
        let source = try String(contentsOfFile: code, encoding: .utf8)
        #expect(source.contains("public final class Account: ManagedObject, Identifiable {"))
        #expect(try Tool("model", "generate", Self.accounts, "--access", "secret").status == 64)
        let drawing = folder.file("accounts.svg")
        #expect(try Tool("model", "draw", Self.accounts, "--output", drawing).status == 0)
        let svg = try String(contentsOfFile: drawing, encoding: .utf8)
        #expect(svg.contains(">primaryMembers</text>"))
        #expect(svg.hasSuffix("</svg>\n"))
    }
}
