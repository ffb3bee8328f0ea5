import Duramen

/// Work in many saves and units of work.
extension DuramenContestants {
    /// Changes one field of each of the given objects, and saves each time. The context has the
    /// objects.
    ///
    /// - Parameter reopens: Whether each round opens the store anew, so that its log is a new one.
    static func commits(
        _ dataset: Dataset, _ identifiers: [Int64], _ kind: StoreKind = .sqlite, isDurable: Bool,
        reopens: Bool = false
    ) throws -> [Contestant] {
        let store = try dataset.filledQuakeStore(
            "commits-duramen-\(isDurable)-\(reopens)", kind, isDurable ? .full : .relaxed)
        var context: ManagedObjectContext?
        var quakes: [Quake] = []
        return [
            Contestant(
                .duramen,
                prepare: {
                    if context != nil, !reopens { return }
                    (context, quakes) = (nil, [])
                    if reopens { try store.reopen() }
                    let made = store.container.makeContext()
                    quakes = try store.ids(of: identifiers).map {
                        try made.existingObject(with: $0, as: Quake.self)
                    }
                    context = made
                },
                verify: { try store.checksum() },
                body: {
                    var latencies = Latencies()
                    for quake in quakes {
                        try latencies.time {
                            quake.magnitude = 10 - quake.magnitude
                            try context?.save()
                        }
                    }
                    return Outcome(quakes.count, amount: latencies.medianTotal)
                })
        ]
    }

    /// Changes one field of one object by each of several threads, again and again.
    static func commitsAtOnce(
        _ dataset: Dataset, _ identifiers: [Int64], threads: Int
    ) throws -> Contestant {
        let store = try dataset.filledQuakeStore("commits-at-once", .sqlite, .relaxed)
        let container = store.container
        let ids = store.ids(of: identifiers)
        return Contestant(
            .duramen,
            verify: { try store.checksum() },
            body: {
                try ThreadGroup.run(threads) { thread in
                    let context = container.makeContext()
                    for place in stride(from: thread, to: ids.count, by: threads) {
                        let quake = try context.existingObject(with: ids[place], as: Quake.self)
                        quake.magnitude = 10 - quake.magnitude
                        try context.save()
                    }
                }
                return Outcome(ids.count)
            })
    }

    /// Changes one field of ten objects, and saves, on stores with and without a history.
    static func historyCommits(
        _ dataset: Dataset, _ identifiers: [Int64], _ kind: StoreKind
    ) throws -> [Contestant] {
        try [(Role.duramenWithoutHistory, false), (.duramen, true)].map { role, keepsHistory in
            let store = try dataset.filledQuakeStore(
                "history-\(keepsHistory)", kind, .full, keepsHistory: keepsHistory)
            return try commitsOfTen(identifiers, in: store, as: role)
        }
    }

    /// Changes one field of ten objects, and saves.
    static func commitsOfTen(
        _ identifiers: [Int64], in store: QuakeStore, as role: Role
    ) throws -> Contestant {
        let context = store.container.makeContext()
        let quakes = try store.ids(of: identifiers).map {
            try context.existingObject(with: $0, as: Quake.self)
        }
        context.processPendingChanges()
        return Contestant(
            role,
            verify: { try store.checksum() },
            body: {
                for start in stride(from: 0, to: quakes.count, by: 10) {
                    for quake in quakes[start..<start + 10] {
                        quake.magnitude = 10 - quake.magnitude
                    }
                    try context.save()
                }
                return Outcome(quakes.count)
            })
    }

    /// Changes one field of each of the given objects, and saves each time, alone and beside
    /// background contexts that have no objects: half of them were never used, half have counted
    /// once.
    static func commitsBesideContexts(
        _ dataset: Dataset, _ identifiers: [Int64], _ kind: StoreKind, count: Int
    ) throws -> [Contestant] {
        try [(Role.duramenAlone, 0), (.duramen, count)].map { role, count in
            let store = try dataset.filledQuakeStore("idle-\(count)", kind, .relaxed)
            let context = store.container.makeContext()
            let quakes = try store.ids(of: identifiers).map {
                try context.existingObject(with: $0, as: Quake.self)
            }
            context.processPendingChanges()
            let others = (0..<count).map { _ in store.container.newBackgroundContext() }
            for other in others.prefix(count / 2) {
                _ = try other.performAndWait { try $0.count(for: FetchRequest<Region>()) }
            }
            return Contestant(
                role,
                verify: { try store.checksum() },
                body: {
                    for quake in quakes {
                        quake.magnitude = 10 - quake.magnitude
                        try context.save()
                    }
                    return withExtendedLifetime(others) { Outcome(quakes.count) }
                })
        }
    }

    /// Finds objects by identifier in a new context, each in a unit of work of its own.
    static func lookupOneByOne(
        _ dataset: Dataset, _ identifiers: [Int64], _ kind: StoreKind = .sqlite
    ) throws -> [Contestant] {
        let store = try dataset.sharedQuakeStore(kind)
        let ids = store.ids(of: identifiers)
        return [
            Contestant(.duramen) { Outcome(try lookUpOneByOne(ids, in: store.container)) }
        ]
    }

    /// The same while a thread saves changes of other objects, and while nobody does.
    static func lookupBesideWriter(
        _ dataset: Dataset, _ identifiers: [Int64], _ kind: StoreKind = .sqlite, written: [Int64],
        rowsPerSave: Int
    ) throws -> [Contestant] {
        let store = try dataset.filledQuakeStore("writer-duramen-\(rowsPerSave)", kind)
        let ids = store.ids(of: identifiers)
        let container = store.container
        let written = store.ids(of: written)
        let writer = SideWriter {
            let context = container.makeContext()
            // It writes what it has read, as the raw writer does nothing but write.
            let quakes = try context.fetch(FetchRequest<Quake>())
            let written = written.compactMap { context.registeredObject(for: $0) as? Quake }
            return { count in
                for place in 0..<rowsPerSave {
                    let quake = written[(count * rowsPerSave + place) % written.count]
                    quake.magnitude = 10 - quake.magnitude
                }
                try context.save()
                withExtendedLifetime(quakes) {}
            }
        }
        return [
            Contestant(.duramenAlone) { Outcome(try lookUpOneByOne(ids, in: container)) },
            Contestant(
                .duramen,
                prepare: { writer.start() },
                finish: { try writer.stop() },
                body: { Outcome(try lookUpOneByOne(ids, in: container)) }),
        ]
    }

    private static func lookUpOneByOne(
        _ ids: [ManagedObjectID], in container: PersistentContainer
    ) throws -> Int {
        var checksum = Checksum()
        let context = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        for id in ids {
            checksum.add(try context.existingObject(with: id, as: Quake.self))
            context.processPendingChanges()
        }
        return checksum.value
    }
}
