import DuramenModel

extension ManagedObjectContext {
    /// Validates all changes to save.
    func validate() throws {
        if !failures.errors.isEmpty { throw takeFaultFailures() }
        var found: [ValidationError.Failure] = []
        for part in parts { part.listFailures(&found) }
        if !stores.hasOne { for part in parts { part.listReferencesAcrossStores(&found) } }
        if hasApplicationRules { for part in parts { part.listApplicationFailures(&found) } }
        if !found.isEmpty { throw ValidationError(failures: found) }
    }
}

extension ContextPart {
    fileprivate func listFailures(_ failures: inout [ValidationError.Failure]) {
        tracker.inserted.entries.forEachBorrowed { object in
            if object.flags.contains(.inserted) { checkMandatory(object, &failures) }
        }
        tracker.updated.entries.forEachBorrowed { object in
            if object.isUpdated { checkMandatory(object, &failures) }
        }
        // Objects that lose members have no other changes.
        for object in tracker.touched where object.flags.isDisjoint(with: Self.checkedOrDeleted) {
            checkToManys(object, &failures)
        }
        for denial in tracker.denials where denial.object.flags.contains(.deleted) {
            let remains = destinations(of: denial.relationship, from: denial.object).contains {
                !$0.isDeleted && !$0.flags.contains(.gone) && mayBeSomewhere($0)
            }
            guard remains else { continue }
            failures.append(
                .init(
                    code: .relationshipDeniedDelete, objectID: denial.object.objectID,
                    property: denial.relationship.name,
                    message:
                        "the rule 'deny' forbids deleting the object while it has destinations; "
                        + "delete or move those first."))
        }
    }

    /// Whether an object is loaded here or in an ancestor, or may be stored; false for one that was
    /// deleted before its first save.
    private func mayBeSomewhere(_ object: ManagedObject) -> Bool {
        if object.words != nil || !object.objectID.isTemporaryID { return true }
        let parent = parentPart?.context
        return parent?.registeredObject(for: object.objectID).map { $0.isThere } ?? false
    }

    @inline(__always)
    private func checkMandatory(
        _ object: ManagedObject, _ failures: inout [ValidationError.Failure]
    ) {
        guard let words = object.words else { return }
        let (mandatory, isSimple) = object.withPlan {
            ($0.demands.mandatoryBits, $0.demands.judgesByNullBits)
        }
        let missing = Row.nullBits(words) & mandatory
        if missing != 0 || !isSimple { listMissing(object, missing, &failures) }
    }

    @inline(never)
    private func listMissing(
        _ object: ManagedObject, _ missing: UInt64, _ failures: inout [ValidationError.Failure]
    ) {
        let plan = object.plan
        let entity = plan.entity
        guard let row = object.row else { return }
        let names =
            entity.attributes.map { ($0.slot, $0.name) }
            + entity.relationships.compactMap { relation in
                relation.slot.map { ($0, relation.name) }
            }
        let stored = names.filter { slot, _ in
            slot < 64
                ? missing >> UInt64(slot) & 1 != 0
                : plan.demands.mandatoryHighSlots.contains(slot) && row.isNull(slot)
        }
        let elements = plan.demands.optionalComposites.flatMap { $0.missingElements(in: row) }
        for name in stored.map(\.1) + elements + object.missingTransients {
            failures.append(
                .init(
                    code: .missingMandatoryProperty, objectID: object.objectID, property: name,
                    message: "the property is mandatory and has no value; give it one."))
        }
        checkToManys(object, &failures)
        for check in plan.demands.attributeChecks {
            guard let failure = check.failure(of: row) else { continue }
            failures.append(
                .init(
                    code: failure.code, objectID: object.objectID, property: check.attribute.name,
                    message: failure.message))
        }
    }

    private static let checkedOrDeleted: ObjectFlags = [.inserted, .updated, .deleted, .gone]

    private func checkToManys(
        _ object: ManagedObject, _ failures: inout [ValidationError.Failure]
    ) {
        for relationship in object.plan.demands.limitedToManys {
            guard let index = relationship.storage.toManyIndex else { continue }
            let count = object.memberCount(at: index)
            switch relationship.problem(ofCount: count) {
            case .tooFew?:
                failures.append(
                    .init(
                        code: .tooFewObjects, objectID: object.objectID,
                        property: relationship.name,
                        message: "the relationship has \(count) objects and needs "
                            + "\(relationship.minimumCount) at least; add some."))
            case .tooMany?:
                failures.append(
                    .init(
                        code: .tooManyObjects, objectID: object.objectID,
                        property: relationship.name,
                        message: "the relationship has \(count) objects and takes "
                            + "\(relationship.maximumCount ?? 0) at most; remove some."))
            case nil: break
            }
        }
    }
}
