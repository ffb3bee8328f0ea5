import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore
import Foundation

extension StoreCore: SQLQuerySource {
    var mapping: PostgresSchema { schema }
    var dialect: PostgresDialect { PostgresDialect() }
    var tables: any AnyObject & Sendable { schema }

    func selection(for query: StoreQuery) -> SQLSelection {
        let all =
            query.includesSubentities ? familyPlans[query.entity.index] : plans[query.entity.index]
        let plan =
            query.slots.map { RowPlan(schema: schema, entities: all.entities, slots: $0) } ?? all
        return SQLSelection(columns: plan.columns, plan: plan)
    }
}

extension CompiledSelect {
    /// The statement.
    var statement: Statement {
        // A list has any number of values, for which a general plan may be a bad one.
        let isList = types.contains { if case .list = $0 { true } else { false } }
        return Statement(text.sql, prepared: !isList)
    }

    /// The values in binary form.
    var bound: [Parameter] { zip(parameters, types).map { Parameter($0, $1) } }
}

extension Parameter {
    /// Creates a parameter of a compiled condition.
    init(_ value: SQLParameter, _ type: SQLParameterType) {
        switch (value, type) {
        case (.null, _): self = .null(PostgresType(type))
        case (.integer(let number), .boolean): self = .boolean(number != 0)
        case (.integer(let number), .double): self = .double(Double(number))
        case (.integer(let number), .decimal): self = .numeric(Decimal(number))
        case (.integer(let number), _): self = .bigint(number)
        case (.double(let number), _): self = .double(number)
        case (.decimal(let number), _): self = .numeric(number)
        case (.text(let text), _): self = .text(text.withUTF8 { TextEscaping.escape($0) })
        case (.textBytes(let bytes), _):
            self = .text(bytes.withUnsafeBytes { TextEscaping.escape($0) })
        case (.bytes(let bytes), .uuid): self = Parameter(type: .uuid, bytes: bytes)
        case (.bytes(let bytes), .text):
            self = .text(bytes.withUnsafeBytes { TextEscaping.escape($0) })
        case (.bytes(let bytes), _): self = .bytea(bytes)
        case (.list(let values), .list(let element)):
            var array = ArrayBuilder(PostgresType(element), capacity: values.count)
            for value in values { array.append(Parameter(value, element)) }
            self = array.finish()
        case (.list, _): self = .null(PostgresType(type))
        }
    }
}

extension PostgresType {
    /// The type of a compiled condition's parameter.
    init(_ type: SQLParameterType) {
        switch type {
        case .bigint: self = .bigint
        case .double: self = .double
        case .boolean: self = .boolean
        case .text: self = .text
        case .bytes: self = .bytea
        case .uuid: self = .uuid
        case .decimal: self = .numeric
        case .list(let element): self = PostgresType(element).array
        }
    }
}
