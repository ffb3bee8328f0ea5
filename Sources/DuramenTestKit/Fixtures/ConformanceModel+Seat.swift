import DuramenModel

extension ConformanceModel {
    /// A seat in a hall, unique by its row in the hall and by its guest.
    static var seat: EntityDescription {
        EntityDescription(
            name: "Seat", attributes: [AttributeDescription("row", .integer32, isOptional: true)],
            relationships: [
                .toOne("hall", destination: "Hall", inverse: "seats"),
                .toOne("guest", destination: "Item", inverse: "seats"),
            ],
            uniquenessConstraints: [["hall", "row"], ["guest"]])
    }

    /// A seat with another to-one, whose constraint contains an inherited and an own relationship.
    static var box: EntityDescription {
        EntityDescription(
            name: "Box", superentity: "Seat",
            relationships: [.toOne("annex", destination: "Hall", inverse: "boxes")],
            uniquenessConstraints: [["annex", "hall"]])
    }

    static var hall: EntityDescription {
        EntityDescription(
            name: "Hall", attributes: [AttributeDescription("name", .string, isOptional: true)],
            relationships: [
                .toMany("seats", destination: "Seat"), .toMany("boxes", destination: "Box"),
            ])
    }
}
