import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// The statements that make a store, for those who do not let a program make tables.
struct CreationScript {
    let creation: StoreCreation
    /// The roles that may then use the store.
    let roles: [String]

    func text() throws(StoreError) -> String {
        let schema = try creation.schema()
        var statements = ["BEGIN"] + settings + SchemaStatements(schema: schema).all
        statements += [try creation.about(in: schema), model(in: schema)]
        statements += roles.flatMap { grants(to: $0, schema) } + ["COMMIT"]
        return statements.map { $0 + ";\n" }.joined()
    }

    /// The text means the same whatever the session's settings are.
    private var settings: [String] {
        ["SET LOCAL client_encoding = 'UTF8'", "SET LOCAL standard_conforming_strings = on"]
    }

    /// The statement that keeps the model, as every opening does.
    private func model(in schema: PostgresSchema) -> String {
        let model = creation.model
        return "INSERT INTO \(schema.own(.models)) VALUES "
            + "(\(SQLQuoting.literal(model.versionChecksum)), \(SQLQuoting.bytes(model.archived())))"
    }

    /// By name, since there may be tables of others.
    private func grants(to role: String, _ schema: PostgresSchema) -> [String] {
        let role = SQLQuoting.identifier(role)
        let tables = schema.everyTable.map {
            "\(schema.quotedName).\(SQLQuoting.identifier($0))"
        }
        let sequences = OwnSequence.allCases.map { schema.own($0) }
        return ["GRANT USAGE ON SCHEMA \(schema.quotedName) TO \(role)"]
            + tables.map { "GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE \($0) TO \(role)" }
            + sequences.map { "GRANT USAGE, SELECT, UPDATE ON SEQUENCE \($0) TO \(role)" }
    }
}

extension SQLQuoting {
    /// Returns bytes as a literal.
    static func bytes(_ bytes: some Sequence<UInt8>) -> String {
        "pg_catalog.decode('\(Data(bytes).base64EncodedString())', 'base64')"
    }
}
