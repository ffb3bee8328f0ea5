import DuramenModel

/// Writes the function for a named request of the model.
struct RequestWriter {
    private let planned: PlannedRequest
    private let file: SourceWriter

    init(_ planned: PlannedRequest, _ file: SourceWriter) {
        self.planned = planned
        self.file = file
    }

    func write(to code: inout CodeWriter) {
        let types = file.types
        let request = types.library("FetchRequest")
        let object = file.plan.destinationName(of: planned.entity.id)
        let hasClass = file.plan.className(of: planned.entity.id) != nil
        code.line()
        let head =
            hasClass
            ? "extension \(object)"
            : "extension \(request) where Object == \(types.library("ManagedObject"))"
        code.block("nonisolated \(head)") { code in
            code.line(
                "/// The request '\(SwiftName.commentable(planned.request.name))' of the model.")
            let parameters = planned.variables.map { "\($0.escaped): \($0.type)" }
            let effect = planned.request.predicate == nil ? "" : " throws"
            code.block(
                "\(file.prefix)static func \(planned.escaped)(\(parameters.joined(separator: ", ")))"
                    + "\(effect) -> \(request)<\(object)>"
            ) { code in
                writeBody("\(request)<\(object)>", to: &code)
            }
        }
    }

    private func writeBody(_ request: String, to code: inout CodeWriter) {
        let element = planned.request.element
        let entity = SwiftName.quoted(planned.entity.name)
        let call = "\(request)(entityName: \(entity))"
        let limits = ["fetchLimit", "fetchBatchSize"]
            // In model files, 0 means no limit.
            .compactMap { name in
                element[name].flatMap { Int($0) }.flatMap { $0 > 0 ? (name, $0) : nil }
            }
        if planned.request.predicate == nil, limits.isEmpty { return code.line(call) }
        code.line("var request = \(call)")
        if let format = planned.request.predicate {
            let predicate = file.types.library("FetchPredicate")
            code.line(
                "request.predicate = try \(predicate)(format: \(SwiftName.quoted(format)), arguments: [])"
            )
            if !planned.variables.isEmpty {
                let values = planned.variables.map { "\(SwiftName.quoted($0.name)): \($0.escaped)" }
                code.line("    .withSubstitutionVariables([\(values.joined(separator: ", "))])")
            }
        }
        for (property, number) in limits { code.line("request.\(property) = \(number)") }
        code.line("return request")
    }
}
