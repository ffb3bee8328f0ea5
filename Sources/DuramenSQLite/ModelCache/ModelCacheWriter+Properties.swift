import DuramenArchives
import DuramenModel
import DuramenQuery

/// The attributes and relationships of a model cache.
extension ModelCacheWriter {
    /// A property that an entity declares, as the entity and its sub-entities have it.
    struct Property {
        let name: Part
        let type: ModelCacheClass
        /// All fields except the entity.
        let fields: Fields
        /// The object of the property in the declaring entity.
        let object: Int
        let owner: Int
    }

    /// The information that all kinds of properties have.
    struct Traits {
        var name: String
        var isOptional = false
        var isReadOnly = false
        var isTransient = false
        var isOrdered = false
        var isIndexed = false
        var hasRules = false
        var renamingIdentifier: String?
        var versionHashModifier: String?
        var userInfo: [String: String] = [:]

        /// The number under `_P`.
        ///
        /// All 888 properties of known caches fit these bits. Their bit 0 is always set.
        var bits: Int64 {
            var bits: Int64 = 0x01
            if isOptional { bits |= 0x02 }
            if isReadOnly { bits |= 0x04 }
            if isTransient { bits |= 0x08 }
            if !hasRules { bits |= 0x10 | 0x20 }
            if userInfo.isEmpty { bits |= 0x40 }
            if versionHashModifier == nil { bits |= 0x80 }
            if isOrdered { bits |= 0x400 }
            return bits
        }
    }

    /// The fields for the traits of a property. A false flag has no field.
    mutating func fields(of traits: Traits) -> Fields {
        let name = archive.text(traits.name)
        var fields: Fields = [
            ("NSPropertyName", name), ("_P", .integer(traits.bits)),
            // A property that was not renamed has its own name here.
            ("NSRenamingIdentifier", archive.text(traits.renamingIdentifier ?? traits.name)),
        ]
        let flags = [
            ("NSIsOptional", traits.isOptional), ("NSIsReadOnly", traits.isReadOnly),
            ("NSIsTransient", traits.isTransient), ("NSIsOrdered", traits.isOrdered),
            ("NSIsIndexed", traits.isIndexed),
        ]
        for (name, holds) in flags where holds { fields.append((name, .boolean(true))) }
        if let modifier = traits.versionHashModifier {
            fields.append(("NSVersionHashModifier", archive.text(modifier)))
        }
        if !traits.userInfo.isEmpty {
            fields.append(("NSUserInfo", archive.notes(traits.userInfo)))
        }
        return fields
    }

    mutating func property(
        _ name: String, _ type: ModelCacheClass, _ fields: Fields,
        of owner: Int
    ) -> Property {
        let isRelationship = type == .relationship
        let known = isRelationship ? relationshipObjects[PropertyKey(owner, name)] : nil
        let object = known ?? archive.reserve()
        return Property(
            name: archive.text(name), type: type, fields: fields, object: object, owner: owner)
    }

    // MARK: - Attributes

    /// An attribute. A cache cannot store confidentiality.
    ///
    /// - Parameters:
    ///   - attribute: The attribute.
    ///   - owner: The index of the declaring entity.
    ///   - isIndexed: Whether the entity has an ascending index over it alone.
    mutating func attribute(
        _ attribute: AttributeDescription, of owner: Int, isIndexed: Bool
    ) -> Property {
        let validations = validations(of: attribute)
        let count = countedRelationship(of: attribute)
        var fields = fields(
            of: Traits(
                name: attribute.name, isOptional: attribute.isOptional, isReadOnly: count != nil,
                isTransient: attribute.isTransient, isIndexed: isIndexed,
                hasRules: !validations.isEmpty,
                renamingIdentifier: attribute.renamingIdentifier,
                versionHashModifier: attribute.versionHashModifier, userInfo: attribute.userInfo))
        // A transformable's default is JSON in Duramen, and an object of the application in Core
        // Data.
        let hasDefault = attribute.type != .transformable
        // One known cache has 16. None has 4, but other stores of Core Data do.
        let flags: Int64 =
            (attribute.allowsExternalBinaryDataStorage ? 4 : 0)
            | (attribute.preservesValueInHistoryOnDeletion ? 16 : 0)
        fields += [
            ("NSAttributeType", .integer(Int64(attribute.type.rawValue))),
            ("NSAttributeValueClassName", archive.text(Self.valueClass(of: attribute))),
            ("NSDefaultValue", archive.value(hasDefault ? attribute.defaultValue : .null)),
            ("NSFlagsKey", .integer(flags)),
            ("NSValueTransformerName", archive.text(Self.transformer(of: attribute))),
        ]
        if !validations.isEmpty {
            fields += [
                ("NSValidationPredicates", archive.list(.mutableArray, validations.map(\.0))),
                ("NSValidationWarnings", archive.list(.mutableArray, validations.map(\.1))),
            ]
        }
        guard let count else { return property(attribute.name, .attribute, fields, of: owner) }
        fields += [
            ("NSDerivationExpression", archive.count(ofToMany: count)),
            ("NSFilteringPredicate", KeyedArchiveBuilder.null),
        ]
        return property(attribute.name, .derivedAttribute, fields, of: owner)
    }

    /// The to-many whose objects an attribute counts; nil for any other attribute.
    ///
    /// The only derivation in known caches counts a to-many of the object itself. Attributes with
    /// other derivations are written as plain ones, since their values are stored too.
    private func countedRelationship(of attribute: AttributeDescription) -> String? {
        guard let text = attribute.derivationExpression,
            let derivation = DerivationExpression(text), derivation.function == .count,
            derivation.path.count == 1
        else { return nil }
        return derivation.path[0]
    }

    private static func valueClass(of attribute: AttributeDescription) -> String? {
        switch attribute.type {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: return "NSNumber"
        case .decimal: return "NSDecimalNumber"
        case .string: return "NSString"
        case .date: return "NSDate"
        case .binaryData: return "NSData"
        case .uuid: return "NSUUID"
        case .uri: return "NSURL"
        case .transformable:
            let name = attribute.codableType?.identifier
            // An attribute without a class is registered under the name of its transformer.
            return name.map { StoredText($0) } == transformer(of: attribute).map { StoredText($0) }
                ? nil : name
        // No cache has an attribute of undefined type, which stores do not keep either.
        default: return nil
        }
    }

    /// Values without a transformer are JSON here. Core Data would read them as keyed archives if
    /// the cache named no transformer. An application can register one under this name.
    private static func transformer(of attribute: AttributeDescription) -> String? {
        guard attribute.type == .transformable else { return nil }
        return attribute.valueTransformerName ?? "DuramenJSON"
    }

    // MARK: - Relationships

    /// A relationship. Hidden inverses are never written: a cache has relationships without an
    /// inverse.
    mutating func relationship(
        _ relationship: RelationshipDescription, of owner: Int
    ) -> Property {
        var fields = fields(
            of: Traits(
                name: relationship.name, isOptional: relationship.isOptional,
                isOrdered: relationship.isOrdered,
                renamingIdentifier: relationship.renamingIdentifier,
                versionHashModifier: relationship.versionHashModifier,
                userInfo: relationship.userInfo))
        let destination = place(of: relationship.destination)
        let inverse = relationship.inverse.flatMap { name in
            destination.flatMap { relationshipObjects[PropertyKey($0, name)] }
        }
        fields += [
            ("NSDeleteRule", .integer(Self.number(of: relationship.deleteRule))),
            ("NSMinCount", .integer(Self.minimum(of: relationship))),
            ("NSMaxCount", .integer(Self.maximum(of: relationship))),
            ("NSDestinationEntity", reference(toEntity: destination)),
            ("NSInverseRelationship", inverse.map { .uid($0) } ?? KeyedArchiveBuilder.null),
            ("_NSDestinationEntityName", archive.text(relationship.destination)),
            ("_NSInverseRelationshipName", archive.text(relationship.inverse)),
        ]
        return property(relationship.name, .relationship, fields, of: owner)
    }

    private static func number(of rule: DeleteRule) -> Int64 {
        switch rule {
        case .noAction: 0
        case .nullify: 1
        case .cascade: 2
        case .deny: 3
        }
    }

    /// A to-one has no minimum count in a model. Most mandatory ones in caches have 1, and optional
    /// ones 0.
    private static func minimum(of relationship: RelationshipDescription) -> Int64 {
        relationship.isToMany
            ? Int64(relationship.minimumCount) : relationship.isOptional ? 0 : 1
    }

    /// 0 means any number. A maximum of 1 would make it a to-one, so such a to-many has no maximum.
    private static func maximum(of relationship: RelationshipDescription) -> Int64 {
        guard relationship.isToMany else { return 1 }
        let maximum = relationship.maximumCount ?? 0
        return maximum == 1 ? 0 : Int64(maximum)
    }
}
