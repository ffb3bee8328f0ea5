import DuramenModel

/// A model with every kind of derived attribute, over relationships of every kind.
enum DerivedModel {
    static let shared: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([team, account, post, reply, label])
        } catch {
            preconditionFailure("The model of derived attributes is wrong: \(error)")
        }
    }()

    private static let team = EntityDescription(
        name: "Team", attributes: [AttributeDescription("name", .string, isOptional: true)],
        relationships: [.toMany("accounts", destination: "Account", inverse: "team")])

    private static let account = EntityDescription(
        name: "Account",
        attributes: [
            AttributeDescription("name", .string, isOptional: true),
            derived("upper", .string, "uppercase:(name)"),
            derived("lower", .string, "lowercase:(name)"),
            derived("folded", .string, "canonical:(name)"),
            derived("sortName", .string, "localized:(name)"),
            derived("plain", .string, "name"),
            derived("teamName", .string, "team.name"),
            derived("postCount", .integer64, "posts.@count", .integer(0)),
            derived("sizes", .integer64, "posts.size.@sum", .integer(0)),
            derived("small", .integer16, "posts.size.@sum", .integer(0)),
            derived("weights", .double, "posts.weight.@sum"),
            derived("prices", .decimal, "posts.price.@sum"),
        ],
        relationships: [
            .toOne("team", destination: "Team", inverse: "accounts"),
            .toMany("posts", destination: "Post", inverse: "account"),
        ],
        uniquenessConstraints: [["upper"]], indexes: [IndexDescription("postCount")])

    private static let post = EntityDescription(
        name: "Post",
        attributes: [
            AttributeDescription("size", .integer64, isOptional: true),
            AttributeDescription("weight", .double, isOptional: true),
            AttributeDescription("price", .decimal, isOptional: true),
            derived("accountName", .string, "account.name"),
            derived("teamName", .string, "canonical:(account.team.name)"),
            derived("labelCount", .integer32, "labels.@count", .integer(0)),
            derived("savedAt", .date, "now()"),
        ],
        relationships: [
            .toOne("account", destination: "Account", inverse: "posts"),
            .toMany("labels", destination: "Label", inverse: "posts"),
            .toOne("answered", destination: "Post", inverse: "answers"),
            .toMany("answers", destination: "Post", inverse: "answered"),
        ])

    private static let reply = EntityDescription(
        name: "Reply", superentity: "Post",
        attributes: [derived("answeredSize", .integer64, "answered.size")])

    private static let label = EntityDescription(
        name: "Label",
        attributes: [
            AttributeDescription("name", .string, isOptional: true),
            derived("postCount", .integer64, "posts.@count"),
            derived("weights", .double, "posts.weight.@sum"),
        ],
        relationships: [.toMany("posts", destination: "Post", inverse: "labels")])

    private static func derived(
        _ name: String, _ type: AttributeType, _ expression: String,
        _ initial: StoredValue = .null
    ) -> AttributeDescription {
        AttributeDescription(name, type, isOptional: true, default: initial)
            .derived(from: expression)
    }
}
