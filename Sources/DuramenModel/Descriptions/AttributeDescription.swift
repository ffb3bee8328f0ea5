/// What a model says about one attribute, as you write it.
///
/// ```swift
/// AttributeDescription("magnitude", .double, default: .double(0))
/// ```
public struct AttributeDescription: Sendable, Hashable {
    /// The property's name, unique within the entity and its ancestors.
    public var name: String
    /// The type of the values.
    public var type: AttributeType
    /// Whether null may be saved.
    public var isOptional: Bool
    /// The value of a new object; null for none.
    public var defaultValue: StoredValue
    /// Whether the attribute is never stored: it lives as long as its object is no fault. Queries,
    /// constraints and indexes cannot name it.
    public var isTransient: Bool
    /// Whether stores of Core Data may keep large values in files of their own. It matters for reading
    /// those; no store of Duramen writes such files.
    public var allowsExternalBinaryDataStorage: Bool
    /// The name in an earlier version of the model, for migration.
    public var renamingIdentifier: String?
    /// Text mixed into the version hash, to tell versions apart that are equal otherwise.
    public var versionHashModifier: String?
    /// Notes of the application; they take no part in the version hash.
    public var userInfo: [String: String]

    /// Describes an attribute.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = false,
        default defaultValue: StoredValue = .null, isTransient: Bool = false,
        allowsExternalBinaryDataStorage: Bool = false, renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.isTransient = isTransient
        self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }
}
