import DuramenModel
import Foundation
import Testing

struct InterningTests {
    @Test func equalNamesShareAHandleAndEquivalentOnesDoNot() {
        let composed = EntityHandle(name: "caf\u{E9}")
        let decomposed = EntityHandle(name: "cafe\u{301}")
        #expect(composed == EntityHandle(name: "caf\u{E9}"))
        #expect(composed != decomposed)
        #expect(StoredText(composed.name) == "caf\u{E9}")
        #expect(StoredText(decomposed.name) == "cafe\u{301}")
        #expect(EntityHandle(rawValue: composed.rawValue) == composed)
    }

    @Test func storesAreKnownByTheirUUID() {
        let uuid = UUID()
        let handle = StoreHandle(uuid: uuid)
        #expect(handle == StoreHandle(uuid: uuid))
        #expect(handle.uuid == uuid)
        #expect(handle != StoreHandle(uuid: UUID()))
        #expect(StoreHandle.none.uuid == nil && StoreHandle.none != handle)
    }

    @Test func threadsAgreeOnTheHandlesOfNewNames() async {
        let names = (0..<200).map { "Interned at once \($0)" }
        let handles = await withTaskGroup(of: [EntityHandle].self) { group in
            for _ in 0..<8 { group.addTask { names.map(EntityHandle.init(name:)) } }
            return await group.reduce(into: Set<[EntityHandle]>()) { $0.insert($1) }
        }
        #expect(handles.count == 1)
        #expect(handles.first?.map(\.name) == names)
    }
}
