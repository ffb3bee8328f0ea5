import Duramen

/// The model of the example `BatchImport`, without its classes.
///
/// Building them takes the macros. A store refuses a model that differs from the one that it was
/// made with, so this cannot fall behind unnoticed.
enum PackageModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "Package",
                attributes: [
                    AttributeDescription("identifier", .string),
                    AttributeDescription("state", .integer16),
                    AttributeDescription("version", .string, isOptional: true),
                    AttributeDescription("architecture", .string, isOptional: true),
                    AttributeDescription("synopsis", .string, isOptional: true),
                    AttributeDescription("homepage", .string, isOptional: true),
                    AttributeDescription("installedSizeKiB", .integer64, isOptional: true),
                ],
                relationships: [
                    .toOne("section", destination: "Section"),
                    .toOne("maintainer", destination: "Maintainer"),
                    .toMany("dependencies", destination: "Package", inverse: "dependents"),
                    .toMany("dependents", destination: "Package"),
                    .toMany(
                        "alternatives", destination: "Package", inverse: "alternativeDependents"),
                    .toMany("alternativeDependents", destination: "Package"),
                    .toMany("provides", destination: "Package", inverse: "providers"),
                    .toMany("providers", destination: "Package"),
                ],
                uniquenessConstraints: [["identifier"]],
                indexes: [IndexDescription("state")]),
            EntityDescription(
                name: "Section", attributes: [AttributeDescription("name", .string)],
                relationships: [.toMany("packages", destination: "Package", inverse: "section")],
                uniquenessConstraints: [["name"]]),
            EntityDescription(
                name: "Maintainer",
                attributes: [
                    AttributeDescription("contact", .string),
                    AttributeDescription("name", .string),
                    AttributeDescription("address", .string, isOptional: true),
                ],
                relationships: [.toMany("packages", destination: "Package", inverse: "maintainer")],
                uniquenessConstraints: [["contact"]]),
        ])
    }
}
