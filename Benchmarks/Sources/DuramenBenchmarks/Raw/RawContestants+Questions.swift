import Foundation

/// Predicates, pages and single columns.
extension RawContestants {
    /// Reads two or three columns of every row.
    static func namedColumns(_ dataset: Dataset, withText: Bool) throws -> Contestant {
        let columns = withText ? "magnitude, time, place" : "magnitude, time"
        let select = try dataset.connection.prepare("SELECT \(columns) FROM quake")
        return Contestant(.raw) {
            var checksum = Checksum()
            while try select.step() {
                checksum.add(magnitude: select.double(0))
                checksum.add(magnitude: select.double(1))
                if withText { checksum.add(text: select.text(2)) }
            }
            return Outcome(checksum.value)
        }
    }

    /// Reads the rows of a range of magnitudes.
    ///
    /// - Parameter role: Who it is: in any order, or by key as Duramen's results are.
    static func range(
        _ dataset: Dataset, _ connection: RawConnection, _ range: Range<Double>,
        _ role: Role = .raw
    ) throws -> Contestant {
        let order = role == .rawOrdered ? " ORDER BY id" : ""
        let select = try connection.prepare(
            RawSchema.plain.selectQuakes + " WHERE magnitude >= ? AND magnitude < ?" + order)
        return Contestant(role) {
            select.bind(range.lowerBound, at: 1)
            select.bind(range.upperBound, at: 2)
            var checksum = Checksum()
            while try select.step() { checksum.add(select.quake) }
            return withExtendedLifetime(connection) { Outcome(checksum.value) }
        }
    }

    /// Reads the rows of a range of magnitudes of Duramen's own file, which tells the layout's cost
    /// from the library's.
    static func rangeOfStore(_ dataset: Dataset, _ range: Range<Double>) throws -> Contestant {
        _ = try dataset.sharedQuakeStore()
        let file = dataset.folder.appending(path: "duramen-shared.sqlite")
        let connection = try RawConnection(file.path)
        let select = try connection.prepare(
            RawSchema.storeLayout.selectQuakes + " WHERE ZMAGNITUDE >= ? AND ZMAGNITUDE < ?")
        return Contestant(.rawStoreLayout) {
            select.bind(range.lowerBound, at: 1)
            select.bind(range.upperBound, at: 2)
            var checksum = Checksum()
            while try select.step() { checksum.add(select.quake) }
            return withExtendedLifetime(connection) { Outcome(checksum.value) }
        }
    }

    /// Reads the rows of a range of magnitudes near a town.
    static func rangeNearTown(
        _ dataset: Dataset, _ range: Range<Double>, _ town: String
    ) throws -> Contestant {
        let connection = dataset.connection
        let select = try connection.prepare(
            RawSchema.plain.selectQuakes
                + " WHERE magnitude >= ? AND magnitude < ? AND instr(place, ?) > 0")
        return Contestant(.raw) {
            var town = town
            return try town.withUTF8 { town in
                select.bind(range.lowerBound, at: 1)
                select.bind(range.upperBound, at: 2)
                select.bind(pinned: town, at: 3)
                var checksum = Checksum()
                while try select.step() { checksum.add(select.quake) }
                return Outcome(checksum.value)
            }
        }
    }

    /// Looks rows up by an indexed text, one statement after the other.
    static func lookupByCode(_ dataset: Dataset, _ codes: [String]) throws -> Contestant {
        let connection = try dataset.indexedConnection()
        let select = try connection.prepare(RawSchema.plain.selectQuakes + " WHERE code = ?")
        return Contestant(.raw) {
            var checksum = Checksum()
            for code in codes {
                var code = code
                try code.withUTF8 { code in
                    select.bind(pinned: code, at: 1)
                    while try select.step() { checksum.add(select.quake) }
                }
            }
            return withExtendedLifetime(connection) { Outcome(checksum.value) }
        }
    }

    /// Reads one page by an index, again and again.
    static func page(
        _ dataset: Dataset, offset: Int, times: Int, _ role: Role = .raw, operations: Int? = nil
    ) throws -> Contestant {
        let connection = try dataset.indexedConnection()
        let window = "LIMIT \(Questions.pageSize) OFFSET \(offset)"
        let select = try connection.prepare(
            role == .rawIdentifiersFirst
                ? RawSchema.plain.selectQuakes
                    + " WHERE id IN (SELECT id FROM quake ORDER BY time, id \(window)) "
                    + "ORDER BY time, id"
                : RawSchema.plain.selectQuakes + " ORDER BY time, id " + window)
        return Contestant(role, operations: operations) {
            var checksum = Checksum()
            for _ in 0..<times {
                while try select.step() { checksum.add(select.quake) }
            }
            return withExtendedLifetime(connection) { Outcome(checksum.value) }
        }
    }

    /// Reads the page behind a place again and again.
    static func pageAfter(_ dataset: Dataset, offset: Int, times: Int) throws -> Contestant {
        let connection = try dataset.indexedConnection()
        let place = try connection.prepare(
            "SELECT time, id FROM quake ORDER BY time, id LIMIT 1 OFFSET \(offset - 1)")
        guard try place.step() else { return Contestant(.raw) { Outcome(0) } }
        let (time, key) = (place.double(0), place.integer(1))
        _ = try place.step()
        let select = try connection.prepare(
            RawSchema.plain.selectQuakes + " WHERE time >= ? AND (time > ? OR id > ?) "
                + "ORDER BY time, id LIMIT \(Questions.pageSize)")
        return Contestant(.raw) {
            var checksum = Checksum()
            for _ in 0..<times {
                select.bind(time, at: 1)
                select.bind(time, at: 2)
                select.bind(key, at: 3)
                while try select.step() { checksum.add(select.quake) }
            }
            return withExtendedLifetime(connection) { Outcome(checksum.value) }
        }
    }
}

extension Dataset {
    /// A connection to a copy of the shared file with the indexes of ``IndexedQuake``.
    func indexedConnection() throws -> RawConnection {
        if let made = madeIndexedConnection { return made }
        let made = try RawConnection(copiedFile("raw-indexed"))
        try made.execute(
            """
            CREATE INDEX quake_code ON quake(code);
            CREATE INDEX quake_magnitude ON quake(magnitude);
            CREATE INDEX quake_time ON quake(time);
            """)
        madeIndexedConnection = made
        return made
    }
}
