import Dispatch
import DuramenTestKit
import StoreTestSupport

@testable import Duramen

/// A context whose lists are looked at, one of somebody else, and children, of one small graph that
/// changes at random.
@MainActor
struct ListWorld {
    let kind: StoreKind
    let container: PersistentContainer
    let main: ManagedObjectContext
    private let other: ManagedObjectContext
    private var child: ManagedObjectContext?
    private var generator: SplitMix64
    private let plan = FaultPlan()
    /// Which saves fail, and how conflicts are settled, apart from what is changed.
    private var faults: SplitMix64
    /// Which saves of the main context run off its owner; nil for none.
    private var owners: SplitMix64?
    private var number = 0
    /// Whether the main context has no unsaved changes when others save.
    ///
    /// While edits clash with what others saved, the two sides of a relationship may differ until
    /// the save reports it, so that conditions over to-manys have no one answer.
    private let avoidsClashes: Bool
    /// Whether stations change too, which lead to regions, and to each other.
    private let hasStations: Bool

    private static let policies: [MergePolicy] = [
        .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]

    init(
        seed: UInt64, kind: StoreKind, avoidsClashes: Bool, hasStations: Bool, savesOffOwner: Bool
    ) throws {
        self.kind = kind
        self.avoidsClashes = avoidsClashes
        self.hasStations = hasStations
        generator = SplitMix64(seed: seed)
        faults = SplitMix64(seed: ~seed)
        owners = savesOffOwner ? SplitMix64(seed: seed &* 3) : nil
        container = try kind.container(plan: plan)
        main = container.makeContext(ContextOptions(name: "main"))
        other = container.makeContext(ContextOptions(name: "other"))
        for _ in 0..<30 { change(main) }
        save(main)
    }

    /// Does something, and lets the main context know.
    ///
    /// - Returns: What was done.
    mutating func step() async throws -> String {
        let what = try await act()
        main.processPendingChanges()
        return what
    }

    private mutating func act() async throws -> String {
        switch Int.random(in: 0..<42, using: &generator) {
        case 0..<16:
            for _ in 0...Int.random(in: 0..<4, using: &generator) { change(main) }
            return "changes"
        case 16..<21:
            main.mergePolicy = Self.policies.randomElement(using: &faults) ?? .error
            let moments = [FaultPlan.Moment?.some(.before), .after, nil, nil]
            let moment = moments.randomElement(using: &faults) ?? nil
            if let moment { plan.fail(.save, with: .unknownOutcome, moment) }
            let isOffOwner = owners?.next().isMultiple(of: 2) == true
            if isOffOwner { await saveOffOwner() } else { save(main) }
            plan.clear()
            if try main.resolveUnknownSave() == false { save(main) }
            let outcome = moment.map { " of unknown outcome (\($0))" } ?? ""
            return "save" + (isOffOwner ? " off the owner" : "") + outcome
        case 21..<29:
            if avoidsClashes { save(main) }
            other.processPendingChanges()
            for _ in 0...Int.random(in: 0..<6, using: &generator) { change(other) }
            save(other)
            return "others save"
        case 29:
            if avoidsClashes { save(main) }
            for _ in 0..<2 {
                other.processPendingChanges()
                change(other)
                save(other)
            }
            change(main)
            save(main)
            return "several save"
        case 30:
            main.rollback()
            return "rollback"
        case 31:
            try? main.refreshAllObjects()
            return "refresh all"
        case 32:
            if let quake = try quakes(main).randomElement(using: &generator) {
                try? main.refresh(quake, mergeChanges: Bool.random(using: &generator))
            }
            return "refresh"
        case 33:
            main.trim()
            return "trim"
        case 34..<38:
            let child = self.child ?? ManagedObjectContext(parent: main)
            self.child = Bool.random(using: &generator) ? child : nil
            child.processPendingChanges()
            for _ in 0...Int.random(in: 0..<4, using: &generator) { change(child) }
            do { try child.save() } catch { child.rollback() }
            return "child saves"
        case 38, 39:
            if avoidsClashes { save(main) }
            other.processPendingChanges()
            for _ in 0...Int.random(in: 0..<4, using: &generator) { change(other) }
            save(other)
            // As if another process had saved, or too many had.
            main.main.inbox.post(nil)
            return "others save, nobody knows what"
        case 40:
            // Nothing but faults is left.
            main.rollback()
            main.trim()
            return "rollback and trim"
        default:
            save(main)
            let quakes = try quakes(other).shuffled(using: &generator).prefix(3)
            let ids = quakes.map(\.objectID)
            main.automaticallyMergesChangesFromParent = false
            for quake in quakes { quake.magnitude += 1 }
            save(other)
            main.automaticallyMergesChangesFromParent = true
            main.mergeChanges(fromContextDidSave: ChangedObjectIDs(updated: Set(ids)))
            return "merge by hand"
        }
    }

    private func save(_ context: ManagedObjectContext) {
        do { try context.save() } catch {
            if !context.hasSaveOfUnknownOutcome { context.rollback() }
        }
    }

    /// Saves the main context while its owner goes on: it changes something just before the save is
    /// written.
    private mutating func saveOffOwner() async {
        let (moments, moment) = AsyncStream.makeStream(of: Void.self)
        let mayWrite = DispatchSemaphore(value: 0)
        plan.act(before: .save) {
            moment.yield()
            mayWrite.wait()
        }
        let saving = Task { [main] in
            defer { moment.finish() }
            try await main.saveOffOwner()
        }
        for await _ in moments {
            for _ in 0...Int.random(in: 0..<3, using: &generator) { change(main) }
            mayWrite.signal()
        }
        do { try await saving.value } catch {
            if !main.hasSaveOfUnknownOutcome { main.rollback() }
        }
    }

    private func quakes(_ context: ManagedObjectContext) throws -> [Quake] {
        try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
    }

    /// Changes a station; mostly nothing but where it leads.
    private mutating func changeStation(_ context: ManagedObjectContext) {
        guard
            let stations = try? context.fetch(FetchRequest<Station>().sorted(by: \.callSign)),
            let regions = try? context.fetch(FetchRequest<Region>().sorted(by: \.name))
        else { return }
        number += 1
        let station = stations.randomElement(using: &generator)
        let region = regions.randomElement(using: &generator)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<3 where stations.count < 12:
            let isOcean = Bool.random(using: &generator)
            let new = isOcean ? OceanStation(context: context) : Station(context: context)
            new.callSign = "s\(number)"
            new.region = region ?? context.insertRegion("r\(number % 10)")
            new.backup = station
        case 3: if let station { context.delete(station) }
        case 4: station?.backup = nil
        case 5, 6: if let region { station?.region = region }
        case 7: region?.name = "r\(number % 10)"
        default: station?.backup = stations.randomElement(using: &generator)
        }
    }

    private mutating func change(_ context: ManagedObjectContext) {
        if hasStations, Int.random(in: 0..<4, using: &generator) > 0 {
            return changeStation(context)
        }
        guard let quakes = try? quakes(context),
            let regions = try? context.fetch(FetchRequest<Region>().sorted(by: \.name)),
            let tags = try? context.fetch(FetchRequest<Tag>().sorted(by: \.name))
        else { return }
        number += 1
        let quake = quakes.randomElement(using: &generator)
        let region = regions.randomElement(using: &generator)
        let tag = tags.randomElement(using: &generator)
        let digit = Int.random(in: 0..<10, using: &generator)
        switch Int.random(in: 0..<24, using: &generator) {
        case 0 where regions.count < 8: _ = context.insertRegion("r\(digit)")
        case 1 where tags.count < 6: _ = context.insertTag("t\(digit)")
        case 2..<6 where quakes.count < 24:
            let new = context.insertQuake("q\(number)", magnitude: Double(digit), in: region)
            new.depth = digit < 3 ? nil : Double(digit)
            if let tag { new.tags.insert(tag) }
        case 6..<9: quake?.magnitude = Double(digit)
        case 9: quake?.depth = Double(digit)
        case 10: quake?.status = digit < 5 ? .automatic : .reviewed
        case 11, 12: quake?.region = region
        case 13: quake?.region = nil
        case 14: region?.name = "r\(digit)"
        case 15: tag?.name = "t\(digit)"
        case 16: if let quake, let tag { quake.tags.insert(tag) }
        case 17: if let quake, let tag { quake.tags.remove(tag) }
        case 18: if let quake, let region { region.quakes.insert(quake) }
        case 19: if digit < 2, let region { context.delete(region) }
        case 20: if digit < 3, let tag { context.delete(tag) }
        case 21, 22: if let quake { context.delete(quake) }
        default: for quake in quakes.prefix(digit) { quake.magnitude += 1 }
        }
    }
}
