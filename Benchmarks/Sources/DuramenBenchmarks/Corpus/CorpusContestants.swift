import Duramen

/// Who asks the data sets.
@MainActor
enum CorpusContestants {
    /// How often a round asks, so that the shortest, of 11 µs, outlasts the clock's grain and the
    /// making of a context.
    static let times = 500

    /// Reads the tracks of a condition: every field.
    static func tracks(
        _ stores: CorpusStores, _ condition: FetchPredicate, sql: String
    ) throws -> [Contestant] {
        let request = FetchRequest<Track>().where(condition)
        let select = try stores.connection.prepare(
            "SELECT id, name, composer, milliseconds, bytes, unitPrice FROM track WHERE " + sql)
        return contestants(
            stores,
            raw: { checksum in
                while try select.step() {
                    checksum.add(text: select.text(1))
                    checksum.add(text: select.text(2))
                    checksum.add(integer: select.integer(3) &+ select.integer(4))
                    checksum.add(magnitude: select.double(5))
                }
            },
            duramen: { context, checksum in
                for track in try context.fetch(request) {
                    checksum.add(text: track.name)
                    checksum.add(text: track.composer ?? "")
                    checksum.add(integer: track.milliseconds &+ track.bytes)
                    checksum.add(magnitude: track.unitPrice)
                }
            })
    }

    /// Reads the airports of a condition: every field.
    static func airports(
        _ stores: CorpusStores, _ condition: FetchPredicate, sql: String
    ) throws -> [Contestant] {
        let request = FetchRequest<Airport>().where(condition)
        let select = try stores.connection.prepare(
            """
            SELECT id, name, city, country, latitude, longitude, altitude FROM airport WHERE \(sql)
            """)
        return contestants(
            stores,
            raw: { checksum in
                while try select.step() {
                    checksum.add(text: select.text(1))
                    checksum.add(text: select.text(2))
                    checksum.add(text: select.text(3))
                    checksum.add(magnitude: select.double(4))
                    checksum.add(magnitude: select.double(5))
                    checksum.add(integer: select.integer(6))
                }
            },
            duramen: { context, checksum in
                for airport in try context.fetch(request) {
                    checksum.add(text: airport.name)
                    checksum.add(text: airport.city)
                    checksum.add(text: airport.country)
                    checksum.add(magnitude: airport.latitude)
                    checksum.add(magnitude: airport.longitude)
                    checksum.add(integer: airport.altitude)
                }
            })
    }

    private static func contestants(
        _ stores: CorpusStores, raw: @escaping @MainActor (inout Checksum) throws -> Void,
        duramen: @escaping @MainActor (ManagedObjectContext, inout Checksum) throws -> Void
    ) -> [Contestant] {
        [
            Contestant(.raw) {
                var checksum = Checksum()
                for _ in 0..<times { try raw(&checksum) }
                return withExtendedLifetime(stores.connection) { Outcome(checksum.value) }
            },
            Contestant(.duramen) {
                var checksum = Checksum()
                let context = stores.container.makeContext()
                for _ in 0..<times { try duramen(context, &checksum) }
                return Outcome(checksum.value)
            },
        ]
    }
}
