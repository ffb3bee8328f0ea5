/// The statements about unique values.
struct ClaimTexts: Sendable {
    let delete: Statement
    let insert: Statement
    /// Finds the objects with a value.
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
            "SELECT key, entity FROM \(claims) WHERE cons = $1::integer AND digest = $2::bytea")
    }
}
