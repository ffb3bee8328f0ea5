import Duramen
import DuramenSQLite

extension RawContestants {
    /// Changes the tables of a store by the statements that it takes, in one transaction.
    static func migrate(_ dataset: Dataset, by hop: ModelHop) throws -> Contestant {
        let original = try dataset.migrationBase(.sqlite)
        var path = ""
        return Contestant(
            .raw,
            prepare: {
                path = try dataset.emptyPath("migrate-raw")
                try original.type.copy(original, to: StoreKind.sqlite.described(path))
            },
            finish: { _ = try dataset.emptyPath("migrate-raw") },
            body: {
                let connection = try RawConnection(path)
                try connection.write {
                    for statement in hop.statements { try connection.execute(statement) }
                }
                return Outcome(0)
            })
    }
}
