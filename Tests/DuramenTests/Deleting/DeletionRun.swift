import Duramen

/// Runs one case of the matrix of deletions, and says what is not as expected.
@MainActor struct DeletionRun {
    private let trial: DeletionTrial
    private let container: PersistentContainer
    /// Where the objects were made.
    private let maker: ManagedObjectContext
    /// Where they are deleted.
    private let context: ManagedObjectContext
    /// The owner first, as the deleting context has them.
    private let objects: [ManagedObject]

    init(_ trial: DeletionTrial, _ container: PersistentContainer) throws {
        self.trial = trial
        self.container = container
        let top = container.makeContext(ContextOptions(name: "top"))
        let child = trial.place == .context ? nil : ManagedObjectContext(parent: top)
        let maker = trial.place == .child ? child ?? top : top
        let context = child ?? top
        (self.maker, self.context) = (maker, context)
        // First what is saved.
        let owner = trial.isOwnerSaved ? try Self.makeOwner(of: trial, in: maker) : nil
        let members = trial.areMembersSaved ? try Self.makeMembers(of: trial, in: maker) : nil
        if let owner, let members { try Self.relate(owner, members) }
        try maker.save()
        if maker !== top { try top.save() }
        let areRelated = owner != nil && members != nil
        let made = (
            owner: try owner ?? Self.makeOwner(of: trial, in: maker),
            members: try members ?? Self.makeMembers(of: trial, in: maker)
        )
        if !areRelated { try Self.relate(made.owner, made.members) }
        maker.processPendingChanges()
        objects = ([made.owner] + made.members).map {
            $0.managedObjectContext === context ? $0 : context.object(with: $0.objectID)
        }
        if trial.isTakenBack { context.undoManager = ContextUndoManager() }
    }

    private static func makeOwner(
        of trial: DeletionTrial, in context: ManagedObjectContext
    ) throws -> ManagedObject { try make("o", of: trial, in: context) }

    private static func makeMembers(
        of trial: DeletionTrial, in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        try (0..<trial.memberCount).map { try make("m\($0)", of: trial, in: context) }
    }

    private static func relate(_ owner: ManagedObject, _ members: [ManagedObject]) throws {
        let value: Any = members.count == 1 ? members[0] : members
        try owner.setValue(value, forKey: "forth")
    }

    private static func make(
        _ name: String, of trial: DeletionTrial, in context: ManagedObjectContext
    ) throws -> ManagedObject {
        let entity = name == "o" ? trial.ownerEntity : trial.memberEntity
        guard let entity = DeletionTrial.model.entity(named: entity) else { fatalError(name) }
        let object = ManagedObject(entity: entity, context: context)
        try object.setValue(name, forKey: "name")
        return object
    }

    func problems() throws -> [String] {
        let before = try view()
        let isNew = objects.map(\.isInserted)
        let hadChanges = context.hasChanges
        let victims = victims
        for place in victims { context.delete(objects[place]) }
        context.processPendingChanges()
        let gone = deletion(of: victims)
        let after = try view()
        var problems = oddities(gone, after)
        if trial.isTakenBack {
            try context.undo()
            problems += difference("after undo", try view(), before)
            if context.hasChanges != hadChanges { problems.append("undo leaves changes") }
            try context.redo()
            problems += difference("after redo", try view(), after)
            try context.undo()
            problems += difference("after the second undo", try view(), before)
        }
        let isDenied = !trial.isTakenBack && isDenied(gone, isNew)
        for time in ["first", "second"] {
            do {
                try saveAll()
                if isDenied { problems.append("the \(time) save is not denied") }
            } catch let error as ValidationError where isDenied {
                if error.failures.contains(where: { $0.code != .relationshipDeniedDelete }) {
                    problems.append("the \(time) save fails with \(error)")
                }
            } catch {
                problems.append("the \(time) save fails with \(error)")
            }
        }
        if isDenied { return problems }
        // The parent may have cleared what led to its own new objects.
        context.processPendingChanges()
        problems += try differencesOfReader()
        return problems
    }

    private func saveAll() throws {
        try context.save()
        try context.parent?.save()
    }

    // MARK: - What is expected

    private var victims: [Int] {
        switch trial.victim {
        case .owner: [0]
        case .member: [1]
        case .both: [1, 0]
        }
    }

    private func rule(of place: Int) -> DeleteRule {
        place == 0 ? trial.ownerRule : trial.memberRule
    }

    private func neighbours(of place: Int) -> [Int] {
        place == 0 ? Array(1..<objects.count) : [0]
    }

    /// All that goes with some objects.
    private func deletion(of victims: [Int]) -> Set<Int> {
        var gone: Set<Int> = []
        var next = victims
        while let place = next.popLast() {
            guard gone.insert(place).inserted else { continue }
            if rule(of: place) == .cascade { next += neighbours(of: place) }
        }
        return gone
    }

    private func isDenied(_ gone: Set<Int>, _ isNew: [Bool]) -> Bool {
        gone.contains { place in
            !isNew[place] && rule(of: place) == .deny
                && neighbours(of: place).contains { !gone.contains($0) }
        }
    }

    // MARK: - What is

    /// Where every object leads, by its name; nil for one that is deleted.
    private func view() throws -> [[String]?] {
        try objects.map { isThere($0) ? try names(in: $0) : nil }
    }

    private func isThere(_ object: ManagedObject) -> Bool {
        !object.isDeleted && context.registeredObject(for: object.objectID) === object
    }

    private func names(in object: ManagedObject) throws -> [String] {
        let name = object === objects[0] ? "forth" : trial.back
        let value = try object.value(forKey: name)
        let members = value as? [ManagedObject] ?? (value as? ManagedObject).map { [$0] } ?? []
        let names = members.map { member in
            objects.firstIndex { $0 === member }.map { "\($0)" } ?? "\(member.objectID)"
        }
        return trial.kind == .ordered ? names : names.sorted()
    }

    /// What is wrong after the deletion, undo or not.
    private func oddities(_ gone: Set<Int>, _ view: [[String]?]) -> [String] {
        var problems: [String] = []
        for (place, leads) in view.enumerated() {
            if gone.contains(place) != (leads == nil) {
                problems.append("\(place) is \(leads == nil ? "" : "not ")deleted")
            }
            // What denies, or does nothing, leaves a to-one as it is.
            guard let leads, !neighbours(of: place).contains(where: { leavesReferences($0) }) else {
                continue
            }
            let expected = neighbours(of: place).filter { !gone.contains($0) }.map { "\($0)" }
            if leads != expected { problems.append("\(place) leads to \(leads)") }
        }
        return problems
    }

    private func leavesReferences(_ place: Int) -> Bool {
        rule(of: place) == .deny || rule(of: place) == .noAction
    }

    private func difference(
        _ moment: String, _ view: [[String]?], _ expected: [[String]?]
    ) -> [String] {
        view == expected ? [] : ["\(moment) \(view), not \(expected)"]
    }

    /// Compares what was stored with what the context has.
    private func differencesOfReader() throws -> [String] {
        let reader = container.makeContext(ContextOptions(name: "reader"))
        var problems: [String] = []
        for (place, object) in objects.enumerated() {
            let stored = try? reader.existingObject(with: object.objectID)
            let isThere = isThere(object)
            if (stored != nil) != isThere {
                problems.append("\(place) is \(isThere ? "not " : "")stored")
            }
            guard let stored, isThere else { continue }
            let name = place == 0 ? "forth" : trial.back
            if trial.memberCount > 1,
                place == 0 || trial.kind == .manyToMany || trial.kind == .ownMany
            {
                let here = try object.value(forKey: name) as? [ManagedObject] ?? []
                let there = try stored.value(forKey: name) as? [ManagedObject] ?? []
                let isSame =
                    trial.kind == .ordered
                    ? here.map(\.objectID) == there.map(\.objectID)
                    : Set(here.map(\.objectID)) == Set(there.map(\.objectID))
                if !isSame { problems.append("\(place) is stored with other members") }
            } else {
                let here = try object.value(forKey: name) as? ManagedObject
                let there = try stored.value(forKey: name) as? ManagedObject
                if here?.objectID != there?.objectID {
                    problems.append("\(place) is stored with another destination")
                }
            }
        }
        if reader.hasChanges { problems.append("the reader has changes") }
        return problems
    }
}
