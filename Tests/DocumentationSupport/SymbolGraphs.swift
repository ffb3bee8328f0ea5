public import Foundation

/// The symbol graphs of modules, as the compiler extracts them, made ready for DocC.
///
/// All modules are one site, so links can go from any page to any other. A page names a type of
/// another module by its name alone, as the code does that imports `Duramen`; DocC needs its
/// module.
public struct SymbolGraphs {
    /// A graph's file: a module, or what a module adds to another one.
    private struct Graph {
        var file: String
        /// The module whose pages show the symbols: the one that is extended.
        var module: String
        var content: [String: Any]

        var symbols: [[String: Any]] {
            get { content["symbols"] as? [[String: Any]] ?? [] }
            set { content["symbols"] = newValue }
        }
    }

    private var graphs: [Graph] = []
    /// The modules that declare a type at the top level, by the type's name.
    private var modules: [String: Set<String>] = [:]

    /// Reads the graphs in a folder.
    public init(in folder: URL) throws {
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        where file.hasSuffix(".symbols.json") {
            let data = try Data(contentsOf: folder.appending(path: file))
            guard let content = try JSONSerialization.jsonObject(with: data) as? [String: Any],
                let module = file.split(separator: ".").first?.split(separator: "@").last
            else { throw DocumentationError(file, nil, "is not a symbol graph") }
            graphs.append(Graph(file: file, module: String(module), content: content))
        }
        for graph in graphs where !graph.file.contains("@") {
            for symbol in graph.symbols {
                guard let path = symbol["pathComponents"] as? [String], path.count == 1 else {
                    continue
                }
                modules[path[0], default: []].insert(graph.module)
            }
        }
    }

    // MARK: - For DocC

    /// Writes graphs in which links name modules, and calls do not show the parameter `isolation`.
    public func write(to folder: URL) throws {
        for var graph in graphs {
            graph.symbols = graph.symbols.map { symbol in
                var symbol = symbol
                if var comment = symbol["docComment"] as? [String: Any],
                    var lines = comment["lines"] as? [[String: Any]]
                {
                    for index in lines.indices {
                        guard let text = lines[index]["text"] as? String else { continue }
                        lines[index]["text"] = qualifyingLinks(in: text, of: graph.module)
                    }
                    comment["lines"] = lines
                    symbol["docComment"] = comment
                }
                if let names = symbol["names"] as? [String: Any] {
                    symbol["names"] = Self.hidingIsolation(in: names)
                }
                return symbol
            }
            try JSONSerialization.data(withJSONObject: graph.content)
                .write(to: folder.appending(path: graph.file))
        }
    }

    /// A text of a module with the module in links to types of other modules.
    public func qualifyingLinks(in text: String, of module: String) -> String {
        text.replacing(#/``([A-Za-z]\w*)([^`]*)``/#) { match in
            let declaring = modules[String(match.output.1)] ?? []
            guard !declaring.contains(module), let other = declaring.first, declaring.count == 1
            else { return String(match.output.0) }
            return "``/\(other)/\(match.output.1)\(match.output.2)``"
        }
    }

    /// Names without the parameter `isolation`, which has a default that nobody replaces.
    private static func hidingIsolation(in names: [String: Any]) -> [String: Any] {
        var names = names
        if let title = names["title"] as? String {
            names["title"] = title.replacing("isolation:", with: "")
        }
        for part in ["subHeading", "navigator"] {
            guard let fragments = names[part] as? [[String: Any]] else { continue }
            names[part] = hidingIsolation(in: fragments)
        }
        return names
    }

    private static func hidingIsolation(in fragments: [[String: Any]]) -> [[String: Any]] {
        func text(_ index: Int) -> String { fragments[index]["spelling"] as? String ?? "" }
        let start = fragments.firstIndex { fragment in
            fragment["kind"] as? String == "externalParam"
                && fragment["spelling"] as? String == "isolation"
        }
        guard let start, start > 0,
            let end = fragments.indices.first(where: { $0 > start && text($0).contains(")?") })
        else { return fragments }
        let rest = text(end).drop { $0 != "?" }.dropFirst()
        var before = text(start - 1)
        if before.hasSuffix(", ") { before.removeLast(2) }
        let joined: [String: Any] = ["kind": "text", "spelling": before + rest]
        return Array(fragments[..<(start - 1)]) + [joined] + Array(fragments[(end + 1)...])
    }

    // MARK: - Coverage

    /// The public declarations without a documentation comment.
    public struct Coverage {
        /// Types without a comment; there should be none.
        public var types: [String] = []
        /// Members without a comment.
        public var members: [String] = []
        /// The number of all members.
        public var memberCount = 0

        /// The part of the members that have a comment, from 0 to 1.
        public var share: Double {
            memberCount == 0 ? 1 : 1 - Double(members.count) / Double(memberCount)
        }
    }

    /// Counts what has a comment. Symbols that the compiler makes have no place in a source and do
    /// not count.
    public func coverage() -> Coverage {
        var coverage = Coverage()
        for graph in graphs {
            for symbol in graph.symbols where symbol["location"] != nil {
                let kind = (symbol["kind"] as? [String: Any])?["identifier"] as? String ?? ""
                if kind == "swift.extension" { continue }
                let path = (symbol["pathComponents"] as? [String] ?? []).joined(separator: ".")
                let name = "\(graph.module): \(path)"
                let isType = Self.typeKinds.contains(kind)
                if !isType { coverage.memberCount += 1 }
                guard symbol["docComment"] == nil else { continue }
                if isType { coverage.types.append(name) } else { coverage.members.append(name) }
            }
        }
        return coverage
    }

    private static let typeKinds: Set = [
        "swift.class", "swift.struct", "swift.enum", "swift.protocol", "swift.typealias",
        "swift.macro",
    ]
}
