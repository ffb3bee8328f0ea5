import DuramenModel
import DuramenStore

/// Gives new tables the owner and the rights of old ones.
///
/// A right to all tables is given for all new ones, and a right to one table for its namesake.
struct SchemaRights {
    private let catalog: Catalog
    private let names: [Parameter]

    /// - Parameters:
    ///   - catalog: A transaction of the owner.
    ///   - source: The old schema.
    ///   - target: The new schema, which the present role owns.
    init(_ catalog: Catalog, from source: String, to target: String) {
        self.catalog = catalog
        names = [.text(source), .text(target), .texts([])]
    }

    /// - Parameters:
    ///   - catalog: A transaction of the owner.
    ///   - schema: The schema.
    ///   - added: The names of its new tables, which the present role owns.
    init(_ catalog: Catalog, in schema: String, for added: Set<StoredText>) {
        self.catalog = catalog
        names = [.text(schema), .text(schema), .texts(added.map(\.string).sorted())]
    }

    func copy() throws(StoreError) {
        try run(Self.owners)
        try run(Self.rights)
    }

    /// Runs the statements that a query returns.
    private func run(_ query: String) throws(StoreError) {
        let found = try catalog.run(query, names)
        for row in 0..<found.rowCount {
            if let text = found.text(row, 0) { _ = try catalog.run(text) }
        }
    }

    /// The relations of both schemas; `isold` for those of the old one.
    private static let relations = """
        WITH relations AS (
            SELECT n.nspname = $1::text AND c.relname <> ALL ($3::text[]) AS isold, n.nspname, c.relname, c.relkind, c.relowner,
                c.relacl
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname IN ($1::text, $2::text) AND c.relkind IN ('r', 'S'))
        """

    private static let owners = """
        \(relations)
        SELECT format('ALTER TABLE %I.%I OWNER TO %I', nspname, relname, owner)
        FROM relations, (
            SELECT pg_get_userbyid(relowner) AS owner FROM relations
            WHERE isold AND relname = 'store') AS old
        WHERE NOT isold AND owner <> current_user
        UNION ALL
        SELECT format('ALTER SCHEMA %I OWNER TO %I', $2::text, pg_get_userbyid(nspowner))
        FROM pg_namespace WHERE nspname = $1::text AND $1::text <> $2::text
            AND pg_get_userbyid(nspowner) <> current_user
        """

    private static let rights = """
        \(relations), old AS (
            SELECT r.relname, r.relkind, a.grantee, a.privilege_type, a.is_grantable
            FROM relations AS r, aclexplode(r.relacl) AS a
            WHERE isold AND a.grantee <> r.relowner
        ), general AS (
            SELECT relkind, grantee, privilege_type, is_grantable FROM old
            GROUP BY relkind, grantee, privilege_type, is_grantable
            HAVING count(*) = (
                SELECT count(*) FROM relations AS r WHERE isold AND r.relkind = old.relkind)
        ), rights AS (
            SELECT format('%s %I.%I', CASE n.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
                n.nspname, n.relname) AS target, g.*
            FROM relations AS n JOIN (
                SELECT relname, grantee, privilege_type, is_grantable FROM old
                UNION
                SELECT r.relname, g.grantee, g.privilege_type, g.is_grantable
                FROM relations AS r JOIN general AS g ON r.relkind = g.relkind WHERE NOT isold
            ) AS g ON n.relname = g.relname
            WHERE NOT isold
            UNION ALL
            SELECT format('SCHEMA %I', $2::text), '', a.grantee, a.privilege_type, a.is_grantable
            FROM pg_namespace AS n, aclexplode(n.nspacl) AS a
            WHERE n.nspname = $1::text AND $1::text <> $2::text AND a.grantee <> n.nspowner
        )
        SELECT format('GRANT %s ON %s TO %s%s', privilege_type, target,
            CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
            CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM rights
        """
}
