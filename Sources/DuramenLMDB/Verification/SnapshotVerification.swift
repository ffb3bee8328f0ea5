import DuramenModel
import DuramenQuery
import DuramenStore

extension LMDBSnapshot: VerifyingSnapshot {
    func findings(
        cancellation: CancellationFlag?
    ) throws(StoreError) -> [VerificationFinding] {
        try withRows { (rows) throws(StoreError) in
            var verification = SnapshotVerification(
                rows, indexNumbers: try indexNumbers(rows), cancellation)
            return try verification.run()
        }
    }
}

/// Compares all derived data of a state with its rows, and its file with the format that the engine
/// writes.
struct SnapshotVerification {
    private let rows: RowReading
    /// By index; nil for those that do not exist.
    private let indexNumbers: [UInt32?]
    private let cancellation: CancellationFlag?
    private var findings: [VerificationFinding] = []
    private let key = VerifiedKey()

    init(_ rows: RowReading, indexNumbers: [UInt32?], _ cancellation: CancellationFlag?) {
        self.rows = rows
        self.indexNumbers = indexNumbers
        self.cancellation = cancellation
    }

    private var schema: StoreSchema { rows.schema }

    mutating func run() throws(StoreError) -> [VerificationFinding] {
        let (transaction, schema) = (rows.transaction, schema)
        try noting(.structure) { (_) throws(StoreError) in
            try StructureCheck.checkState(of: transaction)
        }
        try noting(.metadata) { (_) throws(StoreError) in
            try MainTable(transaction).check()
            try MetaTable(transaction: transaction, table: schema.tables.meta).checkAll()
            try SaveLog(schema, transaction).checkAll()
        }
        try noting(.index) { (it) throws(StoreError) in try it.checkIndexes() }
        try noting(.pair) { (it) throws(StoreError) in try it.checkPairs() }
        guard let history = schema.tables.history else { return findings }
        try noting(.history) { (_) throws(StoreError) in
            try HistoryTable(transaction, history).check()
        }
        return findings
    }

    /// Runs a part, and records damage as a finding.
    private mutating func noting(
        _ kind: VerificationFinding.Kind,
        _ part: (inout SnapshotVerification) throws(StoreError) -> Void
    ) throws(StoreError) {
        do throws(StoreError) {
            try part(&self)
        } catch {
            guard [.damagedFile, .foreignFile].contains(error.code) else { throw error }
            let detail = error.detail.map { " (\($0))" } ?? ""
            findings.append(VerificationFinding(kind, error.message + detail))
        }
    }

    private mutating func find(
        _ kind: VerificationFinding.Kind, _ message: String, _ place: String
    ) {
        if !findings.contains(where: { $0.message == message }) {
            findings.append(VerificationFinding(kind, message, place: place))
        }
    }

    private func stopIfCancelled() throws(StoreError) {
        if cancellation?.isCancelled == true {
            throw StoreError(.cancelled, "The verification was cancelled.")
        }
    }

    // MARK: - Indexes

    /// Every entry must be a row's, and every row of an index's family has one: so their numbers
    /// are equal.
    private mutating func checkIndexes() throws(StoreError) {
        var places: [UInt32: Int] = [:]
        for (place, number) in indexNumbers.enumerated() {
            if let number { places[number] = place }
        }
        var counts = [Int](repeating: 0, count: schema.indexes.count)
        let cursor = try rows.transaction.cursor(schema.tables.index)
        var record = try cursor.first()
        var seen = 0
        while let found = record {
            seen += 1
            if seen & 1_023 == 0 { try stopIfCancelled() }
            let primary = try RowReading.primaryKey(found, path: schema.path)
            let number = UInt32(bigEndian: found.key.loadUnaligned(as: UInt32.self))
            if let place = places[number] {
                counts[place] += 1
                try checkEntry(found, of: place, number, primary)
            } else if try !isListed(number) {
                find(.index, "An index has entries and is not in the list of indexes.", "index")
            }
            record = try cursor.next()
        }
        for (place, index) in schema.indexes.enumerated() where indexNumbers[place] != nil {
            let entity = schema.model[index.entity]
            if counts[place] != (try count(of: entity)) {
                find(
                    .index,
                    "The index '\(index.properties)' does not have one entry for each object.",
                    entity.name)
            }
        }
    }

    /// Indexes of other versions of the model stay listed until the next write.
    private func isListed(_ number: UInt32) throws(StoreError) -> Bool {
        try MetaTable(transaction: rows.transaction, table: schema.tables.meta).indexList().entries
            .contains { $0.number == number }
    }

    private mutating func checkEntry(
        _ entry: TableCursor.Record, of place: Int, _ number: UInt32, _ primary: Int64
    ) throws(StoreError) {
        let index = schema.indexes[place]
        // Indexes contain no values from files.
        var reading = rows
        reading.readsFiles = false
        guard let row = try reading.row(primary, in: index.entity),
            schema.model[row.entityID].isKind(of: schema.model[index.entity]),
            key.isKey(entry.key, of: index, number: number, row)
        else {
            return find(
                .index,
                "The index '\(index.properties)' has an entry of no object, or of other values.",
                schema.model[index.entity].name)
        }
    }

    private func count(of entity: Entity) throws(StoreError) -> Int {
        let family = Set(entity.family)
        if schema.indexes.isEmpty { return 0 }
        let cursor = try rows.transaction.cursor(schema.places[entity.id.index].rows)
        var count = 0
        var record = try cursor.first()
        while let found = record {
            let head = try rows.head(found.value, key: try rows.key(of: found), entity.id)
            if let own = rows.entity(of: head), family.contains(own) { count += 1 }
            record = try cursor.next()
        }
        return count
    }

    // MARK: - Pairs

    /// Every pair must exist in both directions, and join existing objects.
    private mutating func checkPairs() throws(StoreError) {
        var relationships: [UInt32: Relationship] = [:]
        for (place, number) in schema.numbers.relationships.enumerated() where number != 0 {
            relationships[number] = schema.model.relationships[place]
        }
        let cursor = try rows.transaction.cursor(schema.tables.edges)
        var record = try cursor.first()
        var seen = 0
        while let found = record {
            seen += 1
            if seen & 1_023 == 0 { try stopIfCancelled() }
            try rows.check(found)
            let number = UInt32(bigEndian: found.key.loadUnaligned(as: UInt32.self))
            if let relationship = relationships[number] {
                try checkPair(found, of: relationship)
            }
            record = try cursor.next()
        }
    }

    private mutating func checkPair(
        _ pair: TableCursor.Record, of relationship: Relationship
    ) throws(StoreError) {
        let owner = schema.model[relationship.declaringEntity]
        let place = "\(owner.name).\(relationship.name)"
        guard pair.key.count == 20 else {
            return find(.pair, "A pair of '\(place)' has a key of another length.", place)
        }
        let (source, end) = (Self.key(pair.key, at: 4), Self.key(pair.key, at: 12))
        let isBack = try key.withPair(
            schema.numbers.relationships[relationship.inverse.index], end, source
        ) { (back) throws(StoreError) in
            try rows.transaction.value(of: back, in: schema.tables.edges) != nil
        }
        if !isBack { find(.pair, "A pair of '\(place)' is missing from the other side.", place) }
        for (key, entity) in [(source, owner.id), (end, relationship.destination)]
        where try rows.transaction.value(of: key, in: schema.places[entity.index].rows) == nil {
            find(.pair, "A pair of '\(place)' joins an object that does not exist.", place)
        }
    }

    private static func key(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int64 {
        Int64(
            bitPattern: UInt64(
                bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
}

/// Rebuilds keys, to compare them with the stored ones.
private final class VerifiedKey {
    private var builder = KeyBuilder()

    func isKey(
        _ stored: UnsafeRawBufferPointer, of index: StoreIndex, number: UInt32, _ row: Row
    ) -> Bool {
        builder.build(index, number: number, of: row)
        return StoredText.compare(builder.bytes, stored) == 0
    }

    func withPair<R>(
        _ number: UInt32, _ source: Int64, _ end: Int64,
        _ body: (UnsafeRawBufferPointer) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        builder.begin(number)
        builder.append(key: source)
        builder.append(key: end)
        return try body(builder.bytes)
    }
}
