extension Pipeline {
    /// Makes a state usable after a failure in a savepoint.
    static let recovery: Pipeline = {
        var pipeline = Pipeline()
        pipeline.add(.rollBackToSavepoint)
        pipeline.add(.releaseSavepoint)
        return pipeline
    }()
}

// Statements without names of a schema.
extension Statement {
    static let beginSnapshot = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    static let beginSave = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ")
    /// Begins the transaction of somebody who has the gate alone, or needs no state.
    static let beginAlone = Statement("BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = Statement("COMMIT")
    /// Lets the server answer before the commit is on the disk.
    static let relaxDurability = Statement("SET LOCAL synchronous_commit = off")
    static let savepoint = Statement("SAVEPOINT part")
    static let rollBackToSavepoint = Statement("ROLLBACK TO SAVEPOINT part")
    static let releaseSavepoint = Statement("RELEASE SAVEPOINT part")
}
