import DuramenModel
import DuramenQuery

/// A named request of the model, for which a function is written.
struct PlannedRequest {
    /// One variable of the condition.
    struct Variable {
        let name: String
        /// The Swift name, as a declaration writes it.
        let escaped: String
        let type: String
    }

    let request: ModelDocument.FetchRequest
    let entity: Entity
    /// The function's name, as a declaration writes it.
    let escaped: String
    let variables: [Variable]
}

/// Determines the requests that become functions, and the parameters of the functions.
struct RequestPlan {
    private(set) var requests: [PlannedRequest] = []
    private(set) var findings: [ModelFinding] = []
    private let model: ManagedObjectModel
    private let plan: CodePlan

    init(_ document: ModelDocument, model: ManagedObjectModel, plan: CodePlan) {
        self.model = model
        self.plan = plan
        var taken: [EntityID: Set<String>] = [:]
        for request in document.fetchRequests {
            guard let entity = model.entity(named: request.entity) else {
                note(request, "its entity '\(request.entity)' is missing; no function is written")
                continue
            }
            do throws(PredicateFormatError) {
                let variables = try variables(of: request, entity)
                let others = taken[entity.root, default: ["find", "fetchRequest", "init", "self"]]
                let name = SwiftName.unique(
                    SwiftName.lowercasedFirst(request.name), besides: others)
                taken[entity.root] = others.union([name])
                requests.append(
                    PlannedRequest(
                        request: request, entity: entity, escaped: SwiftName.escaped(name),
                        variables: variables))
            } catch {
                note(
                    request,
                    "its condition is not a predicate; no function is written. \(error.message)")
            }
        }
    }

    private mutating func note(_ request: ModelDocument.FetchRequest, _ message: String) {
        findings.append(
            ModelFinding(
                severity: .warning, entity: request.name, property: nil, message: message,
                place: request.element.place))
    }

    private func variables(
        of request: ModelDocument.FetchRequest, _ entity: Entity
    ) throws(PredicateFormatError) -> [PlannedRequest.Variable] {
        guard let format = request.predicate else { return [] }
        let predicate = try FetchPredicate(format: format, arguments: [])
        let types = VariableTypes(predicate, entity: entity, model: model, plan: plan).types
        var taken: Set<String> = ["self", "init"]
        return predicate.substitutionVariables.map { name in
            let identifier = SwiftName.unique(name, besides: taken)
            taken.insert(identifier)
            return PlannedRequest.Variable(
                name: name, escaped: SwiftName.escaped(identifier),
                type: types[name] ?? "any \(plan.types.library("PredicateArgument"))")
        }
    }
}

/// The types of a condition's variables.
private struct VariableTypes {
    private(set) var types: [String: String] = [:]
    private let entity: Entity
    private let model: ManagedObjectModel
    private let plan: CodePlan

    init(_ predicate: FetchPredicate, entity: Entity, model: ManagedObjectModel, plan: CodePlan) {
        self.entity = entity
        self.model = model
        self.plan = plan
        look(at: predicate)
    }

    /// Finds variables. Recursion is safe: the parser has limited the depth.
    private mutating func look(at predicate: FetchPredicate) {
        switch predicate.form {
        case .constant, .quantified: break
        case .not(let inner): look(at: inner)
        case .and(let parts), .or(let parts): for part in parts { look(at: part) }
        case .comparison(let comparison):
            look(at: comparison.left, comparison.right, comparison.operator)
            look(at: comparison.right, comparison.left, comparison.operator)
        }
    }

    private mutating func look(
        at side: FetchExpression, _ other: FetchExpression, _ relation: PredicateComparison.Operator
    ) {
        guard let name = side.variableName, let path = other.keyPathNames,
            let type = type(of: path), types[name] == nil
        else { return }
        switch relation {
        case .isIn: types[name] = "[\(type)]"
        case .between: types[name] = "ClosedRange<\(type)>"
        default: types[name] = type
        }
    }

    /// Returns the Swift type at the end of a path over to-ones; nil if there are many values.
    private func type(of path: [String]) -> String? {
        var place = entity
        for (index, name) in path.enumerated() {
            switch place.property(named: name) {
            case .relationship(let relationship) where !relationship.isToMany:
                place = model[relationship.destination]
                if index + 1 == path.count { return plan.destinationName(of: place.id) }
            case .attribute(let attribute) where index + 1 == path.count:
                return attribute.codableType == nil ? plan.types.name(of: attribute.type) : nil
            default: return nil
            }
        }
        return nil
    }
}
