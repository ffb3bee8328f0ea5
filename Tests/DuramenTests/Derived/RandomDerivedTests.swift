import Duramen
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Derived attributes after random edits, batches and merges agree with a recomputation, and
/// contexts have what the store has.
@Suite(.serialized) struct RandomDerivedTests {
    /// `DURAMEN_SCRIPTS=50` makes 10 000 steps of each store.
    @Test(arguments: StoreKind.allCases)
    func randomStepsLeaveWhatARecomputationFinds(kind: StoreKind) throws {
        for seed in workloadSeeds(3) {
            var run = try Run(kind, seed: seed)
            do {
                for _ in 0..<200 { try run.step() }
                try run.check()
            } catch {
                Issue.record("seed \(seed) (\(kind)): \(error)")
            }
        }
    }

    /// Found by a long run: objects that one context deletes are paired by another, which did not
    /// learn of it.
    @Test(arguments: StoreKind.allCases)
    func pairsWithWhatOthersDeletedDoNotCount(kind: StoreKind) throws {
        for seed: UInt64 in [125, 218, 299, 408] {
            var run = try Run(kind, seed: seed)
            for _ in 0..<200 { try run.step() }
            try run.check()
        }
    }

    private struct WrongValues: Error, CustomStringConvertible { let description: String }

    private struct Run {
        private let container: PersistentContainer
        private let contexts: [ManagedObjectContext]
        private var random: SplitMix64

        private static let entities = [
            "Customer", "Order", "Order", "Item", "Item", "Item", "Coupon",
        ]

        init(_ kind: StoreKind, seed: UInt64) throws {
            container = try kind.container(OrderBook.model)
            let container = container
            contexts = (0..<2).map { number in
                var options = ContextOptions(name: "\(number)")
                options.mergePolicy = .mergeByPropertyObjectTrump
                return container.makeContext(options)
            }
            random = SplitMix64(seed: seed)
        }

        mutating func step() throws {
            let context = random.pick(contexts)
            switch random.next() % 20 {
            case 0..<14: try edit(context)
            case 14..<17:
                try context.save()
                try check()
            case 17:
                context.processPendingChanges()
            case 18:
                context.rollback()
            default:
                if !context.hasChanges { try batch(context) }
                try check()
            }
        }

        private mutating func edit(_ context: ManagedObjectContext) throws {
            let entity = random.pick(Self.entities)
            let object: ManagedObject
            if random.next() % 2 == 0 {
                object = context.insert(entity)
            } else {
                guard let known = try any(entity, context) else { return }
                object = known
            }
            if random.next() % 8 == 0 { return context.delete(object) }
            switch entity {
            case "Customer": try object.setValue("Näme \(random.next() % 10)", forKey: "name")
            case "Order":
                try object.setValue(try any("Customer", context), forKey: "customer")
                try object.setValue(number(), forKey: "discount")
                if random.next() % 2 == 0, let coupon = try any("Coupon", context) {
                    var coupons = try object.value(forKey: "coupons") as? [ManagedObject] ?? []
                    if let place = coupons.firstIndex(of: coupon) {
                        coupons.remove(at: place)
                    } else {
                        coupons.append(coupon)
                    }
                    try object.setValue(coupons, forKey: "coupons")
                }
            case "Item":
                try object.setValue(number(), forKey: "price")
                try object.setValue(try any("Order", context), forKey: "order")
            default: try object.setValue(Double(random.next() % 9), forKey: "percent")
            }
        }

        private mutating func number() -> Decimal? {
            random.next() % 4 == 0 ? nil : Decimal(random.next() % 10_000) / 100
        }

        private mutating func any(
            _ entity: String, _ context: ManagedObjectContext
        ) throws -> ManagedObject? {
            let all = try context.fetch(FetchRequest<ManagedObject>(entityName: entity))
                .sorted { $0.objectID < $1.objectID }
            return all.isEmpty ? nil : random.pick(all)
        }

        private mutating func batch(_ context: ManagedObjectContext) throws {
            switch random.next() % 4 {
            case 0:
                try context.execute(
                    BatchUpdateRequest<ManagedObject>(entityName: "Customer")
                        .set("name", to: .constant(.text("Bätch"))))
            case 1:
                try context.execute(
                    BatchUpdateRequest<ManagedObject>(entityName: "Item")
                        .where(try FetchPredicate("price > 50"))
                        .set("price", to: .constant(.decimal(3))))
            case 2:
                let entity = random.pick(Self.entities)
                try context.execute(
                    BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: entity).limit(3)))
            default:
                guard let order = try any("Order", context)?.objectID else { return }
                let prices = (0..<5).map { _ in
                    ["price": Decimal(1), "order": order] as [String: any Sendable]
                }
                try context.execute(
                    BatchInsertRequest<ManagedObject>(objects: prices).entityName("Item"))
            }
        }

        private func derivedValues() throws -> [String: StoredValue] {
            let context = container.makeContext()
            var values: [String: StoredValue] = [:]
            for entity in Set(Self.entities) {
                for object in try context.fetch(FetchRequest<ManagedObject>(entityName: entity)) {
                    for attribute in object.entity.attributes where attribute.derivation != nil {
                        values["\(object.objectID).\(attribute.name)"] =
                            try object.storedValue(forKey: attribute.name)
                    }
                }
            }
            return values
        }

        /// Compares what is stored with a recomputation, and what contexts have with what is
        /// stored.
        func check() throws {
            let fresh = container.makeContext()
            let stored = try derivedValues()
            if try fresh.recomputeDerived() > 0 {
                let computed = try derivedValues()
                let wrong = stored.filter { computed[$0.key] != $0.value }
                    .map { "\($0.key): \($0.value), not \(computed[$0.key] ?? .null)" }
                throw WrongValues(description: wrong.sorted().joined(separator: "; "))
            }
            for context in contexts {
                context.processPendingChanges()
                for object in context.registeredObjects
                where !object.hasChanges && !object.isDeleted {
                    guard let stored = try? fresh.existingObject(with: object.objectID) else {
                        continue
                    }
                    for attribute in object.entity.attributes where attribute.derivation != nil {
                        try #require(
                            try object.storedValue(forKey: attribute.name)
                                == stored.storedValue(forKey: attribute.name),
                            "\(object.objectID).\(attribute.name) in \(context.name ?? "")")
                    }
                }
            }
        }
    }
}
