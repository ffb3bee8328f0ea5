import Foundation

/// Computes digests of everything that decides whether two models can read the same stores.
///
/// - Every property: its name, optionality, transience and modifier.
/// - An attribute: also its type, codable type, derivation and elements, and whether its values may
///   have separate files.
/// - A relationship: also its destination, inverse and counts.
/// - An entity: its name, its parent's hash, whether it is abstract, its properties, uniqueness
///   constraints and modifier.
///
/// Indexes, defaults, delete rules, class names and notes do not count.
enum VersionHash {
    /// The version of the digests; it is raised when the digests include something else.
    static let release = 1

    /// Sets the version hash of every draft.
    ///
    /// - Parameters:
    ///   - drafts: The drafts of all entities.
    ///   - order: All places, each after its parent's, because a hash includes the parent's hash.
    static func fill(_ drafts: inout [EntityDraft], parentsFirst order: [Int]) {
        for index in order { drafts[index].versionHash = hash(of: index, in: drafts) }
    }

    /// Returns the digests of formats that left out uniqueness constraints that name to-ones; nil
    /// if the model has no such constraints.
    static func digestsWithoutReferences(
        _ drafts: [EntityDraft], parentsFirst order: [Int]
    ) -> VersionDigests? {
        var hasReferences = false
        var drafts = drafts
        for draft in drafts where !draft.description.uniquenessConstraints.isEmpty {
            let kept = draft.uniquenessConstraints.filter { constraint in
                constraint.entity == draft.id
                    && !constraint.slots.contains { draft.layout.kinds[$0] == .reference }
            }.map(\.properties)
            if kept.count == draft.description.uniquenessConstraints.count { continue }
            hasReferences = true
            drafts[draft.id.index].description.uniquenessConstraints = kept
        }
        guard hasReferences else { return nil }
        fill(&drafts, parentsFirst: order)
        return VersionDigests(
            checksum: checksum(of: drafts),
            entityHashes: Dictionary(
                drafts.map { ($0.description.name, $0.versionHash) }, uniquingKeysWith: +))
    }

    /// Returns the digest of the entities' hashes in the order of their names.
    static func checksum(of drafts: [EntityDraft]) -> String {
        var bytes: [UInt8] = []
        for draft in drafts { bytes += Data(base64Encoded: draft.versionHash) ?? Data() }
        return Data(SHA256.digest(of: bytes)).base64EncodedString()
    }

    private static func hash(of index: Int, in drafts: [EntityDraft]) -> String {
        let description = drafts[index].description
        var input = HashInput()
        input.add(description.name)
        input.add(drafts[index].superentity.map { drafts[$0.index].versionHash } ?? "")
        input.add(description.isAbstract)
        input.add(description.versionHashModifier ?? "")
        let attributes = description.attributes.map { (StoredText($0.name), digest($0)) }
        let relationships = description.relationships.filter { !$0.isHidden }
            .map { (StoredText($0.name), digest($0)) }
        for (_, digest) in (attributes + relationships).sorted(by: { $0.0 < $1.0 }) {
            input.add(digest)
        }
        let constraints = description.uniquenessConstraints.map { $0.joined(separator: ".") }
        for constraint in constraints.sorted(by: { StoredText($0) < StoredText($1) }) {
            input.add("unique " + constraint)
        }
        return input.base64
    }

    private static func digest(_ attribute: AttributeDescription) -> String {
        var input = HashInput()
        input.add("attribute " + attribute.name)
        input.add(attribute.isOptional)
        input.add(attribute.isTransient)
        input.add(attribute.versionHashModifier ?? "")
        input.add(String(attribute.type.rawValue))
        // Stores keep such values differently.
        if attribute.allowsExternalBinaryDataStorage { input.add("external") }
        if let codableType = attribute.codableType {
            input.add("codable " + codableType.identifier)
        }
        // The stored values depend on the expression.
        if let derivation = attribute.derivationExpression {
            input.add("derived " + (DerivationExpression(derivation)?.description ?? derivation))
        }
        let elements = attribute.elements.map { (StoredText($0.name), digest($0)) }
        for (_, digest) in elements.sorted(by: { $0.0 < $1.0 }) { input.add(digest) }
        return input.base64
    }

    private static func digest(_ relationship: RelationshipDescription) -> String {
        var input = HashInput()
        input.add("relationship " + relationship.name)
        input.add(relationship.isOptional)
        input.add(relationship.versionHashModifier ?? "")
        input.add(relationship.destination)
        input.add(relationship.inverse ?? "")
        input.add(relationship.isToMany)
        input.add(relationship.isOrdered)
        input.add(String(relationship.minimumCount))
        input.add(relationship.maximumCount.map(String.init) ?? "")
        return input.base64
    }
}

/// Fields with their lengths, so that no two lists of fields give the same bytes.
private struct HashInput {
    private var bytes: [UInt8] = []

    mutating func add(_ text: String) {
        bytes += Array("\(text.utf8.count):".utf8)
        bytes += Array(text.utf8)
    }

    mutating func add(_ flag: Bool) { add(flag ? "1" : "0") }

    var base64: String { Data(SHA256.digest(of: bytes)).base64EncodedString() }
}
