/// The values of one object at one moment, as bytes; see ``RowStorage`` for their layout.
///
/// A row is a value to share: two words that keep the block of the row alive. Values are decoded
/// when they are read.
///
/// The rows of ``BorrowedRows`` are an exception: they are in a store's memory, at any alignment.
/// They are valid only as long as that memory.
// Sound: `words` points into `storage`, which the row keeps alive and whose bytes no longer change;
// or into what a store keeps unchanged, see `BorrowedRows`.
public struct Row: @unchecked Sendable {
    /// The block of the row; an empty block if the bytes belong to a store.
    public let storage: RowStorage
    @usableFromInline var words: UnsafeRawPointer

    @inlinable init(storage: RowStorage, words: UnsafeRawPointer) {
        self.storage = storage
        self.words = words
    }

    /// Creates a row from a block and the address of its first slot.
    package init(_ storage: RowStorage, unsafeWords: UnsafeRawPointer) {
        self.init(storage: storage, words: unsafeWords)
    }

    /// The address of the first slot, valid while `storage` lives.
    package var unsafeWords: UnsafeRawPointer { words }

    /// Returns the key of the row whose first slot is at an address.
    @inlinable @inline(__always)
    package static func key(_ words: UnsafeRawPointer) -> Int64 {
        words.load(fromByteOffset: -32, as: Int64.self)
    }

    /// Sets the key of the row whose first slot is at an address.
    @inlinable @inline(__always)
    package static func setKey(_ key: Int64, at words: UnsafeMutableRawPointer) {
        words.storeBytes(of: key, toByteOffset: -32, as: Int64.self)
    }

    /// Sets the version of the row whose first slot is at an address.
    @inlinable @inline(__always)
    package static func setVersion(_ version: RowVersion, at words: UnsafeMutableRawPointer) {
        words.storeBytes(of: version.rawValue, toByteOffset: -24, as: Int64.self)
    }

    /// Returns the null bits of the first 64 slots of the row whose first slot is at an address.
    @inlinable @inline(__always)
    package static func nullBits(_ words: UnsafeRawPointer) -> UInt64 {
        words.load(fromByteOffset: -8, as: UInt64.self)
    }

    /// Returns the entity index of the row whose first slot is at an address.
    @inlinable @inline(__always)
    package static func entityIndex(_ words: UnsafeRawPointer) -> Int {
        Int(words.load(fromByteOffset: -12, as: UInt16.self))
    }

    /// The object's primary key.
    @inlinable public var key: Int64 { words.loadUnaligned(fromByteOffset: -32, as: Int64.self) }

    /// The version of the row. Versions can only be compared for equality.
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

    /// Returns whether a slot has no value.
    @inlinable public func isNull(_ slot: Int) -> Bool {
        let bits = words.loadUnaligned(
            fromByteOffset: RowHeader.nullWord(of: slot) * 8, as: UInt64.self)
        return bits >> UInt64(slot & 63) & 1 != 0
    }

    /// Returns the word of a slot: an integer, a Boolean as 0 or 1, a key, or an entity index.
    @inlinable public func integer(_ slot: Int) -> Int64 {
        words.loadUnaligned(fromByteOffset: slot * 8, as: Int64.self)
    }

    /// Returns the word of a slot as a double.
    @inlinable public func double(_ slot: Int) -> Double {
        words.loadUnaligned(fromByteOffset: slot * 8, as: Double.self)
    }

    /// Calls `body` with the bytes of a tail slot, which are empty if the slot is null.
    ///
    /// The bytes are valid only during the call.
    @inlinable public func withBytes<R, E: Error>(
        _ slot: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(unsafeBytes(slot))
    }

    /// Returns the bytes of a tail slot, valid while ``storage`` lives.
    @inlinable public func unsafeBytes(_ slot: Int) -> UnsafeRawBufferPointer {
        let word = words.loadUnaligned(fromByteOffset: slot * 8, as: UInt64.self)
        return UnsafeRawBufferPointer(
            start: words + Int(word >> 32), count: Int(word & 0xFFFF_FFFF))
    }

    /// Returns the text of a text slot.
    @inlinable public func string(_ slot: Int) -> String {
        String(decoding: unsafeBytes(slot), as: UTF8.self)
    }

    /// Returns the object's ID.
    public func objectID(in model: ManagedObjectModel, store: StoreHandle) -> ManagedObjectID {
        ManagedObjectID(
            store: key < 0 ? .none : store, entity: model[entityID].handle, key: key)
    }
}

/// The version of a row. Equal versions of one row have equal values; versions have no order.
public struct RowVersion: RawRepresentable, Hashable, Sendable {
    /// The number that the store assigned.
    public let rawValue: Int64

    /// Creates a version from a store's number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The version of a row that was never saved.
    public static let unsaved = RowVersion(rawValue: 0)
}
