import Duramen

/// Three versions of a small model, as a program has them over the years. A program of today has
/// the last one only; the others are here so that this one can play all three.
enum Versions {
    /// What the first release kept.
    static func first() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            [
                EntityDescription(
                    name: "Package",
                    attributes: [
                        AttributeDescription("name", .string),
                        AttributeDescription("kilobytes", .integer32, isOptional: true),
                        AttributeDescription("remark", .string, isOptional: true),
                    ],
                    relationships: [toSection]),
                section,
            ], versionIdentifiers: ["1.0"])
    }

    /// A new attribute with a default, and one under a better name.
    static func second() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            [
                EntityDescription(
                    name: "Package",
                    attributes: [
                        AttributeDescription("name", .string),
                        AttributeDescription(
                            "installedSize", .integer32, isOptional: true,
                            renamingIdentifier: "kilobytes"),
                        AttributeDescription("remark", .string, isOptional: true),
                        AttributeDescription("isPinned", .boolean, default: .boolean(false)),
                    ],
                    relationships: [toSection]),
                section,
            ], versionIdentifiers: ["1.1"])
    }

    /// A wider number, names that occur once, an entity that is called otherwise, and a remark
    /// less.
    static func third() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            [
                EntityDescription(
                    name: "Package",
                    attributes: [
                        AttributeDescription("name", .string),
                        // The name that it had first stays its identifier.
                        AttributeDescription(
                            "installedSize", .integer64, isOptional: true,
                            renamingIdentifier: "kilobytes"),
                        AttributeDescription("isPinned", .boolean, default: .boolean(false)),
                    ],
                    relationships: [
                        .toOne("section", destination: "Group", inverse: "packages")
                    ]),
                EntityDescription(
                    name: "Group", renamingIdentifier: "Section",
                    attributes: [AttributeDescription("name", .string)],
                    relationships: [
                        .toMany("packages", destination: "Package", inverse: "section")
                    ], uniquenessConstraints: [["name"]]),
            ], versionIdentifiers: ["1.2"])
    }

    // What the first two versions have in common.
    private static let section = EntityDescription(
        name: "Section", attributes: [AttributeDescription("name", .string)],
        relationships: [.toMany("packages", destination: "Package", inverse: "section")])
    private static let toSection = RelationshipDescription.toOne(
        "section", destination: "Section", inverse: "packages")
}
