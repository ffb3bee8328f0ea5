/// The statements about unique values.
struct ClaimTexts: Sendable {
    let delete: Statement
    let insert: Statement
    /// Finds the objects with values.
    let find: Statement

    init(_ schema: PostgresSchema) {
        let claims = schema.own(.claims)
        delete = Statement(
            "DELETE FROM \(claims) AS c USING unnest($1::integer[], $2::bigint[]) AS a(n, k) "
                + "WHERE c.key = a.k AND c.cons = a.n")
        insert = Statement(
            "INSERT INTO \(claims) SELECT * FROM "
                + "unnest($1::integer[], $2::bytea[], $3::bigint[], $4::integer[])")
        find = Statement(
            "SELECT c.key, c.entity, c.cons, c.digest FROM \(claims) AS c JOIN "
                + "unnest($1::integer[], $2::bytea[]) AS a(n, d) ON c.cons = a.n AND c.digest = a.d"
        )
    }
}
