import DuramenModel

extension ManagedObjectContext {
    /// Whether classes define validation rules.
    var hasApplicationRules: Bool {
        parts.contains(where: \.hasOwnRules)
    }
}

extension ContextPart {
    /// Appends failures of the application's rules for the changes of this part. Rules for single
    /// properties come first for each object.
    func listApplicationFailures(_ failures: inout [ValidationError.Failure]) {
        guard hasOwnRules else { return }
        // Rules may load objects, which adds to the lists.
        for object in tracker.inserted {
            judgeProperties(of: object, &failures)
            judge(object, .validateForInsert, object.validateForInsert, &failures)
        }
        for object in tracker.updated where object.isUpdated {
            judgeProperties(of: object, &failures)
            judge(object, .validateForUpdate, object.validateForUpdate, &failures)
        }
        for object in tracker.deleted where !object.isInserted {
            judge(object, .validateForDelete, object.validateForDelete, &failures)
        }
    }

    private func judgeProperties(
        of object: ManagedObject, _ failures: inout [ValidationError.Failure]
    ) {
        for rule in object.plan.demands.propertyRules {
            do {
                try rule.check(object)
            } catch {
                failures += ValidationError.failures(error, object, rule.property ?? "")
            }
        }
    }

    private func judge(
        _ object: ManagedObject, _ hook: LifecycleHooks, _ rule: () throws -> Void,
        _ failures: inout [ValidationError.Failure]
    ) {
        guard object.overrides(hook) else { return }
        do {
            try rule()
        } catch {
            failures += ValidationError.failures(error, object, "")
        }
    }
}

extension ValidationError {
    /// Returns the failures for an error that a rule of the application threw.
    fileprivate static func failures(
        _ error: any Error, _ object: ManagedObject, _ property: String
    ) -> [Failure] {
        if let error = error as? ValidationError { return error.failures }
        return [
            Failure(
                code: .invalidValue, objectID: object.objectID, property: property,
                message: "a rule of the application forbids it: \(error)", cause: error)
        ]
    }
}
