public import DuramenModel

/// The stored values of a managed object as a struct that can leave the object's context.
///
/// `@Managed` generates one for each class, as its nested `Values`. It contains the object's ID,
/// the attributes, to-ones as IDs, and to-manys as IDs if they ask for it. Transient and private
/// properties are left out.
/// ```swift
/// let strong = try await container.fetch(
///     Quake.Values.self, FetchRequest().where { $0.magnitude >= 6 })
/// ```
/// Equality and hashing use the ID and the stored form of the values: text by its bytes. IDs are
/// encoded as URIs. The ID of an object that was never saved is temporary, and valid only in this
/// process.
///
/// Values of a class with an attribute named `id` are identified by it, others by their
/// ``objectID``.
public protocol ManagedValues: Sendable, Hashable, Codable, Identifiable {
    /// The class of the objects.
    associatedtype Object: ManagedObject

    /// The object's ID, encoded under the key `objectID`. If the key is missing in a decoder, for
    /// example in JSON from a server, it becomes a temporary ID.
    var objectID: ManagedObjectID { get set }

    /// The indices of the to-manys that ``init(reading:)`` reads. They are loaded for many objects
    /// at once.
    static var toManyIndices: [Int] { get }

    /// Creates the values from a row or an object.
    ///
    /// Each property is read from its slot, like in the class's accessors. Do not keep the reader.
    init(reading reader: ValuesReader)

    /// Passes each value to its slot.
    func write(to writer: ValuesWriter)
}

extension ManagedValues where ID == ManagedObjectID {
    /// The ``objectID``, for values of a class without an attribute named `id`.
    public var id: ManagedObjectID {
        get { objectID }
        set { objectID = newValue }
    }
}

extension ManagedValues {
    /// No to-manys, by default.
    public static var toManyIndices: [Int] { [] }

    /// Creates the values of an object as its getters return them, unsaved changes included.
    ///
    /// A mandatory attribute without a value has its type's zero value; see ``init(exactly:)``. If
    /// the object cannot be loaded, its ``ManagedObject/faultError`` has the error.
    public init(_ object: Object) {
        let source = ObjectValuesSource(object)
        self = source.read(Self.init(reading:))
    }

    /// Creates the values of an object. Returns nil if a mandatory attribute has no value, a value
    /// does not have the attribute's type, or the object cannot be loaded.
    public init?(exactly object: Object) {
        let source = ObjectValuesSource(object)
        let hadError = object.faultError != nil
        self = source.read(Self.init(reading:))
        let isRead = !object.isFault && (hadError || object.faultError == nil)
        if source.problem != nil || !isRead { return nil }
    }
}
