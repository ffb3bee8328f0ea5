import DuramenModel
import Foundation

/// Decodes a model from its archive: unchecked names and numbers.
struct ModelCacheReader {
    private let archive: KeyedArchive
    /// The number of properties so far. Objects may be shared, so the archive's size does not limit
    /// it.
    private var propertyCount = 0

    /// More than any model has; inherited properties count again in every sub-entity.
    static let mostEntities = 10_000
    static let mostProperties = 200_000
    /// The largest archive; the largest known has about 2 MB.
    static let maximumBytes = 64 << 20

    /// Decompresses the content of a cache.
    init(packed: UnsafeRawBufferPointer) throws(ModelCacheDamage) {
        archive = try KeyedArchive(
            try Inflation.inflate(packed, maximumBytes: Self.maximumBytes))
    }

    mutating func model() throws(ModelCacheDamage) -> ForeignModel {
        guard try archive.className(of: archive.root) == "NSManagedObjectModel" else {
            throw ModelCacheDamage("its archive holds no model")
        }
        let fields = try archive.fields(of: archive.root)
        var model = ForeignModel()
        for identifier in try fields.elements("NSVersionIdentifiers") {
            if let text = try archive.text(identifier) { model.versionIdentifiers.append(text) }
        }
        model.versionIdentifiers.sort { StoredText($0) < StoredText($1) }
        guard let list = try fields.node("NSEntities") else {
            throw ModelCacheDamage("its model has no entities")
        }
        for (_, value) in try archive.entries(of: list) {
            guard case .node(let node) = value else { continue }
            if model.entities.count == Self.mostEntities {
                throw ModelCacheDamage("its model has more than \(Self.mostEntities) entities")
            }
            model.entities.append(try entity(node))
        }
        return model
    }

    // MARK: - Entities

    private mutating func entity(
        _ node: KeyedArchive.Node
    ) throws(ModelCacheDamage) -> ForeignEntity {
        let fields = try archive.fields(of: node)
        guard let name = try fields.text("NSEntityName") else {
            throw ModelCacheDamage("an entity of its model has no name")
        }
        var entity = ForeignEntity(name: name)
        if let parent = try fields.node("NSSuperentity") {
            entity.superentity = try archive.fields(of: parent).text("NSEntityName")
        }
        entity.isAbstract = try fields.flag("NSIsAbstract")
        entity.renamingIdentifier = try renaming(fields, name)
        entity.versionHashModifier = try fields.text("NSVersionHashModifier")
        entity.userInfo = try userInfo(fields)
        if let properties = try fields.node("NSProperties") {
            for (name, value) in try archive.entries(of: properties) {
                guard case .node(let property) = value else { continue }
                propertyCount += 1
                if propertyCount > Self.mostProperties {
                    throw ModelCacheDamage("its model has too many properties")
                }
                try addProperty(name, property, to: &entity)
            }
        }
        for tuple in try fields.elements("NSUniqueTuples") {
            guard case .node(let node) = tuple else { continue }
            entity.uniqueProperties.append(try propertyNames(node))
        }
        for index in try fields.elements("NSFetchIndexDescriptions") {
            guard case .node(let node) = index, let index = try self.index(node) else { continue }
            entity.indexes.append(index)
        }
        return entity
    }

    /// The names in an array: texts, or properties.
    private func propertyNames(
        _ array: KeyedArchive.Node
    ) throws(ModelCacheDamage) -> [String] {
        var names: [String] = []
        for element in try archive.fields(of: array).elements() {
            if let text = try archive.text(element) {
                names.append(text)
            } else if case .node(let node) = element,
                let name = try archive.fields(of: node).text("NSPropertyName")
            {
                names.append(name)
            }
        }
        return names
    }

    /// An index over values in their order; nil for partial and spatial indexes.
    private func index(
        _ node: KeyedArchive.Node
    ) throws(ModelCacheDamage) -> IndexDescription? {
        let fields = try archive.fields(of: node)
        guard let name = try fields.text("NSIndexName"),
            try fields.node("NSPartialIndexPredicate") == nil
        else { return nil }
        var elements: [IndexDescription.Element] = []
        for element in try fields.elements("NSIndexElements") {
            guard case .node(let node) = element else { return nil }
            let fields = try archive.fields(of: node)
            guard let property = try fields.text("NSPropertyName"),
                try fields.integer("NSFetchIndexElementType") ?? 0 == 0
            else { return nil }
            let isAscending = try fields.integer("NSAscending") ?? 1 != 0
            elements.append(.init(property, isAscending: isAscending))
        }
        return IndexDescription(name: name, elements: elements)
    }

    // MARK: - Properties

    private func addProperty(
        _ name: String, _ node: KeyedArchive.Node, to entity: inout ForeignEntity
    ) throws(ModelCacheDamage) {
        var node = node
        var className = try archive.className(of: node)
        // An inherited property may be a proxy for the ancestor's.
        if className == "_NSPropertyDescriptionProxy",
            let underlying = try archive.fields(of: node).node("NSUnderlyingProperty")
        {
            node = underlying
            className = try archive.className(of: node)
        }
        let fields = try archive.fields(of: node)
        let property = ForeignProperty(
            name: name, isOptional: try fields.flag("NSIsOptional"),
            isTransient: try fields.flag("NSIsTransient"),
            renamingIdentifier: try renaming(fields, name),
            versionHashModifier: try fields.text("NSVersionHashModifier"),
            userInfo: try userInfo(fields))
        switch className {
        case "NSAttributeDescription", "NSDerivedAttributeDescription":
            entity.attributes.append(
                try attribute(fields, property, className.hasPrefix("NSDerived")))
        case "NSRelationshipDescription":
            entity.relationships.append(try relationship(fields, property, of: entity.name))
        default: entity.unknownProperties.append(name)
        }
    }

    private func attribute(
        _ fields: KeyedArchive.Fields, _ property: ForeignProperty, _ isDerived: Bool
    ) throws(ModelCacheDamage) -> ForeignAttribute {
        let type = Int16(clamping: try fields.integer("NSAttributeType") ?? 0)
        let flags = try fields.integer("NSFlagsKey") ?? 0
        var attribute = ForeignAttribute(
            property: property, type: AttributeType(rawValue: type), isDerived: isDerived,
            isExternal: flags & 4 != 0, isPreservedOnDeletion: flags & 16 != 0,
            defaultValue: try value(try fields["NSDefaultValue"]))
        if attribute.type == .transformable {
            attribute.valueTypeName = try fields.text("NSAttributeValueClassName")
            // Core Data uses a keyed archive if a model names no transformer.
            attribute.valueTransformerName =
                try fields.text("NSValueTransformerName") ?? "NSKeyedUnarchiveFromData"
        }
        return attribute
    }

    private func relationship(
        _ fields: KeyedArchive.Fields, _ property: ForeignProperty, of entity: String
    ) throws(ModelCacheDamage) -> ForeignRelationship {
        var destination = try fields.text("_NSDestinationEntityName")
        if destination == nil, let node = try fields.node("NSDestinationEntity") {
            destination = try archive.fields(of: node).text("NSEntityName")
        }
        guard let destination else {
            throw ModelCacheDamage("its relationship '\(entity).\(property.name)' leads nowhere")
        }
        let rule: DeleteRule =
            switch try fields.integer("NSDeleteRule") ?? 0 {
            case 1: .nullify
            case 2: .cascade
            case 3: .deny
            default: .noAction
            }
        let maximum = try fields.integer("NSMaxCount") ?? 0
        return ForeignRelationship(
            property: property, destination: destination,
            inverse: try fields.text("_NSInverseRelationshipName"), isToMany: maximum != 1,
            isOrdered: try fields.flag("NSIsOrdered"), deleteRule: rule,
            minimumCount: try fields.integer("NSMinCount") ?? 0, maximumCount: maximum)
    }

    /// The old name; nil for the current name, which archives also store.
    private func renaming(
        _ fields: KeyedArchive.Fields, _ name: String
    ) throws(ModelCacheDamage) -> String? {
        guard let old = try fields.text("NSRenamingIdentifier"), StoredText(old) != StoredText(name)
        else { return nil }
        return old
    }

    private func userInfo(
        _ fields: KeyedArchive.Fields
    ) throws(ModelCacheDamage) -> [String: String] {
        guard let node = try fields.node("NSUserInfo") else { return [:] }
        var notes: [String: String] = [:]
        for (name, value) in try archive.entries(of: node) { notes[name] = try archive.text(value) }
        return notes
    }

    // MARK: - Values

    private func value(_ value: KeyedArchive.Value) throws(ModelCacheDamage) -> ForeignValue {
        switch value {
        case .null: return .none
        case .boolean(let flag): return .integer(flag ? 1 : 0)
        case .integer(let number): return .integer(number)
        case .real(let number): return .real(number)
        case .date(let seconds): return .date(seconds)
        case .data(let range): return .data(archive.data(range))
        case .text(let text): return .text(text)
        case .array: return .foreign("array")
        case .node(let node): return try self.value(of: node)
        }
    }

    private func value(of node: KeyedArchive.Node) throws(ModelCacheDamage) -> ForeignValue {
        let name = try archive.className(of: node)
        let fields = try archive.fields(of: node)
        switch name {
        case "NSString", "NSMutableString":
            return try fields.text("NS.string").map { .text($0) } ?? .foreign(name)
        case "NSDate":
            if case .real(let seconds) = try fields["NS.time"] { return .date(seconds) }
            if let seconds = try fields.integer("NS.time") { return .date(Double(seconds)) }
        case "NSData", "NSMutableData":
            if case .data(let range) = try fields["NS.data"] { return .data(archive.data(range)) }
        case "NSUUID":
            if case .data(let range) = try fields["NS.uuidbytes"], range.count == 16 {
                let bytes = archive.data(range)
                return bytes.withUnsafeBytes {
                    .uuid(UUID(uuid: $0.loadUnaligned(as: uuid_t.self)))
                }
            }
        case "NSURL":
            if let text = try fields.text("NS.relative") { return .uri(text) }
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder":
            if let decimal = try decimal(fields) { return .decimal(decimal) }
        default: break
        }
        return .foreign(name)
    }

    /// A mantissa of up to eight 16-bit digits, the lowest first, and a power of ten.
    private func decimal(_ fields: KeyedArchive.Fields) throws(ModelCacheDamage) -> Decimal? {
        guard case .data(let range) = try fields["NS.mantissa"], range.count <= 16,
            let length = try fields.integer("NS.length"), (0...range.count / 2).contains(length)
        else { return nil }
        let bytes = [UInt8](archive.data(range))
        // 1 means little-endian, which every current machine writes.
        let isBigEndian = try fields.integer("NS.mantissa.bo") == 2
        var mantissa = Decimal(0)
        for digit in (0..<length).reversed() {
            let (first, second) = (Int(bytes[digit * 2]), Int(bytes[digit * 2 + 1]))
            mantissa =
                mantissa * 65_536 + Decimal(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        let exponent = try fields.integer("NS.exponent") ?? 0
        guard (-128...127).contains(exponent) else { return nil }
        return Decimal(
            sign: try fields.flag("NS.negative") ? .minus : .plus, exponent: exponent,
            significand: mantissa)
    }
}
