package import DuramenModel

extension StoreQuery {
    /// Returns this query sorted by derived attributes `localized:(name)` in place of `name`.
    ///
    /// Their bytes have the order of ``FetchSortDescriptor/Comparison/localizedStandard``, which an
    /// index can keep. Pass the result only to stores that keep derived attributes in this way. An
    /// unsaved object has the derived values of its last save.
    package func orderedByKeys(in model: ManagedObjectModel) -> StoreQuery {
        guard sortDescriptors.contains(where: { $0.comparison == .localizedStandard }),
            model.derivations.contains(where: { $0.function == .localized })
        else { return self }
        var replacement = KeyReplacement()
        var query = self
        for (place, descriptor) in sortDescriptors.enumerated()
        where descriptor.comparison == .localizedStandard {
            guard let path = Self.key(of: descriptor.keyPath, from: model[entity], in: model)
            else { continue }
            replacement.paths[descriptor.keyPath] = path
            query.sortDescriptors[place].keyPath = path
            query.sortDescriptors[place].comparison = .standard
        }
        if !replacement.paths.isEmpty { query.predicate = predicate.map(replacement.predicate) }
        return query
    }

    /// Returns the path to the sort key of the text at the end of a path; nil if the model has
    /// none.
    private static func key(
        of path: [String], from entity: Entity, in model: ManagedObjectModel
    ) -> [String]? {
        let found = ModelPath(path, from: entity, in: model)
        guard let source = found.attribute, found.toManys.isEmpty, found.rest.isEmpty,
            let derivation = model.derivations.first(where: { derivation in
                derivation.function == .localized && derivation.toOnes.isEmpty
                    && derivation.source?.slot == source.slot
                    && derivation.source?.declaringEntity == source.declaringEntity
                    // Another entity above or beside may lack the attribute.
                    && derivation.entity == source.declaringEntity
            }),
            // Null text must have a null key, not an empty one.
            derivation.attribute.isOptional || !source.isOptional
        else { return nil }
        return found.names.dropLast() + [derivation.attribute.name]
    }
}

/// Compares keys in place of texts in their order, as the positions of pages do.
private struct KeyReplacement {
    /// The paths of the keys, by the paths of their texts.
    var paths: [[String]: [String]] = [:]

    func predicate(_ predicate: FetchPredicate) -> FetchPredicate {
        switch predicate.form {
        case .and(let parts): .and(parts.map(self.predicate))
        case .or(let parts): .or(parts.map(self.predicate))
        case .not(let part): .not(self.predicate(part))
        case .comparison(let comparison): .comparison(self.comparison(comparison))
        case .constant, .quantified: predicate
        }
    }

    private func comparison(_ comparison: PredicateComparison) -> PredicateComparison {
        let options = FetchSortDescriptor.Comparison.localizedStandard.options
        guard comparison.quantifier == nil, case .keyPath(let path) = comparison.left.form,
            let key = paths[path], case .constant(let value) = comparison.right.form
        else { return comparison }
        switch comparison.operator {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: break
        default: return comparison
        }
        if value.isNull {
            return PredicateComparison(.keyPath(key), comparison.operator, .constant(.null))
        }
        guard comparison.options == options, case .text(let text) = value else { return comparison }
        return PredicateComparison(
            .keyPath(key), comparison.operator,
            .constant(.text(TextFolding.fold(text, options))))
    }
}
