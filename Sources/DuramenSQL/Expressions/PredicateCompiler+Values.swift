import DuramenModel
import DuramenQuery
import Foundation

extension PredicateCompiler {
    /// An expression with one value; nil for several values, for objects, and if the engine cannot
    /// express it.
    mutating func value(_ expression: FetchExpression, _ scope: inout SQLScope) -> SQLValue? {
        switch expression.form {
        case .constant(let value): return constant(value)
        case .list(let values):
            // A call decodes the whole list again for each row.
            guard values.count <= Self.longestList else { return nil }
            return boxed(QueryValue.collection(values.map { .value($0) }))
        case .keyPath(let path): return property(path, &scope)
        case .property(let base, let path):
            guard let name = base.variableName else { return nil }
            return inVariable(name) { compiler, scope in compiler.property(path, &scope) }
        case .count(let path): return aggregate(.count, .keyPath(path), &scope)
        case .aggregate(let parts):
            guard let values = values(parts, &scope) else { return nil }
            return call("l ", values, .boxed)
        case .cast(let inner, let type):
            guard let value = value(inner, &scope) else { return nil }
            return call("c \(type.rawValue)", [value], type.kind)
        case .conditional(let condition, let first, let second):
            return conditional(condition, first, second, &scope)
        case .function(let function, let arguments):
            return self.function(function, arguments, &scope)
        case .selfObject, .variable, .subquery, .assignment, .anyKey: return nil
        }
    }

    private static var longestList: Int { 64 }

    private mutating func values(
        _ expressions: [FetchExpression], _ scope: inout SQLScope
    ) -> [SQLValue]? {
        var values: [SQLValue] = []
        for expression in expressions {
            guard let value = value(expression, &scope) else { return nil }
            values.append(value)
        }
        return values
    }

    /// Compiles in the tables of a variable's objects.
    mutating func inVariable<R>(
        _ name: String, _ body: (inout Self, inout SQLScope) -> R?
    ) -> R? {
        guard var scope = variables[name] else { return nil }
        let result = body(&self, &scope)
        variables[name] = scope
        return result
    }

    // MARK: - Constants and attributes

    private mutating func constant(_ value: StoredValue) -> SQLValue? {
        switch value {
        case .null:
            return SQLValue(text: dialect.null(as: .number), kind: .number, isNull: true)
        case .integer(let number):
            return SQLValue(text: placeholder(.integer(number), .bigint), kind: .integer)
        case .boolean(let flag):
            return SQLValue(text: placeholder(.integer(flag ? 1 : 0), .boolean), kind: .boolean)
        case .double(let number):
            return SQLValue(text: placeholder(.double(number), .double), kind: .double)
        case .text(let text): return SQLValue(text: constant(text), kind: .text)
        case .uri(let text): return SQLValue(text: constant(text), kind: .uri)
        case .date(let date):
            return SQLValue(
                text: placeholder(.double(date.timeIntervalSinceReferenceDate), .double),
                kind: .date)
        case .binary(let data):
            return SQLValue(text: placeholder(.bytes(Array(data)), .bytes), kind: .binary)
        case .uuid(let uuid):
            let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
            return SQLValue(text: placeholder(.bytes(bytes), .uuid), kind: .uuid)
        case .decimal(let number):
            if !dialect.comparesDecimals { return boxed(.value(value)) }
            return SQLValue(text: placeholder(.decimal(number), .decimal), kind: .decimal)
        case .objectID: return nil
        }
    }

    private mutating func constant(_ text: StoredText) -> String {
        dialect.collated(placeholder(.text(text), .text))
    }

    private mutating func boxed(_ value: QueryValue) -> SQLValue {
        SQLValue(text: placeholder(.bytes(BoxedValue.encode(value)), .bytes), kind: .boxed)
    }

    private mutating func property(_ path: [String], _ scope: inout SQLScope) -> SQLValue? {
        switch target(of: path, &scope) {
        case .attribute(let column, let kind)?:
            guard let kind = SQLKind(kind) else { return nil }
            if kind != .decimal || dialect.comparesDecimals {
                return SQLValue(text: column, kind: kind)
            }
            guard let digits = digits(of: path, &scope) else { return nil }
            return SQLValue(text: column, kind: .decimal, digits: digits)
        case nil:
            guard path.last == "entity" else { return nil }
            return entityName(behind: Array(path.dropLast()), &scope)
        default: return nil
        }
    }

    private mutating func digits(of path: [String], _ scope: inout SQLScope) -> String? {
        guard let name = path.last,
            let (alias, entity) = table(at: Array(path.dropLast()), &scope),
            case .attribute(let attribute)? = mapping.model[entity].property(named: name)
        else { return nil }
        return mapping.decimalDigits(slot: attribute.slot, of: entity, alias: alias)
    }

    private mutating func entityName(
        behind path: [String], _ scope: inout SQLScope
    ) -> SQLValue? {
        guard let (alias, entity) = table(at: path, &scope),
            mapping.model[entity].property(named: "entity") == nil
        else { return nil }
        var text = "(CASE \(alias).\(mapping.entityColumn)"
        for member in mapping.model[entity].family {
            let name = placeholder(.text(StoredText(mapping.model[member].name)), .text)
            text += " WHEN \(mapping.number(of: member)) THEN \(name)"
        }
        return SQLValue(text: dialect.collated(text + " END)"), kind: .text)
    }

    // MARK: - Functions

    /// A call of the evaluator's own function; nil if the engine cannot call it.
    func call(_ action: String, _ arguments: [SQLValue], _ result: SQLKind) -> SQLValue? {
        let spec = SQLCall.text(action, arguments, result)
        return dialect.call(spec, arguments.map(\.argument)).map {
            SQLValue(text: $0, kind: result)
        }
    }

    private mutating func conditional(
        _ condition: FetchPredicate, _ first: FetchExpression, _ second: FetchExpression,
        _ scope: inout SQLScope
    ) -> SQLValue? {
        guard let condition = self.condition(condition, &scope, strict: true),
            var yes = value(first, &scope), var no = value(second, &scope)
        else { return nil }
        var kind = yes.kind
        if yes.isNull {
            kind = no.kind
            yes.text = dialect.null(as: kind)
        } else if no.isNull {
            no.text = dialect.null(as: kind)
        } else if yes.kind != no.kind {
            kind = .boxed
        }
        if kind == .decimal && !dialect.comparesDecimals || kind == .boxed {
            kind = .boxed
            guard let boxedYes = box(yes), let boxedNo = box(no) else { return nil }
            (yes, no) = (boxedYes, boxedNo)
        }
        return SQLValue(
            text: "(CASE WHEN \(condition) THEN \(yes.text) ELSE \(no.text) END)", kind: kind)
    }

    private func box(_ value: SQLValue) -> SQLValue? {
        value.kind == .boxed ? value : call("q ", [value], .boxed)
    }

    private mutating func function(
        _ function: FetchFunction, _ arguments: [FetchExpression], _ scope: inout SQLScope
    ) -> SQLValue? {
        switch function {
        // Their results differ for each row.
        case .random, .randomn, .now: return nil
        default: break
        }
        if arguments.count == 1, function.isOfCollection,
            let aggregate = attempt(
                &scope, { $0.aggregate(function, arguments[0], &$1) })
        {
            return aggregate
        }
        var values: [SQLValue] = []
        for argument in arguments {
            guard let value = operand(argument, &scope) else { return nil }
            values.append(value)
        }
        if let native = native(function, values) { return native }
        return call("f \(function.rawValue)", values, function.result(of: values.map(\.kind)))
    }

    /// Arithmetic that the engine does exactly like ``Number``.
    private func native(_ function: FetchFunction, _ values: [SQLValue]) -> SQLValue? {
        let kinds = values.map(\.kind)
        guard let sign = dialect.arithmetic(function, kinds) else { return nil }
        if values.count == 1 {
            return SQLValue(text: "(0 \(sign) \(values[0].text))", kind: .number)
        }
        return SQLValue(
            text: "(\(values[0].text) \(sign) \(values[1].text))",
            kind: kinds.contains(.double) ? .double : function.isBitwise ? .integer : .number)
    }
}

extension FetchFunction {
    fileprivate var isBitwise: Bool {
        self == .bitwiseAnd || self == .bitwiseOr || self == .modulus
    }

    /// The form of the engine's result.
    fileprivate func result(of kinds: [SQLKind]) -> SQLKind {
        switch self {
        case .uppercase, .lowercase, .canonical, .localized: .text
        case .length, .count: .integer
        case .distance: .double
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement:
            .integer
        case .sqrt, .log, .ln, .exp, .raise: .double
        case .noindex, .abs, .floor, .ceiling, .trunc, .negate, .add, .subtract, .multiply, .divide,
            .modulus:
            kinds.allSatisfy(\.isNumber) ? .number : .boxed
        default: .boxed
        }
    }
}

extension FetchCast {
    fileprivate var kind: SQLKind {
        switch self {
        // The result may be a decimal.
        case .number, .decimal, .objectID: .boxed
        case .text: .text
        case .date: .date
        case .uuid: .uuid
        case .uri: .uri
        case .binary: .binary
        }
    }
}
