import DuramenModel

/// An entity in a diagram: a title, and a line for each property.
struct DiagramBox {
    /// One line of the box.
    struct Row {
        let name: String
        let type: String
        let isRelationship: Bool
    }

    static let titleHeight = 28.0
    static let rowHeight = 18.0
    /// The average width of a letter, approximately.
    private static let letterWidth = 6.8

    let entity: EntityDescription
    let rows: [Row]
    let width: Double
    let height: Double
    /// The upper left corner.
    var x = 0.0
    var y = 0.0
    /// The column of the box.
    var column = 0

    init(_ entity: EntityDescription) {
        self.entity = entity
        let attributes = entity.attributes.sorted { StoredText($0.name) < StoredText($1.name) }
        let relationships = entity.relationships.sorted {
            StoredText($0.name) < StoredText($1.name)
        }
        rows =
            attributes.map { attribute in
                Row(
                    name: attribute.name,
                    type: "\(attribute.type)\(attribute.isOptional ? "?" : "")",
                    isRelationship: false)
            }
            + relationships.map { relationship in
                Row(
                    name: relationship.name,
                    type: relationship.destination
                        + (relationship.isToMany ? " *" : relationship.isOptional ? "?" : ""),
                    isRelationship: true)
            }
        let letters = rows.map { $0.name.count + $0.type.count + 3 }.max() ?? 0
        // The letters of a title are larger.
        let title = Double(entity.name.count) * 1.3 * Self.letterWidth
        width = max(160, Double(letters) * Self.letterWidth + 20, title + 20)
        height = Self.titleHeight + Double(rows.count) * Self.rowHeight + (rows.isEmpty ? 0 : 8)
    }

    var right: Double { x + width }

    /// Returns the middle of a property's line, or of the title for an unknown property.
    func middle(of property: String?) -> Double {
        guard let property,
            let index = rows.firstIndex(where: { $0.isRelationship && $0.name == property })
        else { return y + Self.titleHeight / 2 }
        return y + Self.titleHeight + 4 + (Double(index) + 0.5) * Self.rowHeight
    }
}
