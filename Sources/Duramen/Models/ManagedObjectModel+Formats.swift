import DuramenModel
import DuramenQuery

extension ManagedObjectModel {
    /// Checks the model's conditions that are format strings.
    ///
    /// - Throws: ``ModelError`` with all mistakes.
    func checkFormats() throws(ModelError) {
        var mistakes: [ModelError.Mistake] = []
        for entity in entities {
            for attribute in entity.attributes where attribute.declaringEntity == entity.id {
                for rule in attribute.rules.predicates {
                    if let problem = Self.problem(withRule: rule.format) {
                        mistakes.append(
                            .init(
                                .invalidRule, entity: entity.name, property: attribute.name,
                                "a condition over its values is none: \(problem)"))
                    }
                }
            }
            for property in descriptions[entity.id.index].fetchedProperties {
                if let problem = problem(with: property, of: entity) {
                    mistakes.append(
                        .init(
                            .invalidFetchedProperty, entity: entity.name, property: property.name,
                            problem))
                }
            }
        }
        if !mistakes.isEmpty { throw ModelError(mistakes: mistakes) }
    }

    private static func problem(withRule format: String) -> String? {
        do {
            let predicate = try FetchPredicate(format: format, arguments: [])
            _ = try predicate.evaluate(with: .null)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func problem(
        with property: FetchedPropertyDescription, of owner: Entity
    ) -> String? {
        guard let destination = entity(named: property.destination) else { return nil }
        do {
            _ = try property.sortDescriptors.bound(to: destination, in: self)
            guard let format = property.predicateFormat else { return nil }
            let source = ManagedObjectID.temporary(entity: owner.handle)
            // The values of the variables do not matter here.
            _ = try FetchPredicate(format: format, arguments: []).withSubstitutionVariables(
                ["FETCH_SOURCE": source, "FETCHED_PROPERTY": property.name]
            ).bound(to: destination, in: self)
            return nil
        } catch {
            return
                "its condition or order does not fit '\(destination.name)'; the variable of its owner is "
                + "$FETCH_SOURCE. \(error)"
        }
    }
}
