import DuramenModel
public import DuramenQuery

/// One checksum per entity of a store's content. Stores of any kind have equal checksums if they
/// contain equal objects with equal keys.
///
/// The checksums cover values, references, order numbers and many-to-many pairs, but not versions
/// and the store's identity. They detect accidents and damage, not intent.
public struct StoreChecksums: Sendable, Hashable {
    /// The objects of one entity, without those of its sub-entities.
    public struct EntityChecksum: Sendable, Hashable {
        /// The entity's name.
        public var name: String
        /// The number of its objects.
        public var rowCount = 0
        /// The number of many-to-many pairs whose source is one of its objects. Each pair counts
        /// once for each side that has a relationship.
        public var pairCount = 0
        /// The checksum of all of this.
        public var checksum: UInt64 = 0
    }

    /// The checksums by entity, in the order of the model.
    public private(set) var entities: [EntityChecksum]

    /// Reads one state of a store completely.
    ///
    /// - Parameters:
    ///   - snapshot: The state to read.
    ///   - store: The store of the snapshot.
    ///   - cancellation: Ends the work when it is raised.
    ///   - noteRows: Receives the number of rows read since the last call.
    /// - Throws: `.cancelled`; the store's errors, including those of damaged values.
    /// - Complexity: Reads every row and every pair once; needs the memory of some hundred rows.
    public init(
        reading snapshot: any StoreSnapshot, of store: any PersistentStore,
        cancellation: CancellationFlag? = nil, noteRows: (Int) -> Void = { _ in }
    ) throws(StoreError) {
        let model = store.model
        entities = model.entities.map { EntityChecksum(name: $0.name) }
        let walk = StoreWalk(store, snapshot, cancellation: cancellation)
        for entity in model.entities where entity.superentity == nil {
            try walk.forEachBatch(of: entity) { (rows) throws(StoreError) in
                for row in rows {
                    let layout = model[row.entityID].layout
                    entities[row.entityID.index].rowCount += 1
                    entities[row.entityID.index].checksum &+= Self.checksum(of: row, layout)
                }
                try walk.forEachPair(of: rows) { relationship, pair in
                    guard let owner = model.entity(of: pair.source) else { return }
                    entities[owner.id.index].pairCount += 1
                    var sum = RunningChecksum()
                    sum.add(UInt64(relationship.id.index))
                    sum.add(pair.source.key)
                    sum.add(pair.destination.key)
                    sum.add(pair.order ?? -1)
                    entities[owner.id.index].checksum &+= sum.value
                }
                noteRows(rows.count)
            }
        }
    }

    private static func checksum(of row: Row, _ layout: RowLayout) -> UInt64 {
        var sum = RunningChecksum()
        sum.add(row.key)
        sum.add(UInt64(row.entityID.index))
        for (slot, kind) in layout.kinds.enumerated() {
            if row.isNull(slot) {
                sum.add(UInt64.max)
                continue
            }
            switch kind {
            case .integer, .boolean, .reference, .referenceEntity: sum.add(row.integer(slot))
            case .double, .float, .date: sum.add(row.double(slot).bitPattern)
            case .text, .uri, .decimal, .binary, .uuid, .transformable:
                // Sound: the row lives through the call.
                sum.add(row.unsafeBytes(slot))
            }
        }
        return sum.value
    }
}

/// FNV-1a with words of 64 bits, mixed so that each bit affects all others.
struct RunningChecksum {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0x0000_0100_0000_01B3
        value ^= value >> 29
        value = value &* 0xBF58_476D_1CE4_E5B9
        value ^= value >> 32
    }

    mutating func add(_ word: Int64) { add(UInt64(bitPattern: word)) }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(UInt64(bytes.count))
        var place = 0
        while place + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
            place += 8
        }
        var rest: UInt64 = 0
        for index in place..<bytes.count { rest = rest << 8 | UInt64(bytes[index]) }
        if place < bytes.count { add(rest) }
    }
}
