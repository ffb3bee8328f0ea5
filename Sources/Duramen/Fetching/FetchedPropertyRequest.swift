import DuramenModel
import DuramenQuery

extension FetchedPropertyDescription {
    var sortDescriptors: [FetchSortDescriptor] {
        sortKeys.map { FetchSortDescriptor($0.keyPath, ascending: $0.isAscending) }
    }
}

/// The fetch request of one object's fetched property.
struct FetchedPropertyRequest {
    private let property: FetchedPropertyDescription
    private let source: ManagedObject

    init(_ property: FetchedPropertyDescription, of source: ManagedObject) {
        self.property = property
        self.source = source
    }

    func request() throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: property.destination)
        request.sortDescriptors = property.sortDescriptors
        request.fetchLimit = property.fetchLimit
        guard let format = property.predicateFormat else { return request }
        let predicate = try FetchPredicate(format: format, arguments: [])
        request.predicate = try filled(predicate)
        return request
    }

    private func filled(_ predicate: FetchPredicate) throws -> FetchPredicate {
        try predicate.mapping { comparison throws in
            var copy = comparison
            copy.left = try filled(comparison.left)
            copy.right = try filled(comparison.right)
            return .comparison(copy)
        }
    }

    /// Returns an expression with the source's present values in place of the variables.
    private func filled(_ expression: FetchExpression) throws -> FetchExpression {
        switch expression.form {
        case .variable("FETCH_SOURCE"): return .constant(.objectID(source.objectID))
        case .property(.variable("FETCH_SOURCE"), let names):
            return try value(of: source, names[...])
        case .property(.variable("FETCHED_PROPERTY"), let names):
            if let first = names.first, StoredText(first) == StoredText("userInfo"),
                names.count == 2
            {
                let note = property.userInfo.first { StoredText($0.key) == StoredText(names[1]) }
                return .constant(note.map { .text(StoredText($0.value)) } ?? .null)
            }
            return .constant(.text(StoredText(property.name)))
        default:
            return try expression.mapping(
                operands: { operand throws in try filled(operand) },
                condition: { condition throws in try filled(condition) })
        }
    }

    /// Returns the value at a key path of an object, or several values behind a to-many.
    private func value(
        of object: ManagedObject, _ names: ArraySlice<String>
    ) throws -> FetchExpression {
        guard let name = names.first else { return .constant(.objectID(object.objectID)) }
        let path = names.joined(separator: ".")
        if case .attribute? = object.entity.property(named: path) {
            return .constant(try object.storedValue(forKey: path))
        }
        switch try object.value(forKey: name) {
        case let next as ManagedObject: return try value(of: next, names.dropFirst())
        case let members as [ManagedObject]:
            var values: [StoredValue] = []
            for member in members {
                switch try value(of: member, names.dropFirst()).form {
                case .constant(let value): if !value.isNull { values.append(value) }
                case .list(let several): values += several
                default: break
                }
            }
            return .list(values)
        default: return .constant(.null)
        }
    }
}
