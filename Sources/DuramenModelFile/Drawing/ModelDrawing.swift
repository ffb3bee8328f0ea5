import DuramenModel
import Foundation

/// A diagram of a model's entities and relationships, as SVG.
///
/// A forked end means many objects, and a hollow triangle the parent of an entity. The names of
/// abstract entities are slanted.
public struct ModelDrawing: Sendable {
    /// The diagram as SVG text.
    public let svg: String

    private static let font = "Helvetica, Arial, sans-serif"
    /// The colours of titles; entities of one hierarchy have one colour.
    private static let colours = [
        "#2f5d8a", "#7a4b82", "#3d7a57", "#9a5a2f", "#4b5a6a", "#8a3f4f", "#5b6f2f", "#2f7a80",
    ]

    /// Draws a model.
    ///
    /// - Parameters:
    ///   - document: The model.
    ///   - name: The diagram's title.
    /// - Complexity: O(*n* log *n*) in the number of entities and relationships.
    public init(_ document: ModelDocument, name: String) {
        let entities = DocumentTranslation(document, codableTypes: document.namedTypes).descriptions
        let edges = DiagramEdge.edges(of: entities)
        let layout = DiagramLayout(entities.map(DiagramBox.init), edges)
        let boxes = layout.boxes
        let size = (Self.text(max(layout.width, 480)), Self.text(layout.height))
        var root = MarkupElement(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "width": size.0, "height": size.1,
                "viewBox": "0 0 \(size.0) \(size.1)", "font-family": Self.font, "font-size": "12",
            ])
        root.children.append(
            MarkupElement("rect", ["width": "100%", "height": "100%", "fill": "#fbfaf7"]))
        root.children += Self.heading(name, document, entities, edges)
        root.children += edges.flatMap { Self.lines($0, boxes) }
        let roots = Self.roots(of: entities)
        for (index, box) in boxes.enumerated() {
            root.children += Self.shapes(
                box, colour: Self.colours[roots[index] % Self.colours.count])
        }
        svg = MarkupWriter.text(root)
    }

    /// Returns the number of each entity's hierarchy.
    private static func roots(of entities: [EntityDescription]) -> [Int] {
        let parents = Dictionary(
            entities.map { (StoredText($0.name), $0.superentity) },
            uniquingKeysWith: { first, _ in first })
        var numbers: [StoredText: Int] = [:]
        return entities.map { entity in
            var root = StoredText(entity.name)
            // The loop also ends for a circle of parents.
            for _ in entities {
                guard let parent = parents[root] ?? nil else { break }
                root = StoredText(parent)
            }
            let number = numbers[root] ?? numbers.count
            numbers[root] = number
            return number
        }
    }

    // MARK: - Shapes

    private static func heading(
        _ name: String, _ document: ModelDocument, _ entities: [EntityDescription],
        _ edges: [DiagramEdge]
    ) -> [MarkupElement] {
        let version = document.versionIdentifiers.filter { !$0.isEmpty }.joined(separator: ", ")
        let relationships = entities.reduce(0) { $0 + $1.relationships.count }
        let counts =
            "\(entities.count) entities, \(relationships) relationships"
            + (version.isEmpty ? "" : ", version \(version)")
        return [
            text(name, x: 40, y: 44, ["font-size": "24", "font-weight": "bold", "fill": "#222"]),
            text(counts, x: 40, y: 64, ["fill": "#666"]),
        ]
    }

    private static func shapes(_ box: DiagramBox, colour: String) -> [MarkupElement] {
        let frame: KeyValuePairs = [
            "x": text(box.x), "y": text(box.y), "width": text(box.width),
            "height": text(box.height), "rx": "5", "fill": "#ffffff", "stroke": colour,
            "stroke-width": "1.2",
        ]
        let bar: KeyValuePairs = [
            "x": text(box.x), "y": text(box.y), "width": text(box.width),
            "height": text(DiagramBox.titleHeight), "rx": "5", "fill": colour,
        ]
        var title: KeyValuePairs = ["font-size": "13", "font-weight": "bold", "fill": "#ffffff"]
        if box.entity.isAbstract {
            title = [
                "font-size": "13", "font-weight": "bold", "font-style": "italic",
                "fill": "#ffffff",
            ]
        }
        var shapes = [
            MarkupElement("rect", frame), MarkupElement("rect", bar),
            text(box.entity.name, x: box.x + 10, y: box.y + 19, title),
        ]
        for (index, row) in box.rows.enumerated() {
            let y =
                box.y + DiagramBox.titleHeight + 4 + (Double(index) + 0.5) * DiagramBox.rowHeight
                + 4
            shapes.append(
                text(row.name, x: box.x + 10, y: y, ["fill": row.isRelationship ? colour : "#222"]))
            shapes.append(
                text(row.type, x: box.right - 10, y: y, ["fill": "#8a8a8a", "text-anchor": "end"]))
        }
        return shapes
    }

    // MARK: - Lines

    private static func lines(_ edge: DiagramEdge, _ boxes: [DiagramBox]) -> [MarkupElement] {
        let (a, b) = (boxes[edge.start.box], boxes[edge.end.box])
        // The sides face each other; in one column the line goes around the right side.
        let startsRight = a.column <= b.column
        let endsRight = a.column >= b.column
        let start = (x: startsRight ? a.right : a.x, y: a.middle(of: edge.start.property))
        let end = (x: endsRight ? b.right : b.x, y: b.middle(of: edge.end.property))
        let reach = a.column == b.column ? 60 : max(50, abs(end.x - start.x) / 2)
        let out = startsRight ? 1.0 : -1.0
        let back = endsRight ? 1.0 : -1.0
        let path =
            "M \(text(start.x)) \(text(start.y)) C \(text(start.x + out * reach)) \(text(start.y)), "
            + "\(text(end.x + back * reach)) \(text(end.y)), \(text(end.x)) \(text(end.y))"
        let colour = edge.isInheritance ? "#444444" : "#9aa4ad"
        var result = [
            MarkupElement(
                "path",
                [
                    "d": path, "fill": "none", "stroke": colour, "stroke-width": "1.2",
                    "stroke-dasharray": edge.isInheritance ? "5 3" : "none",
                ])
        ]
        if edge.isInheritance { result.append(triangle(end.x, end.y, back, colour)) }
        if edge.start.isMany { result.append(fork(start.x, start.y, out, colour)) }
        if edge.end.isMany { result.append(fork(end.x, end.y, back, colour)) }
        return result
    }

    /// Returns a fork of three teeth that touch the box.
    private static func fork(
        _ x: Double, _ y: Double, _ direction: Double, _ colour: String
    ) -> MarkupElement {
        let tip = text(x + direction * 10)
        let path =
            "M \(tip) \(text(y)) L \(text(x)) \(text(y - 5)) M \(tip) \(text(y)) "
            + "L \(text(x)) \(text(y + 5))"
        return MarkupElement(
            "path", ["d": path, "fill": "none", "stroke": colour, "stroke-width": "1.2"])
    }

    private static func triangle(
        _ x: Double, _ y: Double, _ direction: Double, _ colour: String
    ) -> MarkupElement {
        let base = text(x + direction * 11)
        let path =
            "M \(text(x)) \(text(y)) L \(base) \(text(y - 6)) L \(base) \(text(y + 6)) Z"
        return MarkupElement(
            "path", ["d": path, "fill": "#ffffff", "stroke": colour, "stroke-width": "1.2"])
    }

    // MARK: - Text

    private static func text(
        _ content: String, x: Double, y: Double, _ attributes: KeyValuePairs<String, String>
    ) -> MarkupElement {
        var element = MarkupElement("text", ["x": text(x), "y": text(y)])
        for (name, value) in attributes { element[name] = value }
        element.text = content
        return element
    }

    /// Returns a number with one decimal digit.
    private static func text(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }
}
