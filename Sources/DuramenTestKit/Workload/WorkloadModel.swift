public import DuramenModel

/// The model of the random workload: a tree of nodes and leaves, with tags.
///
/// ```
///   Node ── Leaf     Node.parent ↔ Node.children   Node.tags ↔ Tag.nodes   Tag.lead ↔ Node.leading
///   Node.list ↔ Tag.entries, ordered               Node.chain ↔ itself, ordered
///   Tag.picks ↔ Node.pickedBy, ordered both ways   Node.peers ↔ itself
///   Tag.cover → Node, Tag.drawer → Node, ordered: without inverses
/// ```
public enum WorkloadModel {
    /// The model, created once.
    public static let shared: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([node, leaf, tag])
        } catch {
            // The descriptions are constants, which the suite's own tests resolve.
            preconditionFailure("The workload's model does not resolve: \(error)")
        }
    }()

    private static let node = EntityDescription(
        name: "Node",
        attributes: [
            AttributeDescription("name", .string, isOptional: true),
            AttributeDescription("rank", .integer64, isOptional: true),
            AttributeDescription("weight", .double, isOptional: true),
            AttributeDescription("note", .string, isOptional: true),
            AttributeDescription("isOpen", .boolean, isOptional: true),
            AttributeDescription(
                "image", .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true),
            AttributeDescription("row", .integer32, isOptional: true),
            AttributeDescription("column", .integer32, isOptional: true),
            .composite(
                "place", isOptional: true,
                elements: [
                    AttributeDescription("x", .double), AttributeDescription("mark", .string),
                    .composite("grid", elements: [AttributeDescription("zone", .integer16)]),
                ]),
            .codable([String]?.self, name: "labels", identifier: "Labels"),
        ],
        relationships: [
            .toOne("parent", destination: "Node", inverse: "children"),
            .toMany("children", destination: "Node"),
            .toMany("tags", destination: "Tag", inverse: "nodes"),
            .toMany("leading", destination: "Tag"),
            .toOne("list", destination: "Tag", inverse: "entries"),
            .toMany("peers", destination: "Node", inverse: "peers"),
            .toMany("chain", destination: "Node", inverse: "chain", isOrdered: true),
            .toMany("pickedBy", destination: "Tag", isOrdered: true),
        ],
        uniquenessConstraints: [["name"], ["row", "column"]],
        indexes: [IndexDescription("rank"), IndexDescription("place.grid.zone", "place.x")])

    private static let leaf = EntityDescription(
        name: "Leaf", superentity: "Node",
        attributes: [
            AttributeDescription("price", .decimal, isOptional: true),
            AttributeDescription("due", .date, isOptional: true),
        ])

    private static let tag = EntityDescription(
        name: "Tag", attributes: [AttributeDescription("name", .string, isOptional: true)],
        relationships: [
            .toMany("nodes", destination: "Node"),
            .toOne("lead", destination: "Node", inverse: "leading"),
            .toMany("entries", destination: "Node", isOrdered: true),
            .toMany("picks", destination: "Node", inverse: "pickedBy", isOrdered: true),
            .toOne("cover", destination: "Node"),
            .toMany("drawer", destination: "Node", isOrdered: true),
        ],
        uniquenessConstraints: [["name"], ["lead", "cover"]])
}
