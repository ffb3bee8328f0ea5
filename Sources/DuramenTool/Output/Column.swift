import DuramenModel
import DuramenQuery
import DuramenStore

/// A column of the printed rows.
struct Column {
    /// The content of the column.
    enum Content {
        case objectID
        case attribute(Attribute)
        case toOne(Reference)
    }

    /// A to-one by entity: sub-entities may store the destination's entity in another slot.
    struct Reference {
        let id: RelationshipID
        let byEntity: [Relationship?]

        init(_ relationship: Relationship, in model: ManagedObjectModel) {
            id = relationship.id
            byEntity = model.entities.map { $0.relationship(relationship.id) }
        }
    }

    let title: String
    /// The path of to-ones to the content.
    var steps: [Reference] = []
    let content: Content

    /// Whether the values are only shown on request.
    var isConfidential: Bool {
        if case .attribute(let attribute) = content { attribute.isConfidential } else { false }
    }

    /// Whether the values are numbers, which are aligned to the right.
    var isNumber: Bool {
        guard case .attribute(let attribute) = content else { return false }
        return switch attribute.kind {
        case .integer, .double, .float, .decimal: true
        default: false
        }
    }

    /// The slots that the column reads in rows of the query's entities.
    func slots(in model: ManagedObjectModel) -> [Int] {
        if let first = steps.first { return Self.slots(of: first) }
        switch content {
        case .objectID: return []
        case .attribute(let attribute): return [attribute.slot]
        case .toOne(let reference): return Self.slots(of: reference)
        }
    }

    private static func slots(of reference: Reference) -> [Int] {
        reference.byEntity.flatMap { relationship -> [Int] in
            guard case .toOne(let slot, let entitySlot)? = relationship?.storage else { return [] }
            return [slot] + (entitySlot.map { [$0] } ?? [])
        }
    }
}

/// Resolves the requested columns.
struct ColumnList {
    let entity: Entity
    let model: ManagedObjectModel

    /// The ID, all attributes and all to-ones.
    var all: [Column] {
        [Column(title: idTitle, content: .objectID)]
            + entity.attributes.map { Column(title: $0.name, content: .attribute($0)) }
            + entity.relationships.filter { !$0.isToMany && !$0.isHidden }.map {
                Column(title: $0.name, content: .toOne(Column.Reference($0, in: model)))
            }
    }

    /// The title of the ID, unlike any property's name.
    private var idTitle: String { entity.property(named: "objectID") == nil ? "objectID" : "SELF" }

    /// Returns the columns of comma-separated paths, each once.
    func columns(_ paths: String) throws(StoreError) -> [Column] {
        var columns: [Column] = []
        for path in paths.split(separator: ",", omittingEmptySubsequences: false) {
            for column in try self.columns(at: String(path))
            where !columns.contains(where: { StoredText($0.title) == StoredText(column.title) }) {
                columns.append(column)
            }
        }
        return columns
    }

    private func columns(at path: String) throws(StoreError) -> [Column] {
        var names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[
            ...]
        if Array(names).isTooLong { throw problem(path) }
        var steps: [Column.Reference] = []
        var current = entity
        while let name = names.first {
            guard case .relationship(let relationship)? = current.property(named: name),
                !relationship.isToMany
            else { break }
            names.removeFirst()
            let reference = Column.Reference(relationship, in: model)
            if names.isEmpty {
                return [Column(title: path, steps: steps, content: .toOne(reference))]
            }
            steps.append(reference)
            current = model[relationship.destination]
        }
        let rest = names.joined(separator: ".")
        if case .attribute(let attribute)? = current.property(named: rest) {
            return [Column(title: path, steps: steps, content: .attribute(attribute))]
        }
        if let composite = current.composite(named: rest) {
            let prefix = path.dropLast(rest.count)
            return composite.attributes.map {
                Column(title: prefix + $0.name, steps: steps, content: .attribute($0))
            }
        }
        if steps.isEmpty, StoredText(path) == StoredText(idTitle) {
            return [Column(title: path, content: .objectID)]
        }
        throw problem(path)
    }

    /// Returns the library's error for a path that does not exist.
    private func problem(_ path: String) -> StoreError {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let test = FetchPredicate.comparison(
            PredicateComparison(.keyPath(names), .equal, .constant(.null)))
        do throws(FetchPredicateError) {
            _ = try test.lowered(for: entity, in: model).bound(to: entity, in: model)
        } catch {
            if [.unknownProperty, .invalidKeyPath, .tooComplex].contains(error.code) {
                return StoreError(error)
            }
        }
        return StoreError(
            .invalidRequest,
            "\(entity.name): '\(path)' is not a column. Name attributes and to-ones, or '\(idTitle)'."
        )
    }
}
