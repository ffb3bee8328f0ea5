import DuramenModel
import DuramenStore
import StoreTestSupport

@testable import DuramenPostgres

/// A PostgreSQL store in which a tenth of the saves fail once, as if they had lost a race.
///
/// The server refuses their number with SQLSTATE 40001. It spares batches, whose work would be
/// lost.
struct RefusingStoreType: PersistentStoreType {
    private let original: any PersistentStoreType
    /// The schema with the function that refuses.
    private let refusals: PersistentStoreDescription

    init(_ original: any PersistentStoreType, refusals: PersistentStoreDescription) throws {
        self.original = original
        self.refusals = refusals
        let schema = refusals.quoted
        let raw = try RawServer()
        try raw.run("CREATE SCHEMA \(schema)")
        try raw.run("CREATE SEQUENCE \(schema).refused")
        try raw.run(
            """
            CREATE FUNCTION \(schema).refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF random() < 0.1 AND NOT EXISTS (
                    SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid()
                    AND relation = (TG_TABLE_SCHEMA || '.gate')::regclass AND mode = 'ExclusiveLock')
                THEN
                    PERFORM nextval('\(schema).refused');
                    RAISE EXCEPTION 'lost a race' USING ERRCODE = '40001';
                END IF;
                RETURN NEW;
            END $$
            """)
    }

    /// How many saves were refused.
    func refusedCount() throws -> Int64 {
        try RawServer().number("SELECT last_value FROM \(refusals.quoted).refused")
    }

    var name: String { original.name }

    func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        let store = try original.open(originally(description), model: model)
        do {
            try RawServer().run(
                "CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON \(description.quoted).saves "
                    + "FOR EACH ROW EXECUTE FUNCTION \(refusals.quoted).refuse()")
        } catch {
            throw StoreError(.io, "The trigger could not be made: \(error)")
        }
        return store
    }

    func metadata(of description: PersistentStoreDescription) throws(StoreError) -> StoreMetadata {
        try original.metadata(of: originally(description))
    }

    func setUserInfo(
        _ userInfo: [String: StoredValue], of description: PersistentStoreDescription
    ) throws(StoreError) {
        try original.setUserInfo(userInfo, of: originally(description))
    }

    func destroy(_ description: PersistentStoreDescription) throws(StoreError) {
        try original.destroy(originally(description))
    }

    func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) {
        try original.copy(originally(source), to: originally(destination))
    }

    func locations(beside location: String) -> [String] { original.locations(beside: location) }

    private func originally(
        _ description: PersistentStoreDescription
    ) -> PersistentStoreDescription {
        var copy = description
        copy.type = original
        return copy
    }
}
