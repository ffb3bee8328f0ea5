import DuramenModel
import DuramenSQL
import DuramenStore

/// The statements that make a store, for those who do not let a program make tables.
struct CreationScript {
    let creation: StoreCreation
    /// The roles that may then use the store.
    let roles: [String]

    func text() throws(StoreError) -> String {
        let schema = try creation.schema()
        let statements =
            try ["BEGIN"] + settings + SchemaStatements(schema: schema).all
            + [creation.about(in: schema)] + roles.flatMap { grants(to: $0, schema.quotedName) }
            + ["COMMIT"]
        return statements.map { $0 + ";\n" }.joined()
    }

    /// The text means the same whatever the session's settings are.
    private var settings: [String] {
        ["SET LOCAL client_encoding = 'UTF8'", "SET LOCAL standard_conforming_strings = on"]
    }

    private func grants(to role: String, _ schema: String) -> [String] {
        let role = SQLQuoting.identifier(role)
        return [
            "GRANT USAGE ON SCHEMA \(schema) TO \(role)",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(role)",
            "GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA \(schema) TO \(role)",
        ]
    }
}
