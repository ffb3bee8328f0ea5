import DuramenModel

/// A value of an element that cannot be imported, with the way to it from the element.
struct RefusedValue: Error {
    /// The keys and indexes, the innermost first.
    var path: [String]
    let reason: String

    init(_ reason: String, at path: [String] = []) {
        self.reason = reason
        self.path = path
    }
}

extension JSONReader {
    /// Reads an element.
    ///
    /// - Throws: ``RefusedValue``, or ``ImportError`` for a mapping that cannot be.
    mutating func readElement(of plan: ImportPlan, number: Int) throws -> ImportRecord {
        do {
            guard try kind() == .object else {
                throw RefusedValue("The element is not an object. Give objects in the feed.")
            }
            let record = try readRecord(of: plan, number: number)
            try finish()
            return record
        } catch let error as JSONMistake {
            throw RefusedValue("The element is not JSON: \(error.problem).")
        }
    }

    /// Reads an object, or the value of its natural key.
    private mutating func readRecord(
        of plan: ImportPlan, number: Int
    ) throws -> ImportRecord {
        let record = ImportRecord(plan, element: number)
        if try kind() == .object {
            try readFields(plan.fields, into: record)
            for (index, field) in plan.attributes.enumerated()
            where field.missing == .setNil && record.values[index] == nil {
                record.values[index] = .null
            }
            for (index, field) in plan.relationships.enumerated() where field.missing == .setNil {
                if field.relationship.isToMany {
                    record.addMembers([], to: index)
                } else if !record.toOnes.contains(where: { $0.index == index }) {
                    record.setToOne(index, nil)
                }
            }
        } else {
            guard let index = plan.key.first, plan.key.count == 1 else {
                throw RefusedValue(
                    "An object of '\(plan.entity.name)' is named by a value alone, and has no natural "
                        + "key of one attribute. Match an attribute in the mapping.")
            }
            record.values[index] = try readValue(of: plan, index)
        }
        record.findKey()
        if !plan.key.isEmpty, record.key == nil {
            let names = plan.key.map { "'\(plan.attributes[$0].attribute.name)'" }
                .joined(separator: ", ")
            throw RefusedValue(
                "The object of '\(plan.entity.name)' has no value for its natural key, \(names). Give "
                    + "one, or match another attribute.")
        }
        return record
    }

    /// Reads the members of an object, or the elements of an array, that set properties.
    private mutating func readFields(_ fields: ImportFields, into record: ImportRecord) throws {
        let isObject = try kind() == .object
        enter()
        var isFirst = true
        var index = 0
        while true {
            let target: ImportFields.Target?
            let name: () throws -> String
            if isObject {
                guard let key = try nextKey(&isFirst) else { return }
                if key.hasEscapes {
                    let text = try string(key)
                    target = fields.target(of: Array(text.utf8)[...])
                    name = { text }
                } else {
                    target = fields.target(of: bytes[key.range])
                    name = { [self] in try string(key) }
                }
            } else {
                guard try nextElement(&isFirst) else { return }
                let text = "\(index)"
                target = fields.target(of: Array(text.utf8)[...])
                name = { text }
                index += 1
            }
            guard let target else {
                try skip()
                continue
            }
            do {
                try read(target, into: record)
            } catch var error as RefusedValue {
                error.path.append(try name())
                throw error
            }
        }
    }

    private mutating func read(_ target: ImportFields.Target, into record: ImportRecord) throws {
        switch target {
        case .attribute(let index):
            record.values[index] = try readValue(of: record.plan, index)
        case .relationship(let index): try readRelationship(index, into: record)
        case .fields(let fields):
            switch try kind() {
            case .object, .array: try readFields(fields, into: record)
            case .null:
                try readNull()
                fields.setNull(in: record)
            default:
                throw RefusedValue("The value holds no other values. Correct the mapping.")
            }
        }
    }

    private mutating func readValue(of plan: ImportPlan, _ index: Int) throws -> StoredValue {
        let field = plan.attributes[index]
        do {
            return try readValue(of: field)
        } catch let error as UnsuitableValue {
            throw RefusedValue(
                "'\(plan.entity.name).\(field.attribute.name)' \(error.problem).")
        }
    }

    private mutating func readRelationship(_ index: Int, into record: ImportRecord) throws {
        let plan = record.plan
        let relationship = plan.relationships[index].relationship
        let kind = try kind()
        if kind == .null {
            try readNull()
            if relationship.isToMany {
                record.addMembers([], to: index)
            } else {
                record.setToOne(index, nil)
            }
            return
        }
        let destination = try plan.destination(of: index)
        guard relationship.isToMany else {
            record.setToOne(
                index, try readRecord(of: destination, number: record.elements[0]))
            return
        }
        guard kind == .array else {
            throw RefusedValue(
                "'\(plan.entity.name).\(relationship.name)' needs an array: it is a to-many.")
        }
        enter()
        var members: [ImportRecord] = []
        var isFirst = true
        while try nextElement(&isFirst) {
            do {
                members.append(try readRecord(of: destination, number: record.elements[0]))
            } catch var error as RefusedValue {
                error.path.append("\(members.count)")
                throw error
            }
        }
        record.addMembers(members, to: index)
    }
}

extension ImportFields {
    /// Sets all properties below to nil, as for a composite that is null.
    func setNull(in record: ImportRecord) {
        for target in targets {
            switch target {
            case .attribute(let index): record.values[index] = .null
            case .relationship: break
            case .fields(let fields): fields.setNull(in: record)
            }
        }
    }
}
