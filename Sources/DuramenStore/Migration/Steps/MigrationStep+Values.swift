public import DuramenModel
public import DuramenQuery

extension MigrationStep {
    /// Computes new values of each object from its old values, in the order of the objects' keys.
    ///
    /// ```swift
    /// .transform("Person", reading: ["name"], writing: ["firstName", "lastName"]) { old, new in
    ///     let parts = ((old["name"] as String?) ?? "").split(separator: " ", maxSplits: 1)
    ///     new["firstName"] = parts.first.map(String.init)
    ///     new["lastName"] = parts.dropFirst().first.map(String.init)
    /// }
    /// ```
    /// - Parameters:
    ///   - entity: The entity in the previous version, including its sub-entities.
    ///   - reading: Properties of the previous version; the destinations of relationships can be
    ///     read too.
    ///   - writing: Attributes of the next version; of a composite, the paths of its elements.
    ///   - body: Receives the old values of an object, and sets the new ones.
    /// - Complexity: One pass, in bounded memory.
    public static func transform(
        _ entity: String, reading: [String], writing: [String],
        _ body: @escaping @Sendable (MigratingRow, inout MigratedRow) throws -> Void
    ) -> MigrationStep {
        MigrationStep(
            "transform \(entity): \(reading.joined(separator: ", ")) -> \(writing.joined(separator: ", "))",
            of: entity,
            check: { bridge in
                var problems: [String] = []
                guard let known = bridge.entities(entity, &problems) else { return problems }
                if let current = bridge.currentEntity(entity, &problems) {
                    for path in reading { bridge.checkRead(path, of: current, &problems) }
                }
                for path in writing { bridge.written(path, of: known.next, &problems) }
                return problems
            },
            body: { work in
                try work.rewrite(entity, writing: writing, body)
            })
    }

    /// Sets one value in all objects, or in those that match a condition.
    ///
    /// - Parameters:
    ///   - entity: The entity in the previous version, including its sub-entities.
    ///   - attribute: The attribute in the next version.
    ///   - value: The value to set.
    ///   - predicate: A condition with the names of the previous version; nil for all objects.
    /// - Complexity: One pass.
    public static func fill(
        _ entity: String, _ attribute: String, with value: StoredValue,
        where predicate: FetchPredicate? = nil
    ) -> MigrationStep {
        MigrationStep(
            "fill \(entity).\(attribute)" + (predicate.map { " where \($0)" } ?? ""), of: entity,
            check: { bridge in
                var problems: [String] = []
                guard let known = bridge.entities(entity, &problems) else { return problems }
                if let written = bridge.written(attribute, of: known.next, &problems),
                    value.fitting(written.type) == nil
                {
                    problems.append("the value is not of type \(written.type)")
                }
                bridge.check(predicate, of: known.between, &problems)
                return problems
            },
            body: { work in
                var problems: [String] = []
                guard let known = work.bridge.entities(entity, &problems),
                    let written = work.bridge.written(attribute, of: known.next, &problems)
                else { return }
                if work.store.capabilities.contains(.batches),
                    let value = value.fitting(written.type)
                {
                    let query = StoreQuery(entity: known.between.id, predicate: predicate)
                    _ = try BatchUpdate(
                        query, setting: [(written.name, FetchExpression.constant(value))],
                        work.settings
                    ).run(on: work.store)
                    return
                }
                try work.rewrite(entity, writing: [attribute], where: predicate) { _, new in
                    new.setStoredValue(value, forKey: attribute)
                }
            })
    }

    /// Computes the values of an attribute whose type change cannot be inferred.
    ///
    /// - Parameters:
    ///   - entity: The entity in the previous version, including its sub-entities.
    ///   - attribute: The attribute in the next version. It may have been renamed with a renaming
    ///     identifier.
    ///   - body: Returns the new value for an old value. It is called for null too.
    /// - Complexity: One pass, in bounded memory.
    public static func convert(
        _ entity: String, _ attribute: String,
        storedValues body: @escaping @Sendable (StoredValue) throws -> StoredValue
    ) -> MigrationStep {
        MigrationStep(
            "convert \(entity).\(attribute)", of: entity, converting: "\(entity).\(attribute)",
            check: { bridge in
                var problems: [String] = []
                guard let known = bridge.entities(entity, &problems) else { return problems }
                _ = bridge.source(ofConverted: attribute, in: known.next, &problems)
                return problems
            },
            body: { work in
                var problems: [String] = []
                guard let known = work.bridge.entities(entity, &problems),
                    let old = work.bridge.source(
                        ofConverted: attribute, in: known.next, &problems)
                else { return }
                try work.rewrite(entity, writing: [attribute]) { (row, new) throws in
                    new.setStoredValue(
                        try body(row.storedValue(forKey: old.name)), forKey: attribute)
                }
            })
    }

    /// Deletes objects. References to them are cleared. Delete rules do not run.
    ///
    /// - Parameters:
    ///   - entity: The entity in the previous version, including its sub-entities.
    ///   - predicate: A condition with the names of the previous version; nil for all objects.
    public static func delete(
        _ entity: String, where predicate: FetchPredicate? = nil
    ) -> MigrationStep {
        MigrationStep(
            "delete \(entity)" + (predicate.map { " where \($0)" } ?? ""), of: entity,
            check: { bridge in
                var problems: [String] = []
                if let current = bridge.currentEntity(entity, &problems),
                    let between = bridge.model.entity(named: current.name)
                {
                    bridge.check(predicate, of: between, &problems)
                }
                return problems
            },
            body: { work in
                guard let entity = work.bridge.model.entity(named: entity) else { return }
                if work.store.capabilities.contains(.batches) {
                    let query = StoreQuery(entity: entity.id, predicate: predicate)
                    _ = try BatchDeletion(.query(query), work.settings).run(on: work.store)
                    return
                }
                var merging = ObjectMerging(work, try work.store.snapshot())
                try work.forEachRow(of: entity, where: predicate) { merging.remove($0.row) }
                try merging.finish()
            })
    }
}

extension StepWork {
    /// Sets values of all rows of an entity.
    ///
    /// - Parameters:
    ///   - name: The entity's name in the previous version.
    ///   - writing: The attributes that may be set.
    ///   - predicate: A condition with the names of the previous version; nil for all rows.
    ///   - body: Receives the old values of a row, and sets the new ones.
    package func rewrite(
        _ name: String, writing: [String], where predicate: FetchPredicate? = nil,
        _ body: (MigratingRow, inout MigratedRow) throws -> Void
    ) throws {
        guard let entity = bridge.model.entity(named: name) else { return }
        // Objects of sub-entities have more attributes.
        var names: [EntityID: WrittenNames] = [:]
        for member in entity.family {
            let between = bridge.model[member]
            guard let next = bridge.nextEntity(ofCurrent: between.name) else { continue }
            names[member] = WrittenNames(between, next: next, bridge, writing: writing)
        }
        let writer = writer()
        try forEachRow(of: entity, where: predicate) { (row) throws in
            guard let names = names[row.row.entityID] else { return }
            var new = MigratedRow(row.row, names)
            try body(row, &new)
            if let problem = new.problem {
                throw StoreError(problem.code, problem.message, objectID: row.objectID)
            }
            if let update = new.update { try writer.add(update) }
        }
        try writer.finish()
    }
}

extension BridgingModel {
    /// Returns the attribute whose values a step converts; adds a problem if there is none.
    fileprivate func source(
        ofConverted attribute: String, in next: Entity, _ problems: inout [String]
    ) -> Attribute? {
        guard case .attribute(let wanted)? = next.property(named: attribute),
            !attribute.utf8.contains(UInt8(ascii: "."))
        else {
            problems.append("the next version has no stored attribute '\(next.name).\(attribute)'")
            return nil
        }
        guard let old = self.attribute(convertedTo: attribute, in: next) else {
            problems.append(
                "'\(next.name).\(attribute)' is not in the version before; use a step transform")
            return nil
        }
        if wanted.derivation != nil {
            problems.append("'\(next.name).\(attribute)' is derived: the store computes it")
            return nil
        }
        return old
    }

    /// Adds a problem if a condition does not fit the entity.
    package func check(
        _ predicate: FetchPredicate?, of entity: Entity, _ problems: inout [String]
    ) {
        do throws(FetchPredicateError) {
            _ = try predicate?.bound(to: entity, in: model)
        } catch {
            problems.append("the condition does not fit '\(entity.name)': \(error.message)")
        }
    }
}
