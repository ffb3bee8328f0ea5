public import DuramenModel

/// The stored values of a managed object as a struct, free to leave the object's context.
///
/// `@Managed` generates one for each class, as its nested `Values`: the object's ID, the
/// attributes, to-ones as IDs, and to-manys as IDs where they ask for it. Transient and private
/// properties are no part of it.
/// ```swift
/// let strong = try await container.fetch(
///     Quake.Values.self, FetchRequest().where { $0.magnitude >= 6 })
/// ```
/// Equality and hashing are of the ID and of the values as stores hold them: text by its bytes.
/// Encoded, IDs are URIs; the ID of an object that was never saved is temporary, and good in this
/// process only.
///
/// Values of a class with an attribute called `id` are identified by it, others by their
/// ``objectID``.
public protocol ManagedValues: Sendable, Hashable, Codable, Identifiable {
    /// The class of the objects.
    associatedtype Object: ManagedObject

    /// The object's ID. It is encoded under the key `objectID`. Without the key in a decoder, for
    /// example because a server has made the JSON text, it becomes a temporary ID.
    var objectID: ManagedObjectID { get set }

    /// The numbers of the to-manys that ``init(reading:)`` reads. They are read for many objects at
    /// once.
    static var toManyIndices: [Int] { get }

    /// Takes the values from a row or from an object.
    ///
    /// Each property is read from its slot, as the class's accessors do. Keep no reader.
    init(reading reader: ValuesReader)

    /// Hands each value to its slot.
    func write(to writer: ValuesWriter)
}

extension ManagedValues where ID == ManagedObjectID {
    /// The ``objectID``, for values of a class without an attribute called `id`.
    public var id: ManagedObjectID {
        get { objectID }
        set { objectID = newValue }
    }
}

extension ManagedValues {
    /// None.
    public static var toManyIndices: [Int] { [] }

    /// Takes the values of an object as its getters give them, unsaved changes included.
    ///
    /// A mandatory attribute without a value has its type's zero value; see ``init(exactly:)``.
    /// When the object cannot be read, its ``ManagedObject/faultError`` says why.
    public init(_ object: Object) {
        let source = ObjectValuesSource(object)
        self = source.read(Self.init(reading:))
    }

    /// Creates values from an object. The result is nil if a mandatory attribute has no value, a
    /// value does not have the attribute's type, or the object cannot be read.
    public init?(exactly object: Object) {
        let source = ObjectValuesSource(object)
        let hadError = object.faultError != nil
        self = source.read(Self.init(reading:))
        let isRead = !object.isFault && (hadError || object.faultError == nil)
        if source.problem != nil || !isRead { return nil }
    }
}
