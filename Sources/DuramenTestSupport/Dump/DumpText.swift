import DuramenModel

/// Writes objects as text.
struct DumpText {
    private let objects: [DumpObject]
    /// The name of each object.
    private let names: [String]

    init(_ graph: DumpGraph) {
        objects = graph.objects
        names = Self.names(of: graph.objects)
    }

    /// The text of the objects of some entities; of all for nil.
    func text(of entities: Set<String>?) -> String {
        objects.indices.filter { entities?.contains(objects[$0].entity) ?? true }
            .map { lines(of: $0).joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private func lines(of index: Int) -> [String] {
        let object = objects[index]
        var lines = [names[index]]
        for (name, text) in object.attributes { lines.append("  \(name): \(text)") }
        for link in object.links {
            if link.isToMany {
                lines.append("  \(link.name):" + (link.destinations.isEmpty ? " none" : ""))
                for destination in link.destinations { lines.append("    \(names[destination])") }
            } else {
                lines.append(
                    "  \(link.name): \(link.destinations.first.map { names[$0] } ?? "nil")")
            }
        }
        return lines
    }

    /// Entity and natural key; a number where they do not suffice.
    private static func names(of objects: [DumpObject]) -> [String] {
        let plain = objects.map { object in
            let key = object.keyTexts.joined(separator: ", ")
            return key.isEmpty ? object.entity : "\(object.entity) \(key)"
        }
        var counts: [StoredText: Int] = [:]
        for name in plain { counts[StoredText(name), default: 0] += 1 }
        var numbers: [StoredText: Int] = [:]
        return zip(objects, plain).map { object, name in
            let text = StoredText(name)
            if !object.key.isEmpty, counts[text] == 1 { return name }
            numbers[text, default: 0] += 1
            return "\(name) #\(numbers[text] ?? 0)"
        }
    }
}
