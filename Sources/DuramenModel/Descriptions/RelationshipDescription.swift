/// The rule for a relationship's destinations when its owner is deleted.
public enum DeleteRule: String, Sendable, Hashable, Codable, CaseIterable {
    /// Clears the inverse references of the destinations.
    case nullify
    /// Deletes the destinations too, and applies their rules in turn.
    case cascade
    /// Fails the save while a destination remains.
    case deny
    /// Does nothing. The other side may keep a reference to a missing object.
    case noAction
}

/// The description of one relationship, as you write it in a model.
///
/// Name the inverse on one side or on both; the model completes the other side. A relationship
/// without an inverse gets a hidden inverse, so that deleting a destination still clears the
/// references to it. A destination of a to-many without an inverse can be in one such collection at
/// a time.
public struct RelationshipDescription: Sendable, Hashable {
    /// The property's name, unique within the entity and its ancestors.
    public var name: String
    /// The name of the entity at the other end.
    public var destination: String
    /// Whether the relationship is to-many.
    public var isToMany: Bool
    /// Whether a to-one may be null, or a to-many empty, when it is saved.
    public var isOptional: Bool
    /// The effect on the destinations when the owner is deleted.
    public var deleteRule: DeleteRule
    /// The name of the inverse relationship in the destination entity; nil for none. A relationship
    /// may be its own inverse.
    public var inverse: String?
    /// Whether a to-many keeps an order, which the application determines.
    public var isOrdered: Bool
    /// The smallest number of destinations of a to-many. An optional to-many may still be empty.
    public var minimumCount: Int
    /// The largest number of destinations of a to-many; nil for any number.
    public var maximumCount: Int?
    /// The name in an earlier version of the model, for migration.
    public var renamingIdentifier: String?
    /// Text that is mixed into the version hash, to distinguish versions that are otherwise equal.
    public var versionHashModifier: String?
    /// Notes of the application. They are not part of the version hash.
    public var userInfo: [String: String]
    /// Whether the model made the relationship as the inverse of one that has none.
    private(set) var isHidden = false

    private init(
        _ name: String, _ destination: String, isToMany: Bool, isOptional: Bool,
        deleteRule: DeleteRule, inverse: String?, renamingIdentifier: String?,
        versionHashModifier: String?, userInfo: [String: String], isOrdered: Bool = false,
        minimumCount: Int = 0, maximumCount: Int? = nil
    ) {
        self.name = name
        self.destination = destination
        self.isToMany = isToMany
        self.isOptional = isOptional
        self.deleteRule = deleteRule
        self.inverse = inverse
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
        self.isOrdered = isOrdered
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount
    }

    /// Describes a relationship to at most one object.
    public static func toOne(
        _ name: String, destination: String, isOptional: Bool = true,
        deleteRule: DeleteRule = .nullify, inverse: String? = nil,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) -> RelationshipDescription {
        RelationshipDescription(
            name, destination, isToMany: false, isOptional: isOptional, deleteRule: deleteRule,
            inverse: inverse, renamingIdentifier: renamingIdentifier,
            versionHashModifier: versionHashModifier, userInfo: userInfo)
    }

    /// Describes a relationship to any number of objects, with optional limits.
    public static func toMany(
        _ name: String, destination: String, isOptional: Bool = true,
        deleteRule: DeleteRule = .nullify, inverse: String? = nil, isOrdered: Bool = false,
        minimumCount: Int = 0, maximumCount: Int? = nil,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) -> RelationshipDescription {
        RelationshipDescription(
            name, destination, isToMany: true, isOptional: isOptional, deleteRule: deleteRule,
            inverse: inverse, renamingIdentifier: renamingIdentifier,
            versionHashModifier: versionHashModifier, userInfo: userInfo,
            isOrdered: isOrdered, minimumCount: minimumCount, maximumCount: maximumCount)
    }

    /// Returns the hidden inverse of this relationship, which `owner` declares without an inverse.
    func hiddenInverse(owner: String) -> RelationshipDescription {
        // Names in a model cannot have a dot, and no other hidden name begins like this.
        var back = RelationshipDescription(
            Self.hiddenName(of: name, owner: owner), owner, isToMany: !isToMany, isOptional: true,
            deleteRule: .nullify, inverse: name, renamingIdentifier: nil,
            versionHashModifier: nil, userInfo: [:])
        back.isHidden = true
        return back
    }

    /// Returns the name of the inverse, declared or hidden.
    func inverseName(owner: String) -> String {
        inverse ?? Self.hiddenName(of: name, owner: owner)
    }

    private static func hiddenName(of name: String, owner: String) -> String {
        ".\(owner).\(name)"
    }
}
