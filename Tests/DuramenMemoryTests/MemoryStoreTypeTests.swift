import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@Suite struct MemoryStoreTypeTests {
    private let name = UUID().uuidString
    private var named: PersistentStoreDescription { .memory(name) }

    @Test func storesWithoutANameShareNothing() throws {
        let fixture = StoreFixture { _ in .memory() }
        let first = try StoreDriver(fixture)
        let second = try StoreDriver(fixture)
        _ = try first.insert("Tag", ["name": .text("red")])
        #expect(try second.contents().records.isEmpty)
        #expect(first.store.handle != second.store.handle)
    }

    @Test func storesOfOneNameShareTheirData() throws {
        let fixture = StoreFixture { [named] _ in named }
        let first = try StoreDriver(fixture)
        let second = try StoreDriver(fixture)
        let id = try first.insert("Tag", ["name": .text("red")])
        #expect(try second.values(id) == ["name": .text("red")])
        #expect(first.store.handle == second.store.handle)
        let stale = try second.existingRow(id)
        try first.commit { try $0.update(id, ["name": .text("blue")]) }
        #expect(try second.conflicts { $0.delete(stale) }.count == 1)
        try first.store.close()
        #expect(try second.values(id) == ["name": .text("blue")])
    }

    @Test func aNameIsOfOneModel() throws {
        _ = try named.open(model: ConformanceModel.shared)
        #expect(
            storeErrorCode { try named.type.open(named, model: WorkloadModel.shared) }
                == .incompatibleModel)
    }

    @Test func aDestroyedStoreBeginsAgain() throws {
        let fixture = StoreFixture { [named] _ in named }
        let first = try StoreDriver(fixture)
        _ = try first.insert("Tag")
        try named.type.destroy(named)
        try named.type.destroy(named)
        #expect(try StoreDriver(fixture).contents().records.isEmpty)
        #expect(
            storeErrorCode { try named.type.metadata(of: .memory(name + "x")) } == .storeMissing)
    }

    @Test func metadataIsReadAndReplacedWithoutAnOpenStore() throws {
        let store = try named.open(model: ConformanceModel.shared)
        _ = try store.save(ChangeSet(metadata: ["a": .integer(1)]))
        #expect(try named.type.metadata(of: named).userInfo == ["a": .integer(1)])
        try named.type.setUserInfo(["b": .text("two"), "c": .null], of: named)
        #expect(try store.metadata().userInfo == ["b": .text("two")])
        #expect(
            storeErrorCode { try named.type.setUserInfo([:], of: named.readOnly()) } == .readOnly)
    }

    @Test func aCopyGoesItsOwnWay() throws {
        let driver = try StoreDriver(StoreFixture { [named] _ in named })
        let id = try driver.insert("Tag", ["name": .text("red")])
        let target = PersistentStoreDescription.memory(name + " copy")
        try named.type.copy(named, to: target)
        try driver.commit { try $0.delete(id) }
        let copy = try StoreDriver(StoreFixture { _ in target })
        #expect(try copy.values(id) == ["name": .text("red")])
        #expect(try copy.insert("Tag").key > id.key)
        #expect(storeErrorCode { try named.type.copy(named, to: target) } == .invalidRequest)
    }

    @Test func aStoreWithoutANameCannotBeAdministered() throws {
        let type = MemoryStoreType()
        #expect(storeErrorCode { try type.metadata(of: .memory()) } == .unsupported)
        #expect(storeErrorCode { try type.setUserInfo([:], of: .memory()) } == .unsupported)
        #expect(storeErrorCode { try type.destroy(.memory()) } == .unsupported)
        #expect(storeErrorCode { try type.copy(named, to: .memory()) } == .unsupported)
    }

    @Test func aStoreForReadingIsNotWritten() throws {
        #expect(
            storeErrorCode {
                try named.readOnly().open(model: ConformanceModel.shared)
            } == .storeMissing)
        _ = try named.open(model: ConformanceModel.shared)
        let store = try named.readOnly().open(model: ConformanceModel.shared)
        #expect(
            storeErrorCode { try store.save(ChangeSet(metadata: ["a": .integer(1)])) } == .readOnly)
        #expect(storeErrorCode { try store.allocateKeys(1, for: EntityID(index: 0)) } == .readOnly)
        #expect(try store.metadata().userInfo.isEmpty)
    }

    @Test func aStringNamesAStore() throws {
        let types = StoreTypes([.memory])
        #expect(try types.description(for: "memory:\(name)").location == name)
        #expect(try types.description(for: "memory:").location == "")
    }
}
