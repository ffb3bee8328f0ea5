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
            for index in plan.nilWhereMissing.attributes where record.values[index] == nil {
                record.values[index] = .null
            }
            for index in plan.nilWhereMissing.relationships {
                if plan.relationships[index].relationship.isToMany {
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
            // The bytes of the key; nil where it is the index.
            var key: (range: Range<Int>, hasEscapes: Bool)?
            if isObject {
                key = try nextKey(&isFirst)
                guard let key else { return }
                target =
                    key.hasEscapes
                    ? fields.target(of: Array(try string(key).utf8)[...])
                    : fields.target(of: bytes[key.range])
            } else {
                guard try nextElement(&isFirst) else { return }
                target = fields.target(of: Array("\(index)".utf8)[...])
            }
            if let target {
                do {
                    try read(target, into: record)
                } catch var error as RefusedValue {
                    error.path.append(try key.map { (key) in try string(key) } ?? "\(index)")
                    throw error
                }
            } else {
                try skip()
            }
            index += 1
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
                index, try readRecord(of: destination, number: record.element))
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
                members.append(try readRecord(of: destination, number: record.element))
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
