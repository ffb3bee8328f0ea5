import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes the nested struct `Values` of a managed class.
///
/// Comparing and coding use functions of the protocol, because attribute types need not be
/// `Hashable` or `Codable`. All members are accessed with `self`, so that a property may have any
/// name.
struct ValuesGenerator {
    let managed: ManagedClass

    /// The struct, and in a final class the property `values`. Other classes do not have the
    /// property, since a subclass could not override it with another type.
    var members: [DeclSyntax] {
        guard managed.options.hasValues, !managed.memberNames.contains("Values") else { return [] }
        return managed.isFinal && !managed.memberNames.contains("values")
            ? [values, accessor] : [values]
    }

    private var accessor: DeclSyntax {
        """
        /// The stored values with unsaved changes, free to leave the object's context.
        \(raw: managed.access)var values: Values {
            Values(self)
        }
        """
    }

    // Unchecked, because a property of a wrong type would have a second error here.
    // Sound: the functions that read values take `Sendable` types only.
    private var values: DeclSyntax {
        """
        /// The stored values of \(raw: managed.name) objects, free to leave their context.
        \(raw: dynamicLookup)nonisolated \(raw: managed.access)struct Values: ManagedValues, @unchecked Sendable {
            \(raw: managed.access)typealias Object = \(raw: managed.name)
        \(raw: indented(parts.joined(separator: "\n")))
        }
        """
    }

    private var parts: [String] {
        [storage, toManyIndices, memberwiseInitializer, readingInitializer, write, equality, hash]
            + coding
    }

    // MARK: - Members

    private var properties: [ValuesProperty] {
        managed.declared.compactMap { ValuesProperty($0, of: managed) }
    }

    private var superValues: String? { managed.superclass?.valuesReference }

    private var dynamicLookup: String { superValues == nil ? "" : "@dynamicMemberLookup " }

    private var storage: String {
        let own = properties.map { "\($0.access)var \($0.identifier): \($0.type)" }
        let access = managed.access
        guard let superValues else {
            return (identity + ["\(access)var objectID: ManagedObjectID"] + own)
                .joined(separator: "\n")
        }
        let inherited = """
            /// The values of the superclass; these values have all of its members too.
            \(access)var superValues: \(superValues)
            \(access)var objectID: ManagedObjectID {
                get { superValues.objectID }
                set { superValues.objectID = newValue }
            }
            \(access)subscript<Value>(
                dynamicMember keyPath: WritableKeyPath<\(superValues), Value>
            ) -> Value {
                get { superValues[keyPath: keyPath] }
                set { superValues[keyPath: keyPath] = newValue }
            }
            """
        return ([inherited] + inheritedID + identity + own).joined(separator: "\n")
    }

    private var ownID: ValuesProperty? { properties.first { unescaped($0.identifier) == "id" } }

    /// Makes the object's ID identify the values if a property called `id` cannot.
    private var identity: [String] {
        guard let ownID, !(ownID.isIdentity && ownID.access == managed.access) else { return [] }
        return ["\(managed.access)typealias ID = ManagedObjectID"]
    }

    /// Forwards the identity of the superclass's values, which may have a property called `id`; the
    /// protocol's default would hide it.
    private var inheritedID: [String] {
        guard let superValues, ownID == nil else { return [] }
        return [
            """
            \(managed.access)var id: \(superValues).ID {
                get { superValues.id }
                set { superValues.id = newValue }
            }
            """
        ]
    }

    private var toManyIndices: String {
        let own = properties.compactMap { $0.isToMany ? $0.place : nil }
        let inherited = superValues.map { "\($0).toManyIndices + " } ?? ""
        return """
            \(managed.access)static var toManyIndices: [Int] {
                \(inherited)[\(own.joined(separator: ", "))]
            }
            """
    }

    private var memberwiseInitializer: String {
        let access = properties.map(\.access).reduce(managed.access, ValuesProperty.narrower)
        let first =
            superValues.map { "superValues: \($0)" }
            ?? "objectID: ManagedObjectID = .temporary(entity: EntityHandle(name: \(entityName)))"
        let parameters = [first] + properties.map(\.parameter)
        let assignments =
            [superValues == nil ? "self.objectID = objectID" : "self.superValues = superValues"]
            + properties.map { "self.\($0.identifier) = \($0.identifier)" }
        return function(
            "\(access)init(\(parameters.joined(separator: ", ")))", assignments)
    }

    private var entityName: String { "\(managed.name).entityName" }

    // MARK: - Rows and objects

    private var readingInitializer: String {
        let first =
            superValues.map { "self.superValues = \($0)(reading: reader)" }
            ?? "self.objectID = reader.objectID"
        return function(
            "\(managed.access)init(reading reader: ValuesReader)",
            [first] + properties.map { "self.\($0.identifier) = reader.\($0.read)" })
    }

    private var write: String {
        let inherited = superValues == nil ? [] : ["self.superValues.write(to: writer)"]
        return function(
            "\(managed.access)func write(to writer: ValuesWriter)",
            inherited
                + properties.filter(\.isWritten).map {
                    "writer.\($0.setter)(self.\($0.identifier), at: \($0.place))"
                })
    }

    // MARK: - Comparing

    // One line for each, since a single expression with many parts is slow to type-check.
    private var equality: String {
        let first =
            superValues == nil ? "a.objectID != b.objectID" : "a.superValues != b.superValues"
        let rest = properties.map { property in
            let (a, b) = ("a.\(property.identifier)", "b.\(property.identifier)")
            return property.comparison.map { "!\($0)(\(a), \(b))" } ?? "\(a) != \(b)"
        }
        return function(
            "\(managed.access)static func == (a: Self, b: Self) -> Bool",
            ([first] + rest).map { "if \($0) { return false }" } + ["return true"])
    }

    private var hash: String {
        let first = superValues == nil ? "self.objectID" : "self.superValues"
        return function(
            "\(managed.access)func hash(into hasher: inout Hasher)",
            ["hasher.combine(\(first))"]
                + properties.map { property in
                    let value = "self.\(property.identifier)"
                    return property.hash.map { "Self.\($0)(\(value), into: &hasher)" }
                        ?? "hasher.combine(\(value))"
                })
    }

    // MARK: - Coding

    private var coding: [String] {
        // An enum of keys must have at least one case.
        if properties.isEmpty, superValues != nil { return [emptyDecoder, emptyEncoder] }
        return [codingKeys, decoder, encoder]
    }

    private var codingKeys: String {
        let cases = (superValues == nil ? ["objectID"] : []) + properties.map(\.identifier)
        return function(
            "private enum CodingKeys: String, CodingKey", ["case \(cases.joined(separator: ", "))"])
    }

    private var decoderHead: String { "\(managed.access)init(from decoder: any Decoder) throws" }

    private var encoderHead: String {
        "\(managed.access)func encode(to encoder: any Encoder) throws"
    }

    private var emptyDecoder: String {
        function(decoderHead, ["self.superValues = try \(superValues ?? "")(from: decoder)"])
    }

    private var emptyEncoder: String {
        function(encoderHead, ["try self.superValues.encode(to: encoder)"])
    }

    private var decoder: String {
        let first =
            superValues.map { "self.superValues = try \($0)(from: decoder)" }
            ?? "self.objectID = try container.decodeIfPresent(ManagedObjectID.self, forKey: .objectID) "
            + "?? .temporary(entity: EntityHandle(name: \(entityName)))"
        return function(
            decoderHead,
            ["let container = try decoder.container(keyedBy: CodingKeys.self)", first]
                + properties.map { "self.\($0.identifier) = try \($0.decode)" })
    }

    private var encoder: String {
        let first =
            superValues == nil
            ? "try container.encode(self.objectID, forKey: .objectID)"
            : "try self.superValues.encode(to: encoder)"
        return function(
            encoderHead,
            ["var container = encoder.container(keyedBy: CodingKeys.self)", first]
                + properties.map { "try \($0.encode)" })
    }

    // MARK: - Layout of the text

    private func function(_ head: String, _ lines: [String]) -> String {
        "\(head) {\n\(indented(lines.joined(separator: "\n")))\n}"
    }

    private func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "    \($0)" }.joined(separator: "\n")
    }
}
