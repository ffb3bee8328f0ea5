import Duramen
import DuramenMemory
import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Derived attributes as contexts have them.
@MainActor
@Suite(.serialized) struct DerivedAttributeTests {
    private typealias World = (
        container: PersistentContainer, context: ManagedObjectContext, customer: ManagedObject,
        order: ManagedObject, item: ManagedObject
    )

    private func world(_ kind: StoreKind, plan: FaultPlan? = nil) throws -> World {
        let container = try kind.container(OrderBook.model, plan: plan)
        let context = container.viewContext
        let customer = context.insert("Customer", ["name": "Ädä"])
        let order = context.insert("Order", ["customer": customer, "number": 1])
        let item = context.insert("Item", ["price": Decimal(12), "order": order])
        try context.save()
        return (container, context, customer, order, item)
    }

    private func value<Value>(_ object: ManagedObject, _ key: String) throws -> Value? {
        try object.value(forKey: key) as? Value
    }

    private func orders(_ predicate: String, _ context: ManagedObjectContext) throws
        -> [ManagedObject]
    {
        try context.fetch(
            FetchRequest<ManagedObject>(entityName: "Order").where(try FetchPredicate(predicate))
                .sorted(by: "number"))
    }

    // MARK: - After a save

    @Test(arguments: StoreKind.allCases)
    func objectsHaveWhatWasDerivedOnceTheyAreSaved(kind: StoreKind) throws {
        let (_, context, customer, order, item) = try world(kind)
        #expect(try value(customer, "sortName") == "ada")
        #expect(try value(customer, "orderCount") == Int64(1))
        #expect(try value(order, "total") == Decimal(12))
        #expect(try value(order, "customerName") == "Ädä")
        #expect(try value(item, "customerName") == "Ädä")
        #expect(!context.hasChanges && !order.hasChanges)
        let second = context.insert("Item", ["price": Decimal(string: "0.5")!, "order": order])
        #expect(try value(order, "total") == Decimal(12))
        try customer.setValue("Bob", forKey: "name")
        try context.save()
        #expect(try value(order, "total") == Decimal(string: "12.5"))
        #expect(try value(order, "itemCount") == Int32(2))
        #expect(try value(second, "customerName") == "Bob")
        #expect(try value(item, "customerName") == "Bob")
        #expect(try value(order, "changedAt") as Date? != nil)
        context.delete(second)
        try context.save()
        #expect(try value(order, "total") == Decimal(12))
        #expect(!context.hasChanges)
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func queriesSeeAndSortByWhatIsDerived(kind: StoreKind) throws {
        let (_, context, customer, order, _) = try world(kind)
        for number in 2...4 {
            let other = context.insert("Order", ["customer": customer, "number": number])
            for _ in 0..<number {
                _ = context.insert("Item", ["price": Decimal(1), "order": other])
            }
        }
        try context.save()
        #expect(try orders("total == 12", context) == [order])
        #expect(
            try orders("itemCount >= 3", context).map { try value($0, "number") as Int64? } == [
                3, 4,
            ])
        let byCount = FetchRequest<ManagedObject>(entityName: "Order")
            .sorted(by: "itemCount", .descending).limit(1)
        #expect(try context.fetch(byCount).first.map { try value($0, "number") as Int64? } == 4)
        let busy = FetchRequest<ManagedObject>(entityName: "Customer").where(
            try FetchPredicate("orderCount == 4 AND sortName == 'ada'"))
        #expect(try context.fetch(busy) == [customer])
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveOffTheOwnerDerivesAlike(kind: StoreKind) async throws {
        let (_, context, customer, order, item) = try world(kind)
        try customer.setValue("Eve", forKey: "name")
        let other = context.insert("Item", ["price": Decimal(3), "order": order])
        try await context.saveOffOwner()
        #expect(try value(order, "total") == Decimal(15))
        #expect(try value(customer, "sortName") == "eve")
        #expect(try value(item, "customerName") == "Eve")
        #expect(try value(other, "customerName") == "Eve")
        #expect(!context.hasChanges)
        try order.setValue(9, forKey: "number")
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func childrenSeeItOnceTheTopIsSaved(kind: StoreKind) throws {
        let (_, context, _, order, _) = try world(kind)
        let child = ManagedObjectContext(parent: context)
        let own = try child.existingObject(with: order.objectID)
        _ = child.insert("Item", ["price": Decimal(1), "order": own])
        try child.save()
        #expect(try value(own, "itemCount") == Int32(1))
        try context.save()
        child.processPendingChanges()
        #expect(try value(order, "itemCount") == Int32(2))
        try child.refresh(own, mergeChanges: false)
        #expect(try value(own, "itemCount") == Int32(2))
    }

    @Test(arguments: StoreKind.allCases)
    func liveListsFollowWhatIsDerived(kind: StoreKind) throws {
        let (_, context, customer, order, _) = try world(kind)
        let other = context.insert("Order", ["customer": customer, "number": 2])
        try context.save()
        let controller = FetchedResultsController(
            fetchRequest: FetchRequest<ManagedObject>(entityName: "Order")
                .sorted(by: "itemCount", .descending),
            managedObjectContext: context)
        let probe = try ListProbe(controller)
        #expect(controller.fetchedObjects.map(Array.init) == [order, other])
        for _ in 0..<2 { _ = context.insert("Item", ["price": Decimal(1), "order": other]) }
        try context.save()
        context.processPendingChanges()
        #expect(controller.fetchedObjects.map(Array.init) == [other, order])
        try probe.check("after a save")
    }

    // MARK: - Others

    @Test(arguments: StoreKind.allCases)
    func contextsMergeWhatOthersSavesDerived(kind: StoreKind) async throws {
        let (container, context, customer, order, _) = try world(kind)
        try order.setValue(77, forKey: "number")
        let id = order.objectID
        try container.saveElsewhere { context in
            let order = try context.existingObject(with: id)
            _ = context.insert("Item", ["price": Decimal(5), "order": order])
            _ = context.insert("Order", ["customer": try order.value(forKey: "customer") as Any])
        }
        #expect(
            try await eventually {
                try value(order, "total") == Decimal(17)
                    && value(customer, "orderCount") == Int64(2)
            })
        #expect(try value(order, "number") == Int64(77))
        #expect(order.isUpdated && !customer.hasChanges)
        try context.save()
        #expect(try value(order, "total") == Decimal(17))
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsDerivedAloneIsNoConflict(kind: StoreKind) throws {
        let (container, context, customer, order, item) = try world(kind)
        let (order1, customer1) = (order.objectID, customer.objectID)
        try order.setValue(77, forKey: "number")
        try container.saveElsewhere { context in
            let order = try context.existingObject(with: order1)
            _ = context.insert("Item", ["price": Decimal(5), "order": order])
            _ = context.insert("Order", ["customer": try context.existingObject(with: customer1)])
        }
        try context.save()
        #expect(try value(order, "total") == Decimal(17))
        #expect(try value(order, "number") == Int64(77))
        context.delete(item)
        context.delete(order)
        try container.saveElsewhere { context in
            let order = try context.existingObject(with: order1)
            _ = context.insert("Coupon", ["orders": [order]])
        }
        try context.save()
        #expect(try orders("number == 77", context) == [])
        #expect(try value(customer, "orderCount") == Int64(1))
    }

    @Test(arguments: StoreKind.allCases)
    func realConflictsAreLeftOfThoseOfDerivedAttributes(kind: StoreKind) throws {
        let (container, context, customer, order, _) = try world(kind)
        let (order1, customer1) = (order.objectID, customer.objectID)
        try order.setValue(77, forKey: "number")
        try customer.setValue("mine", forKey: "note")
        try container.saveElsewhere { context in
            let order = try context.existingObject(with: order1)
            _ = context.insert("Item", ["price": Decimal(5), "order": order])
            try context.existingObject(with: customer1).setValue("theirs", forKey: "note")
        }
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(error?.conflicts.map(\.objectID) == [customer1])
        try customer.setValue("mine", forKey: "note")
        try context.refresh(customer, mergeChanges: true)
        try context.save()
        #expect(try value(order, "total") == Decimal(17))
    }

    @Test(arguments: StoreKind.allCases)
    func aGuardedObjectIsGuardedWithWhatIsDerived(kind: StoreKind) throws {
        let (container, context, customer, order, _) = try world(kind)
        let id = customer.objectID
        try order.setValue(77, forKey: "number")
        try context.guard(customer)
        try container.saveElsewhere { context in
            _ = context.insert("Order", ["customer": try context.existingObject(with: id)])
        }
        #expect(throws: SaveConflictError.self) { try context.save() }
    }

    // MARK: - Refusals

    @Test func aDerivedAttributeIsNotSet() throws {
        let (_, context, customer, order, _) = try world(.memory)
        #expect(
            contextErrorCode { try order.setValue(Decimal(1), forKey: "total") } == .invalidValue)
        #expect(
            storeErrorCode {
                try context.execute(
                    BatchUpdateRequest<ManagedObject>(entityName: "Order")
                        .set("total", to: .constant(.decimal(1))))
            } == .invalidRequest)
        #expect(try value(customer, "orderCount") == Int64(1))
    }

    @Test(arguments: StoreKind.allCases)
    func aMandatoryOneWithoutDefaultFailsValidation(kind: StoreKind) throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Thing",
                attributes: [
                    AttributeDescription("name", .string, isOptional: true),
                    AttributeDescription("upper", .string).derived(from: "uppercase:(name)"),
                ])
        ])
        let context = try kind.container(model).viewContext
        _ = context.insert("Thing", ["name": "a"])
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(error?.coreDataCode == 1570)
    }

    @Test func aStoreThatDoesNotDeriveRefusesTheModel() throws {
        #expect(
            storeErrorCode {
                try PersistentContainer.open(model: OrderBook.model, stores: [.memory().walking])
            } == .unsupported)
    }

    // MARK: - Batches and mishaps

    @Test(arguments: StoreKind.allCases)
    func batchesDerive(kind: StoreKind) throws {
        let (_, context, customer, order, item) = try world(kind)
        let id = order.objectID
        var number = 0
        try context.execute(
            BatchInsertRequest<ManagedObject>(rowHandler: { row in
                number += 1
                try row.setValue(Decimal(1), forKey: "price")
                try row.setValue(id, forKey: "order")
                return number > 2_500
            }).entityName("Item"))
        #expect(try value(order, "itemCount") == Int32(2_501))
        let derived = #expect(throws: ContextError.self) {
            try context.execute(
                BatchInsertRequest(
                    entityName: "Customer", objects: [["name": "Bob", "sortName": "x"]]))
        }
        #expect(derived?.code == .unknownName)
        #expect(try value(order, "total") == Decimal(2_512))
        try context.execute(
            BatchUpdateRequest<ManagedObject>(entityName: "Customer")
                .set("name", to: .constant(.text("new"))))
        #expect(try value(item, "customerName") == "new")
        #expect(try value(customer, "sortName") == "new")
        try context.execute(
            BatchDeleteRequest(
                FetchRequest<ManagedObject>(entityName: "Item").where(
                    try FetchPredicate("price == 1"))))
        #expect(try value(order, "itemCount") == Int32(1))
        #expect(try value(order, "total") == Decimal(12))
        #expect(try context.recomputeDerived() == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveOfUnknownOutcomeIsFoundOutWithWhatItDerived(kind: StoreKind) async throws {
        let plan = FaultPlan()
        let (_, context, customer, order, _) = try world(kind, plan: plan)
        plan.fail(.save, with: .unknownOutcome, .after)
        _ = context.insert("Item", ["price": Decimal(5), "order": order])
        _ = context.insert("Order", ["customer": customer, "number": 2])
        #expect(storeErrorCode { try context.save() } == .unknownOutcome)
        #expect(try context.resolveUnknownSave() == true)
        #expect(
            try await eventually {
                try value(order, "total") == Decimal(17)
                    && value(customer, "orderCount") == Int64(2)
            })
    }

    @Test(arguments: StoreKind.allCases)
    func whatSomebodyWroteWronglyIsRecomputed(kind: StoreKind) throws {
        let (container, context, customer, _, _) = try world(kind)
        let store = container.persistentStoreCoordinator.store
        var rows = Array(try store.snapshot().rows(for: [customer.objectID]))
        let slot = try #require(
            OrderBook.model.entity(named: "Customer")?.attributes.first { $0.name == "orderCount" }?
                .slot)
        var builder = RowBatchBuilder(capacity: 256)
        for row in rows {
            let layout = OrderBook.model[row.entityID].layout
            var kept = SlotSet()
            for other in 0..<layout.slotCount where other != slot { kept.insert(other) }
            builder.append(row, slots: kept, layout: layout)
        }
        let old = rows
        rows = Array(builder.finish())
        var changed = SlotSet()
        changed.insert(slot)
        var changes = ChangeSet(
            updates: zip(rows, old).map {
                RowUpdate(row: $0, baseVersion: $1.version, changedSlots: changed)
            })
        changes.keepsDerivedValues = true
        _ = try store.save(changes)
        try context.refreshAllObjects()
        #expect(try context.recomputeDerived(of: ["Item"]) == 0)
        #expect(contextErrorCode { try context.recomputeDerived(of: ["Nothing"]) } == .unknownName)
        #expect(try context.recomputeDerived() >= 1)
        #expect(try value(customer, "orderCount") == Int64(1))
        #expect(try context.recomputeDerived() == 0)
    }
}
