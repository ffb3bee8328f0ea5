import DuramenModel
import Foundation

// Core Data's key-value access, for entities without a class and for tools.
extension ManagedObject {
    /// Returns the value of a property by name, including transient ones. An attribute has its
    /// Swift type, or nil for null; a to-one is an object. A to-many or fetched property is an
    /// array of objects, in its order if it has one. A composite is a dictionary of the elements
    /// with values, or nil. Elements are named by their paths, such as `epicentre.latitude`.
    ///
    /// - Throws: ``ContextError`` `.unknownName`, `.damagedValue`, or the error of loading the
    ///   object.
    public final func value(forKey key: String) throws -> Any? {
        if let attribute = entity.transientAttribute(named: key) {
            return transientValue(of: attribute)
        }
        if let composite = entity.composite(named: key) {
            try load()
            return try dictionary(of: composite)
        }
        if entity.fetchedProperty(named: key) != nil { return try fetchedObjects(forKey: key) }
        let property = try property(key)
        if partialRow(of: property) == nil { try load() }
        switch property {
        case .attribute(let attribute):
            reportRead(slot: attribute.slot)
            return try (row ?? partialRow(of: property)).flatMap {
                try swiftValue(of: attribute, in: $0)
            }
        case .relationship(let relationship):
            if let slot = relationship.slot {
                let destination: ManagedObject? = toOne(at: slot)
                return destination
            }
            let members: ToMany<ManagedObject> = toMany(
                at: relationship.storage.toManyIndex ?? 0)
            return try throwingFaults { Array(members) }
        }
    }

    /// Sets a property by name. Integers of any type are accepted if they are in range. Numbers are
    /// converted to doubles, decimals or rounded floats, and strings to text. Nil means null, or no
    /// destination of a to-one. A composite takes a dictionary or its struct; elements missing in
    /// the dictionary become null.
    ///
    /// - Throws: ``ContextError`` `.unknownName`, `.invalidValue` if the value is invalid, or the
    ///   error of loading the object. If the call throws, the object is unchanged.
    public final func setValue(_ value: Any?, forKey key: String) throws {
        if let attribute = entity.transientAttribute(named: key) {
            return try set(value, of: attribute)
        }
        try load()
        if let composite = entity.composite(named: key) { return try set(value, of: composite) }
        switch try property(key) {
        case .attribute(let attribute):
            if attribute.derivation != nil {
                throw ContextError.invalidValue(
                    of: key, objectID: objectID,
                    "is not the application's: the attribute is derived, and stores compute it")
            }
            let stored = try storedValue(value, of: attribute)
            // Setting a value that was decoded before is not a change.
            if holdsTransformable(value, stored, attribute) { return }
            try set(stored, of: attribute)
        case .relationship(let relationship): try set(value, of: relationship)
        }
    }

    /// Whether a transformable attribute already has a value, in any encoding.
    private final func holdsTransformable(
        _ value: Any?, _ stored: StoredValue, _ attribute: Attribute
    ) -> Bool {
        guard let codableType = attribute.codableType else { return false }
        if holds(stored, at: attribute.slot) { return true }
        guard let value, let row, !row.isNull(attribute.slot) else { return false }
        return codableType.isSame(value, as: Data(row.unsafeBytes(attribute.slot)))
    }

    /// Returns the stored form of an attribute's value.
    ///
    /// - Throws: ``ContextError`` `.unknownName`, or the error of loading the object.
    public final func storedValue(forKey key: String) throws -> StoredValue {
        try load()
        guard case .attribute(let attribute) = try property(key), let row else {
            throw unknownProperty(key)
        }
        reportRead(slot: attribute.slot)
        return row.value(attribute.slot, attribute.kind)
    }

    private final func property(_ key: String) throws -> Property {
        guard let property = entity.property(named: key) else { throw unknownProperty(key) }
        return property
    }

    final func unknownProperty(_ key: String) -> ContextError {
        ContextError(.unknownName, problem(of: key), objectID: objectID)
    }

    /// If the key names a property, the property has a kind that the call does not accept.
    private final func problem(of key: String) -> String {
        if entity.hasProperty(named: key) {
            return
                "'\(entity.name).\(key)' is not of the kind that this call reads or changes. Use "
                + "value(forKey:) and setValue(_:forKey:), or name another property."
        }
        let question = NearestName.question(key, among: entity.propertyNames)
        return "'\(entity.name)' has no property '\(key)'. \(question)"
            + "Correct the key, or add the property to the model."
    }

    /// Returns the stored form of a value.
    final func storedValue(_ value: Any?, of attribute: Attribute) throws -> StoredValue {
        guard let codableType = attribute.codableType, let value else {
            return try storedValue(value, attribute.name, attribute.type)
        }
        do throws(CodingFailure) {
            return .binary(try codableType.data(of: value))
        } catch {
            throw ContextError.invalidValue(
                of: attribute.name, objectID: objectID, error.problem)
        }
    }

    /// Returns the Swift form of a stored value; nil for null.
    final func swiftValue(of attribute: Attribute, in row: Row) throws -> Any? {
        let stored = row.value(attribute.slot, attribute.kind)
        guard let codableType = attribute.codableType, case .binary(let data) = stored else {
            return stored.swiftValue(as: attribute.type)
        }
        do throws(CodingFailure) {
            return try codableType.value(of: data)
        } catch {
            throw ContextError.damagedValue(of: attribute.name, objectID, error)
        }
    }

    /// Converts a value to an attribute's type.
    private final func storedValue(
        _ value: Any?, _ name: String, _ type: AttributeType
    ) throws -> StoredValue {
        guard let value, let kind = SlotKind(type) else { return .null }
        guard let converted = StoredValue(converting: value, to: kind) else {
            throw ContextError.invalidValue(
                of: name, objectID: objectID,
                "is of type \(Swift.type(of: value)), which does not become \(type)")
        }
        if let problem = type.problem(with: converted) {
            throw ContextError.invalidValue(of: name, objectID: objectID, problem)
        }
        return type.stored(converted)
    }

    private final func set(_ value: Any?, of attribute: TransientAttribute) throws {
        let kept: Any? =
            attribute.type == .undefined
            ? destinations(of: value) ?? value
            : try storedValue(value, attribute.name, attribute.type).swiftValue(as: attribute.type)
        // A stored nil hides the attribute's default.
        setTransientValue(kept as Any, at: attribute.index)
    }

    final func set(_ value: StoredValue, of attribute: Attribute) throws {
        try telling(slot: attribute.slot) { try write(value, of: attribute) }
    }

    private final func write(_ value: StoredValue, of attribute: Attribute) throws {
        if !flags.contains(.writable), !becomeWritable() {
            throw ContextError.objectNotFound(objectID)
        }
        guard let row = mutableRow else { return }
        let slot = attribute.slot
        switch value {
        case .null: row.setNull(slot)
        case .integer(let number): row.set(integer: number, at: slot)
        case .boolean(let flag): row.set(integer: flag ? 1 : 0, at: slot)
        case .double(let number): row.set(double: number + 0.0, at: slot)
        case .date(let date): row.set(double: date.timeIntervalSinceReferenceDate + 0.0, at: slot)
        case .text(let text), .uri(let text): text.withUTF8 { setBytes($0, at: slot) }
        case .decimal(let number):
            StoredText(number.storedDigits).withUTF8 { setBytes($0, at: slot) }
        case .binary(let data): data.withUnsafeBytes { setBytes($0, at: slot) }
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { setBytes($0, at: slot) }
        case .objectID: break
        }
    }

    private final func set(_ value: Any?, of relationship: Relationship) throws {
        let part = plan.handle.part(for: self)
        let destination = part.model[relationship.destination]
        func checked(_ value: Any) throws -> ManagedObject {
            guard let object = value as? ManagedObject,
                part.ownEntity(of: object)?.isKind(of: destination) == true
            else {
                throw ContextError.invalidValue(
                    of: relationship.name, objectID: objectID,
                    "is not an object of '\(destination.name)'")
            }
            return object
        }
        if let slot = relationship.slot {
            try setToOne(value.map(checked), at: slot)
            return
        }
        guard let objects = value as? any Sequence else {
            throw ContextError.invalidValue(
                of: relationship.name, objectID: objectID, "is not a sequence of objects")
        }
        let index = relationship.storage.toManyIndex ?? 0
        let members = try objects.map { try checked($0) }
        if relationship.isOrdered {
            orderedToMany(at: index).replace(with: members)
        } else {
            toMany(at: index).replace(with: members)
        }
    }
}

extension StoredValue {
    /// Returns the value in the Swift type of an attribute; nil for null.
    func swiftValue(as type: AttributeType) -> Any? {
        switch self {
        case .null: nil
        case .integer(let number):
            switch type {
            case .integer16: Int16(truncatingIfNeeded: number)
            case .integer32: Int32(truncatingIfNeeded: number)
            default: number
            }
        case .double(let number): type == .float ? Float(number) as Any : number as Any
        case .decimal(let number): number
        case .text(let text): text.string
        case .boolean(let flag): flag
        case .date(let date): date
        case .binary(let data): data
        case .uuid(let uuid): uuid
        case .uri(let text): URL(string: text.string)
        case .objectID(let id): id
        }
    }

    /// Converts a Swift value for a kind of slot; nil if that is not possible.
    init?(converting value: Any, to kind: SlotKind) {
        switch (kind, value) {
        case (.integer, let number as any BinaryInteger):
            guard let fit = Int64(exactly: number) else { return nil }
            self = .integer(fit)
        case (.boolean, let flag as Bool): self = .boolean(flag)
        case (.double, let number as any BinaryFloatingPoint),
            (.float, let number as any BinaryFloatingPoint):
            self = .double(Double(number))
        case (.double, let number as any BinaryInteger), (.float, let number as any BinaryInteger):
            self = .double(Double(number))
        case (.decimal, let number as Decimal): self = .decimal(number)
        case (.decimal, let number as any BinaryInteger):
            guard let fit = Int64(exactly: number) else { return nil }
            self = .decimal(Decimal(fit))
        case (.decimal, let number as any BinaryFloatingPoint):
            let number = Double(number)
            // With an infinite number, the initializer of `Decimal` ends the process.
            if number.isInfinite { return nil }
            self = .decimal(Decimal(number))
        case (.text, let text as String): self = .text(StoredText(text))
        case (.uri, let url as URL): self = .uri(StoredText(url.absoluteString))
        case (.uri, let text as String): self = .uri(StoredText(text))
        case (.date, let date as Date): self = .date(date)
        case (.binary, let data as Data): self = .binary(data)
        case (.uuid, let uuid as UUID): self = .uuid(uuid)
        case (_, let value as any AttributeValue):
            // Enumerations and other types of the application.
            guard SlotKind(Swift.type(of: value).attributeType) == kind else { return nil }
            self = value.storedValue
        default: return nil
        }
    }
}
