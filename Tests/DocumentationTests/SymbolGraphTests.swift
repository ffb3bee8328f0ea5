import DocumentationSupport
import Foundation
import Testing

/// What is made ready for DocC.
struct SymbolGraphTests {
    private static func symbol(
        _ path: [String], title: String, subHeading: [[String: String]] = [],
        comment: String? = nil,
        kind: String = "swift.method"
    ) -> [String: Any] {
        var symbol: [String: Any] = [
            "pathComponents": path, "kind": ["identifier": kind], "location": [:],
            "names": ["title": title, "subHeading": subHeading],
        ]
        if let comment { symbol["docComment"] = ["lines": [["text": comment]]] }
        return symbol
    }

    private static func graphs(_ modules: [String: [[String: Any]]]) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (module, symbols) in modules {
            try JSONSerialization.data(withJSONObject: ["symbols": symbols])
                .write(to: folder.appending(path: "\(module).symbols.json"))
        }
        return folder
    }

    @Test func aLinkToAnotherModuleNamesIt() throws {
        let folder = try Self.graphs([
            "A": [Self.symbol(["Own"], title: "Own"), Self.symbol(["Both"], title: "Both")],
            "B": [Self.symbol(["Other"], title: "Other"), Self.symbol(["Both"], title: "Both")],
        ])
        defer { try? FileManager.default.removeItem(at: folder) }
        let graphs = try SymbolGraphs(in: folder)
        let text = "``Own`` ``Both`` ``Other/save(_:)`` ``unknown`` `Other`"
        #expect(
            graphs.qualifyingLinks(in: text, of: "A")
                == "``Own`` ``Both`` ``/B/Other/save(_:)`` ``unknown`` `Other`")
    }

    @Test(arguments: [
        ("save(isolation:)", "save(", ")?) throws", "save()", "save() throws"),
        (
            "execute(_:isolation:)", "execute(Request, ", ")?) throws", "execute(_:)",
            "execute(Request) throws"
        ),
    ])
    func aCallDoesNotShowItsIsolation(
        title: String, before: String, after: String, newTitle: String, newHeading: String
    ) throws {
        let fragments = [
            ["kind": "text", "spelling": before],
            ["kind": "externalParam", "spelling": "isolation"],
            ["kind": "text", "spelling": ": "], ["kind": "keyword", "spelling": "isolated"],
            ["kind": "text", "spelling": " (any "],
            ["kind": "typeIdentifier", "spelling": "Actor"],
            ["kind": "text", "spelling": after],
        ]
        let folder = try Self.graphs([
            "A": [Self.symbol(["T", title], title: title, subHeading: fragments)]
        ])
        let written = try Self.graphs([:])
        defer {
            try? FileManager.default.removeItem(at: folder)
            try? FileManager.default.removeItem(at: written)
        }
        try SymbolGraphs(in: folder).write(to: written)
        let data = try Data(contentsOf: written.appending(path: "A.symbols.json"))
        let content = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: [[String: Any]]])
        let names = try #require(content["symbols"]?.first?["names"] as? [String: Any])
        #expect(names["title"] as? String == newTitle)
        let heading = names["subHeading"] as? [[String: String]] ?? []
        #expect(heading.compactMap { $0["spelling"] }.joined() == newHeading)
    }

    @Test func declarationsWithoutACommentAreCounted() throws {
        let folder = try Self.graphs([
            "A": [
                Self.symbol(["T"], title: "T", kind: "swift.struct"),
                Self.symbol(["T", "a"], title: "a", comment: "A."),
                Self.symbol(["T", "b"], title: "b"),
            ]
        ])
        defer { try? FileManager.default.removeItem(at: folder) }
        let coverage = try SymbolGraphs(in: folder).coverage()
        #expect(coverage.types == ["A: T"] && coverage.members == ["A: T.b"])
        #expect(coverage.memberCount == 2 && coverage.share == 0.5)
    }
}
