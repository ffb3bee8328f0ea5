/// The values of one object at one moment, as bytes; see ``RowStorage`` for their layout.
///
/// A row is a value to share: two words that keep the block alive which the row lives in. Values
/// are decoded when they are asked for.
///
/// The rows of ``BorrowedRows`` are the exception: they stand in memory that a store keeps, at any
/// alignment, and are valid as long as it does.
// Sound: `words` points into `storage`, which the row keeps alive and whose bytes no longer change;
// or into what a store keeps unchanged, see `BorrowedRows`.
public struct Row: @unchecked Sendable {
    /// The block that the row lives in; an empty one where a store keeps the bytes.
    public let storage: RowStorage
    @usableFromInline var words: UnsafeRawPointer

    @inlinable init(storage: RowStorage, words: UnsafeRawPointer) {
        self.storage = storage
        self.words = words
    }

    /// Makes a row from a block and the address of its first slot.
    package init(_ storage: RowStorage, unsafeWords: UnsafeRawPointer) {
        self.init(storage: storage, words: unsafeWords)
    }

    /// The address of the first slot, valid while `storage` lives.
    package var unsafeWords: UnsafeRawPointer { words }

    /// The key of the row whose first slot stands at an address.
    @inlinable @inline(__always)
    package static func key(_ words: UnsafeRawPointer) -> Int64 {
        words.load(fromByteOffset: -32, as: Int64.self)
    }

    /// Renames the row whose first slot stands at an address, when its object gets a key.
    @inlinable @inline(__always)
    package static func setKey(_ key: Int64, at words: UnsafeMutableRawPointer) {
        words.storeBytes(of: key, toByteOffset: -32, as: Int64.self)
    }

    /// Gives the row whose first slot stands at an address the version that it was saved with.
    @inlinable @inline(__always)
    package static func setVersion(_ version: RowVersion, at words: UnsafeMutableRawPointer) {
        words.storeBytes(of: version.rawValue, toByteOffset: -24, as: Int64.self)
    }

    /// The null bits of the first 64 slots of the row whose first slot stands at an address.
    @inlinable @inline(__always)
    package static func nullBits(_ words: UnsafeRawPointer) -> UInt64 {
        words.load(fromByteOffset: -8, as: UInt64.self)
    }

    /// The entity's index of the row whose first slot stands at an address.
    @inlinable @inline(__always)
    package static func entityIndex(_ words: UnsafeRawPointer) -> Int {
        Int(words.load(fromByteOffset: -12, as: UInt16.self))
    }

    /// The object's primary key.
    @inlinable public var key: Int64 { words.loadUnaligned(fromByteOffset: -32, as: Int64.self) }

    /// The version of the row, compared for equality only.
    @inlinable public var version: RowVersion {
        RowVersion(rawValue: words.loadUnaligned(fromByteOffset: -24, as: Int64.self))
    }

    /// The object's own entity.
    @inlinable public var entityID: EntityID {
        EntityID(index: Int(words.loadUnaligned(fromByteOffset: -12, as: UInt16.self)))
    }

    /// The number of slots.
    @inlinable public var slotCount: Int {
        Int(words.loadUnaligned(fromByteOffset: -10, as: UInt16.self))
    }

    /// Whether a slot has no value.
    @inlinable public func isNull(_ slot: Int) -> Bool {
        let bits = words.loadUnaligned(
            fromByteOffset: RowHeader.nullWord(of: slot) * 8, as: UInt64.self)
        return bits >> UInt64(slot & 63) & 1 != 0
    }

    /// The word of a slot: an integer, a boolean as 0 or 1, a key, or an entity index.
    @inlinable public func integer(_ slot: Int) -> Int64 {
        words.loadUnaligned(fromByteOffset: slot * 8, as: Int64.self)
    }

    /// The word of a slot as a double.
    @inlinable public func double(_ slot: Int) -> Double {
        words.loadUnaligned(fromByteOffset: slot * 8, as: Double.self)
    }

    /// Calls `body` with the bytes of a tail slot, which are empty when the slot is null.
    ///
    /// The bytes are valid during the call only.
    @inlinable public func withBytes<R, E: Error>(
        _ slot: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(unsafeBytes(slot))
    }

    /// The bytes of a tail slot, valid while ``storage`` lives.
    @inlinable public func unsafeBytes(_ slot: Int) -> UnsafeRawBufferPointer {
        let word = words.loadUnaligned(fromByteOffset: slot * 8, as: UInt64.self)
        return UnsafeRawBufferPointer(
            start: words + Int(word >> 32), count: Int(word & 0xFFFF_FFFF))
    }

    /// The text of a text slot.
    @inlinable public func string(_ slot: Int) -> String {
        String(decoding: unsafeBytes(slot), as: UTF8.self)
    }

    /// The object's identity.
    public func objectID(in model: ManagedObjectModel, store: StoreHandle) -> ManagedObjectID {
        ManagedObjectID(
            store: key < 0 ? .none : store, entity: model[entityID].handle, key: key)
    }
}

/// The version of a row. Equal versions of one row have equal values; versions have no order.
public struct RowVersion: RawRepresentable, Hashable, Sendable {
    /// The number that the store gave.
    public let rawValue: Int64

    /// Wraps a store's number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The version of a row that was never saved.
    public static let unsaved = RowVersion(rawValue: 0)
}
