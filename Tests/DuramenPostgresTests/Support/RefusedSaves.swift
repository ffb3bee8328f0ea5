import DuramenStore
import DuramenTestKit

/// Triggers by which the server refuses a tenth of the saves, as if they had lost a race.
///
/// It refuses their number with SQLSTATE 40001. It spares batches, whose work would be lost, and
/// saves that it has refused four times: after the sixth attempt a store gives up.
struct RefusedSaves {
    /// The schema of the function that refuses.
    private let schema: String

    /// - Parameter place: A schema that does not exist yet.
    init(_ place: PersistentStoreDescription) throws {
        schema = place.quoted
        let raw = try RawServer()
        try raw.run("CREATE SCHEMA \(schema)")
        try raw.run("CREATE SEQUENCE \(schema).refused")
        // A sequence stays as it is when the save is rolled back.
        try raw.run("CREATE SEQUENCE \(schema).successive MINVALUE 0")
        try raw.run(
            """
            CREATE FUNCTION \(schema).refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF random() < 0.1 AND (SELECT last_value FROM \(schema).successive) < 4
                AND NOT EXISTS (
                    SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid()
                    AND relation = (TG_TABLE_SCHEMA || '.gate')::regclass AND mode = 'ExclusiveLock')
                THEN
                    PERFORM nextval('\(schema).refused'), nextval('\(schema).successive');
                    RAISE EXCEPTION 'lost a race' USING ERRCODE = '40001';
                END IF;
                PERFORM setval('\(schema).successive', 0);
                RETURN NEW;
            END $$
            """)
    }

    /// Makes an empty store of the workload's model, some of whose saves are refused.
    func makeStore(at place: PersistentStoreDescription) throws {
        try place.open(model: WorkloadModel.shared).close()
        try RawServer().run(
            "CREATE TRIGGER refuse BEFORE INSERT ON \(place.quoted).saves "
                + "FOR EACH ROW EXECUTE FUNCTION \(schema).refuse()")
    }

    /// How many saves were refused.
    func count() throws -> Int64 {
        try RawServer().number("SELECT last_value FROM \(schema).refused")
    }
}
