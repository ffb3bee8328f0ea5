import DuramenSQL
import DuramenStore

/// Raises the sequences of a store above the numbers in its tables.
///
/// Logical copies leave sequences behind, and the next save would get a number that is in use.
struct SequenceRaising {
    private let schema: PostgresSchema
    private let location: StoreLocation

    init(_ schema: PostgresSchema, _ location: StoreLocation) {
        self.schema = schema
        self.location = location
    }

    /// The newest save has the largest numbers, of saves and of changes.
    private var lastSave: String {
        "SELECT number FROM \(schema.own(.saves)) ORDER BY number DESC LIMIT 1"
    }
    private var lastChange: String {
        "SELECT first_change + GREATEST(changes, 1) - 1 FROM \(schema.own(.saves)) "
            + "WHERE first_change IS NOT NULL ORDER BY number DESC LIMIT 1"
    }

    // Reading a sequence itself would need another right than its use.
    private func last(_ sequence: OwnSequence) -> String {
        "COALESCE(pg_sequence_last_value(\(name(sequence))::regclass), 0)"
    }

    private func name(_ sequence: OwnSequence) -> String {
        SQLQuoting.literal(schema.own(sequence))
    }

    private func isBehind(_ sequence: OwnSequence, _ used: String) -> String {
        "\(last(sequence)) < COALESCE((\(used)), 0)"
    }

    private func raise(_ sequence: OwnSequence, _ used: String) -> String {
        "SELECT setval(\(name(sequence)), (\(used))) WHERE \(isBehind(sequence, used))"
    }

    /// Raises them if it is necessary, while nobody takes numbers.
    func run(on connection: Connection) throws(StoreError) {
        let catalog = Catalog(connection, location)
        let found = try catalog.run(
            "SELECT \(isBehind(.orderNumbers, lastSave)) "
                + "OR \(isBehind(.changeNumbers, lastChange))")
        if found.bool(0, 0) != true { return }
        var pipeline = Pipeline()
        for text in [
            "BEGIN ISOLATION LEVEL READ COMMITTED",
            "LOCK TABLE \(schema.own(.turn)) IN EXCLUSIVE MODE",
            raise(.orderNumbers, lastSave), raise(.changeNumbers, lastChange), "COMMIT",
        ] { pipeline.add(text, prepared: false) }
        do throws(PostgresFailure) {
            _ = try connection.run(pipeline, RunLimits(deadline: location.replyDeadline))
        } catch {
            throw error.storeError(location.name, during: "open")
        }
    }
}
