import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

@Suite struct DurabilityTests {
    private let folder = TemporaryFolder()

    @Test(
        "The engine is told of the level before each commit, also where two stores share it",
        arguments: Durability.allCases)
    func levels(_ durability: Durability) throws {
        let description = PersistentStoreDescription.lmdb(folder.file())
        let store = try description.durability(durability).open(model: Library.model)
        let other = try description.durability(.relaxed).open(model: Library.model)
        let use = try EnvironmentRegister.use(
            StoreFolder(folder.file()), isReadOnly: false, mapBytes: Environment.mapBytes,
            check: OpeningCheck(description), isLocked: false)
        _ = try store.insert("Tag", ["label": .text("a")])
        #expect(use.environment.durability == durability)
        _ = try other.insert("Tag", ["label": .text("b")])
        #expect(use.environment.durability == .relaxed)
        try store.close()
        try other.close()
    }

    @Test("A file that may never have reached the disk is checked when it is opened again")
    func noMarkWithoutSynchronisation() throws {
        for (durability, isMarked) in [(Durability.unsafeNoSync, false), (.full, true)] {
            let path = folder.file("\(durability.rawValue).lmdb")
            let description = PersistentStoreDescription.lmdb(path).durability(durability)
            do {
                let store = try description.open(model: Library.model)
                _ = try store.insert("Tag", ["label": .text("a")])
                try store.close()
            }
            #expect(try CheckMark.isValid(StoreFolder(path)) == isMarked)
        }
    }
}
