import DuramenModel

extension ConformanceModel {
    /// An entity with composites of every shape, and with names that resemble those of their
    /// elements.
    static var site: EntityDescription {
        EntityDescription(
            name: "Site",
            attributes: [
                AttributeDescription("number", .integer64, isOptional: true),
                AttributeDescription("position_latitude", .string, isOptional: true),
                .composite(
                    "position", isOptional: true,
                    elements: [
                        AttributeDescription("latitude", .double),
                        AttributeDescription("longitude", .double),
                        AttributeDescription("height", .double, isOptional: true),
                        .composite(
                            "grid", isOptional: true,
                            elements: [
                                AttributeDescription("zone", .integer16),
                                AttributeDescription("square", .string),
                            ]),
                    ]),
                .composite(
                    "origin",
                    elements: [
                        AttributeDescription("name", .string, isOptional: true),
                        AttributeDescription("price", .decimal, isOptional: true),
                        AttributeDescription("found", .date, isOptional: true),
                        .codable([String]?.self, name: "marks", identifier: "Texts"),
                    ]),
                .composite("nothing", isOptional: true, elements: []),
                .codable([String]?.self, name: "labels", identifier: "Texts"),
            ],
            relationships: [
                .toOne("next", destination: "Site", inverse: "previous"),
                .toOne("previous", destination: "Site"),
            ],
            uniquenessConstraints: [["position.grid.zone", "position.grid.square"]],
            indexes: [
                IndexDescription("position.latitude"), IndexDescription("origin.name", "number"),
            ])
    }
}
