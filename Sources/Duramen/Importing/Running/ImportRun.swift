import DuramenModel
import DuramenQuery

/// Imports a feed, chunk by chunk:
/// ```
///   feed ──► elements ──► records of a chunk, each object once ──► one look-up a natural key
///        ──► objects found or made ──► values ──► relationships ──► one save
/// ```
final class ImportRun {
    private let context: ManagedObjectContext
    private let plan: ImportPlan
    private let options: ImportOptions
    private let pointer: String
    private var report = ImportReport()

    init(
        _ plan: ImportPlan, _ options: ImportOptions, _ feed: ImportFeed,
        in context: ManagedObjectContext
    ) {
        self.context = context
        self.plan = plan
        self.options = options
        pointer = if case .array(let pointer) = feed.form { pointer } else { "" }
        report.position = options.start ?? ImportPosition()
    }

    /// Imports all elements.
    ///
    /// - Throws: ``ImportError``, or what fetches and saves throw. Changes that are not saved are
    ///   rolled back.
    func run(_ feed: ImportFeed) throws -> ImportReport {
        do {
            var elements = try FeedElements(feed, after: options.start)
            var isEnd = false
            while !isEnd {
                let chunk = try importChunk(of: &elements)
                if chunk.elementCount > 0 {
                    options.progress?(
                        ImportProgress(report: report, byteCount: elements.position))
                }
                isEnd = chunk.isEnd
            }
            if options.failureHandling == .fail {
                try context.save()
                report.position.elementCount += report.elementCount
            }
            return report
        } catch {
            context.rollback()
            guard var error = error as? ImportError else { throw error }
            error.position = report.position
            throw error
        }
    }

    /// - Returns: The number of elements, and whether the feed has ended.
    private func importChunk(
        of elements: inout FeedElements
    ) throws -> (elementCount: Int, isEnd: Bool) {
        if options.cancellation?.isCancelled == true {
            throw ImportError(.cancelled, "The import was cancelled.")
        }
        var chunk = ImportChunk()
        var isEnd = false
        while chunk.elementCount < max(options.chunkSize, 1) {
            guard let element = try elements.next() else {
                isEnd = true
                break
            }
            var reader = JSONReader(element.bytes, element.range)
            do {
                chunk.add(try reader.readElement(of: plan, number: element.number))
            } catch let error as RefusedValue {
                chunk.refuse(element.number, error)
            }
        }
        if chunk.elementCount > 0 { try apply(&chunk) }
        return (chunk.elementCount, isEnd)
    }

    // MARK: - A chunk

    private func apply(_ chunk: inout ImportChunk) throws {
        defer { chunk.end() }
        try plan.tables.lookUp(in: context)
        findObjects(of: &chunk)
        try failIfAsked(chunk)
        let wanted = chunk.records.filter(chunk.isWanted)
        for record in wanted { record.merge(without: chunk.refused) }
        try prefetchToManys(of: wanted)
        for record in wanted { try writeValues(of: record) }
        for record in wanted where try record.writeRelationships() {
            record.imported?.outcome?.isChanged = true
        }
        var refusedObjects: Set<ObjectIdentifier> = []
        if options.failureHandling == .report {
            refusedObjects = try save(&chunk, wanted)
        }
        count(wanted, without: refusedObjects)
        for (element, error) in chunk.refused.sorted(by: { $0.key < $1.key }) {
            report.record(failure(element, error))
        }
        report.elementCount += chunk.elementCount
        // With one save at the end, nothing is saved before it.
        if options.failureHandling == .report {
            report.position.elementCount += chunk.elementCount
        }
        plan.tables.endChunk()
    }

    /// Finds the stored objects of records, and refuses records that cannot have one.
    private func findObjects(of chunk: inout ImportChunk) {
        for record in chunk.records {
            do throws(RefusedValue) {
                record.object = try record.imported?.object(as: record.plan.entity)
                if record.object == nil, record.plan.entity.isAbstract {
                    throw RefusedValue(
                        "'\(record.plan.entity.name)' is abstract, so that a new object cannot be of it. "
                            + "Import into a sub-entity.")
                }
            } catch {
                chunk.refuse(record, error)
            }
        }
    }

    /// Makes the object of a record where there is none, and gives it the values.
    private func writeValues(of record: ImportRecord) throws {
        guard let imported = record.imported else { return }
        if record.object == nil {
            // Another record of the same key may have made it since.
            if let known = try? imported.object(as: record.plan.entity) {
                record.object = known
            } else {
                let made = makeObject(record.plan)
                imported.object = made
                imported.outcome = ImportedObject.Outcome(isNew: true)
                record.object = made
            }
        }
        let isChanged = try record.writeValues()
        if imported.outcome == nil { imported.outcome = ImportedObject.Outcome(isNew: false) }
        if isChanged { imported.outcome?.isChanged = true }
    }

    private func makeObject(_ plan: ImportPlan) -> ManagedObject {
        let own = context.planForInserting(plan.entity)
        return own.objectClass.init(context.registrationForInsert(of: own))
    }

    /// Counts each object once.
    private func count(_ records: [ImportRecord], without refused: Set<ObjectIdentifier>) {
        var counts: [ObjectIdentifier: (entity: String, counts: ImportReport.Counts)] = [:]
        for record in records {
            guard let imported = record.imported, let object = record.object,
                let outcome = imported.outcome, !refused.contains(ObjectIdentifier(object))
            else { continue }
            imported.outcome = nil
            let entity = object.entity
            counts[ObjectIdentifier(entity), default: (entity.name, ImportReport.Counts())]
                .counts.count(outcome)
        }
        for (entity, counts) in counts.values {
            report.entities[entity, default: ImportReport.Counts()].add(counts)
        }
    }

    /// Loads the to-manys that are compared with the feed, all of a relationship at once.
    private func prefetchToManys(of records: [ImportRecord]) throws {
        var owners: [String: [ManagedObject]] = [:]
        for record in records {
            guard let object = record.object else { continue }
            for (index, _) in record.toManys {
                let name = record.plan.relationships[index].relationship.name
                owners[name, default: []].append(object)
            }
        }
        for (name, objects) in owners.sorted(by: { $0.key < $1.key }) {
            try context.prefetchToMany(name, of: objects)
        }
    }

    // MARK: - Saving

    /// Saves the chunk. Objects that a rule or a conflict keeps from being saved are left out, with
    /// the objects that depend on them.
    ///
    /// - Returns: The objects that were left out.
    private func save(
        _ chunk: inout ImportChunk, _ records: [ImportRecord]
    ) throws -> Set<ObjectIdentifier> {
        var offenders: Set<ManagedObject> = []
        var reasons: [ManagedObject: String] = [:]
        while true {
            do {
                let left = try saveChanges(without: offenders)
                if left.isEmpty { return [] }
                for record in records {
                    guard let object = record.object, left.contains(object) else { continue }
                    let reason =
                        reasons[object]
                        ?? "An object that the element refers to was refused, see the other failures."
                    chunk.refuse(record, RefusedValue(reason))
                }
                context.rollback()
                return Set(left.map(ObjectIdentifier.init))
            } catch {
                let found = offending(error)
                if found.isEmpty || offenders.isSuperset(of: found.keys) { throw error }
                offenders.formUnion(found.keys)
                reasons.merge(found) { first, _ in first }
            }
        }
    }

    private func saveChanges(
        without offenders: Set<ManagedObject>
    ) throws -> Set<ManagedObject> {
        if !context.hasChanges { return [] }
        if offenders.isEmpty {
            try context.save()
            return []
        }
        return try context.save(excluding: offenders)
    }

    /// The objects that an error of a save is about, with the reasons.
    private func offending(_ error: any Error) -> [ManagedObject: String] {
        var reasons: [ManagedObject: String] = [:]
        func add(_ id: ManagedObjectID, _ reason: String) {
            if let object = context.registeredObject(for: id) {
                reasons[object] = reasons[object] ?? reason
            }
        }
        switch error {
        case let error as ValidationError:
            for failure in error.failures { add(failure.objectID, failure.message) }
        case let error as SaveConflictError:
            for conflict in error.conflicts { add(conflict.objectID, "\(conflict)") }
        default: break
        }
        return reasons
    }

    // MARK: - Failures

    private func failIfAsked(_ chunk: ImportChunk) throws {
        guard options.failureHandling == .fail,
            let (element, error) = chunk.refused.min(by: { $0.key < $1.key })
        else { return }
        let failure = failure(element, error)
        throw ImportError(
            .refused, "The import failed at \(failure) Nothing of it was saved.", failure: failure)
    }

    private func failure(_ element: Int, _ error: RefusedValue) -> ImportFailure {
        let path = JSONPointer(["\(element)"] + error.path.reversed())
        return ImportFailure(pointer: "\(pointer)\(path)", reason: error.reason)
    }
}

extension ImportReport.Counts {
    mutating func count(_ outcome: ImportedObject.Outcome) {
        if outcome.isNew {
            inserted += 1
        } else if outcome.isChanged {
            updated += 1
        } else {
            unchanged += 1
        }
    }

    mutating func add(_ other: Self) {
        inserted += other.inserted
        updated += other.updated
        unchanged += other.unchanged
    }
}
