import DuramenModel

/// A line between two boxes.
struct DiagramEdge {
    /// One end of the line.
    struct End {
        /// The number of the box.
        let box: Int
        /// The relationship whose line it begins at; nil for the title.
        let property: String?
        /// Whether this end is a to-many.
        let isMany: Bool
    }

    let start: End
    let end: End
    /// Whether the line connects a sub-entity to its parent.
    let isInheritance: Bool

    /// Returns the lines of a model: one for each relationship with its inverse, and one for each
    /// parent.
    static func edges(of entities: [EntityDescription]) -> [DiagramEdge] {
        let numbers = Dictionary(
            entities.enumerated().map { (StoredText($1.name), $0) },
            uniquingKeysWith: { first, _ in first })
        var edges: [DiagramEdge] = []
        for (number, entity) in entities.enumerated() {
            if let parent = entity.superentity.flatMap({ numbers[StoredText($0)] }) {
                edges.append(
                    DiagramEdge(
                        start: End(box: number, property: nil, isMany: false),
                        end: End(box: parent, property: nil, isMany: false), isInheritance: true))
            }
            for relationship in entity.relationships {
                guard let target = numbers[StoredText(relationship.destination)] else { continue }
                let back = relationship.inverse.flatMap { name in
                    entities[target].relationships.first {
                        StoredText($0.name) == StoredText(name)
                    }
                }
                // The first of two inverse relationships draws the line.
                if let back {
                    let own = (number, StoredText(relationship.name))
                    let other = (target, StoredText(back.name))
                    if other < own { continue }
                }
                edges.append(
                    DiagramEdge(
                        start: End(
                            box: number, property: relationship.name,
                            isMany: back?.isToMany ?? false),
                        end: End(
                            box: target, property: back?.name, isMany: relationship.isToMany),
                        isInheritance: false))
            }
        }
        return edges
    }
}
