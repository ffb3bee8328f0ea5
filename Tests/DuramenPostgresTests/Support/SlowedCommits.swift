import DuramenStore

/// A trigger by which the commit of one save in ten takes up to two milliseconds longer, after the
/// save has its number.
enum SlowedCommits {
    /// - Parameter place: A store, which exists.
    static func slow(_ place: PersistentStoreDescription) throws {
        let raw = try RawServer()
        try raw.run(
            """
            CREATE FUNCTION \(place.quoted).slow() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF random() < 0.1 THEN PERFORM pg_sleep(random() * 0.002); END IF;
                RETURN NULL;
            END $$
            """)
        // A deferred trigger runs in COMMIT.
        try raw.run(
            "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON \(place.quoted).saves DEFERRABLE "
                + "INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION \(place.quoted).slow()")
    }
}
