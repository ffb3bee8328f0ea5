import Duramen

/// The contestants that use Duramen.
///
/// Containers are opened and emptied in `prepare`; contexts are made *and let go* in `body`, so
/// that the release of objects is counted as it is for the peers.
@MainActor
enum DuramenContestants {
    /// Makes an object for each quake in a container that holds the regions, and saves once.
    static func insert(
        _ dataset: Dataset, _ kind: StoreKind = .sqlite, as role: Role = .duramen,
        hasChecksums: Bool = false
    ) -> [Contestant] {
        var store: QuakeStore?
        return [
            Contestant(
                role,
                prepare: {
                    store = try QuakeStore(
                        kind, path: dataset.emptyPath("insert-duramen", for: kind),
                        regions: dataset.regions, hasChecksums: hasChecksums)
                },
                verify: { try store?.checksum() ?? 0 },
                finish: {
                    try store?.destroy()
                    store = nil
                },
                body: {
                    try store?.insert(dataset.quakes)
                    return Outcome(dataset.quakes.count)
                })
        ]
    }

    /// Fetches all in a new context and reads every field.
    static func fetchAll(
        _ dataset: Dataset, _ kind: StoreKind = .sqlite
    ) throws -> [Contestant] {
        [fetchAll(in: try dataset.sharedQuakeStore(kind), as: .duramen)]
    }

    /// Fetches all objects of a store in a new context and reads every field.
    static func fetchAll(in store: QuakeStore, as role: Role) -> Contestant {
        let container = store.container
        return Contestant(role) {
            var checksum = Checksum()
            let context = container.makeContext()
            for quake in try context.fetch(FetchRequest<Quake>()) { checksum.add(quake) }
            return Outcome(checksum.value)
        }
    }

    /// Fetches all in a new context and reads one field.
    static func touchOneField(
        _ dataset: Dataset, _ kind: StoreKind = .sqlite
    ) throws -> [Contestant] {
        let container = try dataset.sharedQuakeStore(kind).container
        return [
            Contestant(.duramen) {
                var checksum = Checksum()
                let context = container.makeContext()
                for quake in try context.fetch(FetchRequest<Quake>()) {
                    checksum.add(magnitude: quake.magnitude)
                }
                return Outcome(checksum.value)
            }
        ]
    }

    /// Fetches all in a new context and steps to the region of each.
    static func regionNames(
        _ dataset: Dataset, _ kind: StoreKind = .sqlite, isPrefetched: Bool = false
    ) throws -> [Contestant] {
        let container = try dataset.sharedQuakeStore(kind).container
        let request = FetchRequest<Quake>()
        let asked = isPrefetched ? request.prefetching(\.region) : request
        return [
            Contestant(isPrefetched ? .duramenPrefetched : .duramen) {
                var checksum = Checksum()
                let context = container.makeContext()
                for quake in try context.fetch(asked) {
                    checksum.add(text: quake.place)
                    checksum.add(text: quake.region?.name ?? "")
                }
                return Outcome(checksum.value)
            }
        ]
    }

    /// Finds objects by identifier in a context that holds them all, and reads every field.
    static func lookupRegistered(
        _ dataset: Dataset, _ identifiers: [Int64], everyField: Bool
    ) throws -> [Contestant] {
        let store = try dataset.sharedQuakeStore()
        let ids = store.ids(of: identifiers)
        let context = store.container.makeContext()
        let quakes = try context.fetch(FetchRequest<Quake>())
        return [
            Contestant(.duramen) {
                var checksum = Checksum()
                for id in ids {
                    guard let quake = context.registeredObject(for: id) as? Quake else { continue }
                    if everyField {
                        checksum.add(quake)
                    } else {
                        checksum.add(magnitude: quake.magnitude)
                    }
                }
                withExtendedLifetime(quakes) {}
                return Outcome(checksum.value)
            }
        ]
    }

    /// Finds objects by identifier in a new context, and reads every field.
    static func lookupFault(
        _ dataset: Dataset, _ identifiers: [Int64], _ kind: StoreKind = .sqlite
    ) throws -> [Contestant] {
        let store = try dataset.sharedQuakeStore(kind)
        let ids = store.ids(of: identifiers)
        return [
            Contestant(.duramen) {
                var checksum = Checksum()
                let context = store.container.makeContext()
                for id in ids {
                    checksum.add(try context.existingObject(with: id, as: Quake.self))
                }
                return Outcome(checksum.value)
            }
        ]
    }

    /// Changes one field of the given objects in a new context, and saves. They are asked for as
    /// faults first, as whoever has a list of IDs does.
    static func update(
        _ dataset: Dataset, _ identifiers: [Int64], _ kind: StoreKind = .sqlite
    ) throws -> [Contestant] {
        let store = try dataset.filledQuakeStore("update-duramen", kind)
        let ids = store.ids(of: identifiers)
        return [
            Contestant(
                .duramen,
                verify: { try store.checksum() },
                body: {
                    let context = store.container.makeContext()
                    let quakes = ids.compactMap { context.object(with: $0) as? Quake }
                    for quake in quakes { quake.magnitude = 10 - quake.magnitude }
                    try context.save()
                    return Outcome(quakes.count)
                })
        ]
    }

    /// Steps to the region of every object of a list whose regions are registered.
    static func region(_ dataset: Dataset) throws -> [Contestant] {
        let context = try dataset.sharedQuakeStore().container.makeContext()
        let regions = try context.fetch(FetchRequest<Region>())
        let quakes = try context.fetch(FetchRequest<Quake>())
        return [
            Contestant(.duramen) {
                for quake in quakes {
                    if let region = quake.region { keep(region) }
                }
                withExtendedLifetime((context, regions)) {}
                return Outcome(quakes.count)
            }
        ]
    }

    /// Reads or writes a property of one object again and again.
    static func access(
        _ dataset: Dataset, _ access: PropertyAccess, _ times: Int
    ) throws -> [Contestant] {
        let context = try dataset.sharedQuakeStore().container.makeContext()
        guard let quake = try context.fetch(FetchRequest<Quake>().limit(1)).first else { return [] }
        return [
            Contestant(
                .duramen,
                // Changed once beforehand; the context is never saved.
                prepare: { if access == .write { quake.magnitude = 1 } },
                body: {
                    keep(quake)
                    switch access {
                    case .read:
                        for _ in 0..<times { keep(quake.magnitude) }
                    case .write:
                        for turn in 0..<times {
                            quake.magnitude = Double(turn)
                            keep(turn)
                        }
                    }
                    // Objects need their context, which the closure would not hold otherwise.
                    withExtendedLifetime(context) {}
                    return Outcome(times)
                })
        ]
    }
}
