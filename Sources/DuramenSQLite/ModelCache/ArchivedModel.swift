import DuramenModel
import Foundation

/// What a model cache says, in its own words: the properties of each entity with the inherited ones.
struct ArchivedModel {
    var entities: [ArchivedEntity] = []
    var versionIdentifiers: [String] = []
}

/// One entity of a model cache.
struct ArchivedEntity {
    var name: String
    var superentity: String?
    var isAbstract = false
    var renamingIdentifier: String?
    var versionHashModifier: String?
    var userInfo: [String: String] = [:]
    var attributes: [ArchivedAttribute] = []
    var relationships: [ArchivedRelationship] = []
    /// Names of properties that only fetch or cannot be told.
    var fetchedProperties: [String] = []
    var uniqueProperties: [[String]] = []
    var indexes: [IndexDescription] = []
}

/// What all properties of a model cache have.
struct ArchivedProperty {
    var name: String
    var isOptional: Bool
    var isTransient: Bool
    var renamingIdentifier: String?
    var versionHashModifier: String?
    var userInfo: [String: String]
}

/// One attribute of a model cache.
struct ArchivedAttribute {
    var property: ArchivedProperty
    var type: AttributeType
    var isDerived: Bool
    var isExternal: Bool
    var isPreservedOnDeletion: Bool
    var defaultValue: ArchivedValue
}

/// One relationship of a model cache.
struct ArchivedRelationship {
    var property: ArchivedProperty
    var destination: String
    var inverse: String?
    var isToMany: Bool
    var isOrdered: Bool
    var deleteRule: DeleteRule
    var minimumCount: Int
    var maximumCount: Int
}

/// A default value, before anybody asked whether it suits its attribute.
enum ArchivedValue {
    case none
    case integer(Int64)
    case real(Double)
    case decimal(Decimal)
    case text(String)
    case date(Double)
    case data(Data)
    case uuid(UUID)
    case uri(String)
    /// An object of a class that is none of these.
    case foreign(String)
}
