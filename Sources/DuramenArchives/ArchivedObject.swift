/// An object of an application's own class in a keyed archive: its class and its fields by name.
///
/// A class is never looked up by its name. The reader returns objects only of the classes that the
/// caller allows.
public struct ArchivedObject: Sendable, Hashable {
    /// The content of a field.
    public enum Content: Sendable, Hashable {
        /// Nil.
        case none
        /// An object, as `encode(_:forKey:)` of `NSCoder` writes it.
        case value(ArchivedValue)
        /// A number, a Boolean, text, a date or bytes, written into the object itself.
        case inline(ArchivedValue)
    }

    /// The name of the class.
    public var className: String
    /// The names of its superclasses, nearest first.
    public var superclassNames: [String]
    /// The fields in the order in which the object encodes them.
    public var fields: [(name: String, content: Content)] {
        didSet { layout = nil }
    }
    /// The names of all fields, and `$class`, in the order of the archive from which the object was
    /// read. Nil if the object was changed since.
    ///
    /// The archiver writes fields in the order of a hash table, which depends on more than the
    /// names.
    var layout: [String]?

    /// Creates an object.
    public init(
        className: String, superclassNames: [String] = ["NSObject"],
        fields: [(name: String, content: Content)]
    ) {
        self.className = className
        self.superclassNames = superclassNames
        self.fields = fields
    }

    /// Returns the value of a field, or nil if the object does not have it.
    ///
    /// - Complexity: O(*n*) in the number of fields.
    public subscript(name: String) -> ArchivedValue? {
        switch fields.first(where: { $0.name == name })?.content {
        case .value(let value), .inline(let value): value
        default: nil
        }
    }

    /// Returns whether two objects have equal classes and equal fields, in any order.
    public static func == (a: ArchivedObject, b: ArchivedObject) -> Bool {
        a.className == b.className && a.superclassNames == b.superclassNames
            && a.fields.count == b.fields.count && a.contents == b.contents
    }

    /// Hashes the class and the fields.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(className)
        hasher.combine(contents)
    }

    private var contents: [String: Content] {
        Dictionary(fields.map { ($0.name, $0.content) }, uniquingKeysWith: { first, _ in first })
    }
}
