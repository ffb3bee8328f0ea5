import DuramenModel
import DuramenSQLite
import DuramenStore
import Foundation
import Logging
import StoreTestSupport
import Synchronization
import Testing

/// What the engine is told.
@Suite struct DurabilityTests {
    let folder = TemporaryFolder()

    // SQLite: 0 is OFF, 1 NORMAL, 2 FULL (pragma.html#pragma_synchronous).
    @Test(
        "Each level of durability is one of the engine's",
        arguments: zip(Durability.allCases, [2, 1, 0] as [Int64]))
    func eachLevelIsTold(_ durability: Durability, _ expected: Int64) throws {
        let description = PersistentStoreDescription.sqlite(folder.file()).durability(durability)
        // The second time the file is there already.
        for _ in 0..<2 {
            let store = try description.open(model: Library.model)
            let reporting = try #require(store as? any EngineReporting)
            #expect(try reporting.setting("synchronous") == expected)
            #expect(try reporting.setting("wal_autocheckpoint") == 0)
            try store.insert("Tag")
            #expect(try reporting.setting("synchronous") == expected)
            try store.close()
        }
        #expect(try RawDatabase.texts(folder.file(), "PRAGMA journal_mode") == ["wal"])
    }

    @Test("Full durability is what a description asks for unless it says otherwise")
    func fullIsTheDefault() throws {
        let store = try Library.open(folder.file())
        #expect(try (store as? any EngineReporting)?.setting("synchronous") == 2)
        try store.close()
    }

    @Test(
        "Versions of the engine whose logs two checkpoints can damage are known",
        arguments: [
            (3_006_023, false), (3_007_000, true), (3_040_001, true), (3_044_005, true),
            (3_044_006, false), (3_044_009, false), (3_045_000, true), (3_050_006, true),
            (3_050_007, false), (3_051_000, true), (3_051_002, true), (3_051_003, false),
            (3_054_001, false),
        ] as [(Int32, Bool)])
    func versionsAreKnown(_ number: Int32, _ isAffected: Bool) {
        #expect(EngineVersion(number: number).hasLogResetRace == isAffected)
    }

    @Test("Opening a store for writing notes such a version once, for who asks for details")
    func oneNoteIsLogged() async throws {
        #expect(EngineVersion(number: 3_040_001).name == "3.40.1")
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            setenv("DURAMEN_SQL_DEBUG", "1", 1)
            LoggingSystem.bootstrap { _ in CapturingHandler() }
            for name in ["a", "b"] {
                try PersistentStoreDescription.sqlite("\(path)/\(name).sqlite")
                    .open(model: Library.model).close()
            }
            let version = EngineVersion.loaded
            let lines = CapturingHandler.lines.withLock { $0 }.filter { $0.contains(version.name) }
            guard lines.count == (version.hasLogResetRace ? 1 : 0) else {
                throw StoreError(.io, "\(lines)")
            }
        }
    }
}
