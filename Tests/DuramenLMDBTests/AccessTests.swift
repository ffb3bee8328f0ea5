import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// Who may read and write a store's files. What changes the rights of a process runs in one of its
/// own.
@Suite struct AccessTests {
    let folder = TemporaryFolder()

    /// Goes on as a user who is not the administrator, who may reach everything.
    ///
    /// - Returns: Whether there is such a user here.
    private static func becomeNobody() -> Bool { geteuid() != 0 || seteuid(65_534) == 0 }

    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test(
        "Only its owner may use a store, whatever the mask of modes is",
        arguments: [0, 0o022, 0o077] as [UInt32])
    func modes(_ mask: UInt32) async throws {
        let path = folder.path
        await #expect(processExitsWith: .success) {
            [path = path as String, mask = mask as UInt32] in
            umask(mode_t(mask))
            let (first, copy) = (path + "/first", path + "/copy")
            func check(_ store: String, _ names: [String]) throws {
                guard Self.mode(store) == 0o700 else {
                    throw StoreError(.io, "\(store): \(String(Self.mode(store), radix: 8))")
                }
                for name in names where Self.mode(store + name) != 0o600 {
                    throw StoreError(.io, "\(name): \(String(Self.mode(store + name), radix: 8))")
                }
            }
            let open = ["/data.mdb", "/lock.mdb", "/users.lock", ".lock"]
            let store = try Library.open(first)
            try store.insert("Tag")
            try check(first, open)
            try LMDBStoreType().copy(.lmdb(first), to: .lmdb(copy))
            try check(copy, ["/data.mdb"])
            try store.maintainIfCapable()
            try store.close()
            try check(first, open + ["/checked"])
            let copied = try Library.open(copy)
            try copied.insert("Tag")
            try check(copy, open)
            try copied.close()
            try check(copy, open + ["/checked"])
        }
    }

    @Test("What may not be reached is a typed error")
    func unreachable() async throws {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            // What runs when the process ends, such as a check for leaks, needs its own user again.
            defer { _ = seteuid(getuid()) }
            try Library.open(path + "/store").close()
            mkdir(path + "/closed", 0)
            mkdir(path + "/fixed", 0o555)
            chmod(path, 0o755)
            // Others may look into the folder, but at none of its files.
            chmod(path + "/store", 0o755)
            guard Self.becomeNobody() else { return }
            let type = LMDBStoreType()
            let description = PersistentStoreDescription.lmdb(path + "/store")
            let codes = [
                storeErrorCode { try Library.open(path + "/closed/a") },
                storeErrorCode { try Library.open(path + "/fixed/a") },
                storeErrorCode { try Library.open(path + "/store") },
                storeErrorCode { try description.readOnly().open(model: Library.model) },
                storeErrorCode { try type.metadata(of: description) },
                storeErrorCode { try type.destroy(description) },
                storeErrorCode { try type.setUserInfo([:], of: description) },
            ]
            guard codes.allSatisfy({ $0 == .permissionDenied }) else {
                throw StoreError(.io, "\(codes.map { $0?.rawValue ?? "none" })")
            }
        }
        chmod(folder.path + "/closed", 0o700)
    }

    /// Makes a store with a tag, which others may read and not write.
    private static func makeReadable(_ store: String) throws -> ManagedObjectID {
        let first = try Library.open(store)
        let id = try first.insert("Tag", ["label": .text("a")])
        try first.close()
        for (name, mode) in [
            ("", 0o755), ("/data.mdb", 0o644), ("/lock.mdb", 0o644), ("/users.lock", 0o644),
            ("/checked", 0o644),
        ] as [(String, mode_t)] { chmod(store + name, mode) }
        return id
    }

    @Test(
        "A user who may read a store and not write to it reads a copy, which goes when it is closed"
    )
    func readableOnly() async throws {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            defer { _ = seteuid(getuid()) }
            let store = path + "/store"
            let id = try Self.makeReadable(store)
            chmod(path, 0o755)
            mkdir(path + "/temporary", 0o777)
            chmod(path + "/temporary", 0o777)
            setenv("TMPDIR", path + "/temporary", 1)
            func require(_ claim: Bool, _ what: String) throws {
                if !claim { throw StoreError(.io, what) }
            }
            guard Self.becomeNobody() else { return }
            let copies = path + "/temporary/duramen-copies-\(geteuid())"
            func names() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: copies)
                    .filter { UUID(uuidString: $0) != nil }
            }
            try require(
                storeErrorCode { try Library.open(store) } == .permissionDenied, "opened to write")
            let description = PersistentStoreDescription.lmdb(store).readOnly()
            let first = try description.open(model: Library.model)
            // Another opening shares the copy, and another one begins after the last has gone.
            let second = try description.open(model: Library.model)
            try require(try names().count == 1, "\(try names())")
            try first.close()
            try require(try second.value(id, "label") == .text("a"), "another value")
            try require(
                try second.metadata().storeUUID
                    == LMDBStoreType().metadata(of: description)
                    .storeUUID, "another store")
            try second.close()
            try require(try names().isEmpty, "\(try names())")
            try LMDBStoreType().copy(description, to: .lmdb(path + "/temporary/copy"))
            try require(try names().isEmpty, "\(try names())")
        }
    }

    #if os(Linux)
    // Only the administrator can make a small disk; elsewhere there is nothing to see.
    @Test(
        "A full disk is a typed error, the store stays readable and goes on when there is room",
        .enabled(if: SmallDisk.isPermitted))
    func fullDisk() throws {
        guard let disk = SmallDisk(in: folder, kibibytes: 600) else { return }
        defer { disk.unmount() }
        let store = try Library.open(disk.path + "/library.lmdb")
        let id = try store.insert("Tag", ["label": .text("a")])
        let long = StoredValue.letters(2_000_000)
        for _ in 0..<2 {
            #expect(storeErrorCode { try store.insert("Tag", ["label": long]) } == .diskFull)
            #expect(try store.value(id, "label") == .text("a"))
        }
        try #require(disk.grow(kibibytes: 16_384))
        let next = try store.insert("Tag", ["label": long])
        #expect(try store.value(next, "label") == long)
        try store.close()
    }

    @Test(
        "A disk too small for a new store leaves nothing behind",
        .enabled(if: SmallDisk.isPermitted),
        arguments: [4, 24, 60, 72, 84, 100])
    func tinyDisk(_ kibibytes: Int) throws {
        guard let disk = SmallDisk(in: folder, kibibytes: kibibytes) else { return }
        defer { disk.unmount() }
        let path = disk.path + "/library.lmdb"
        let code = storeErrorCode { try Library.open(path).close() }
        #expect([.diskFull, nil].contains(code))
        #expect(!FileManager.default.fileExists(atPath: path + ".new"))
        try #require(disk.grow(kibibytes: 16_384))
        let store = try Library.open(path)
        try store.insert("Tag")
        try store.close()
    }

    @Test(
        "A store on a disk for reading only is read, checked before, and a copy without locks too",
        .enabled(if: SmallDisk.isPermitted))
    func readOnlyDisk() async throws {
        guard let disk = SmallDisk(in: folder, kibibytes: 16_384) else { return }
        defer { disk.unmount() }
        let (path, copy, damaged) = (
            disk.path + "/first", disk.path + "/copy", disk.path + "/damaged"
        )
        let id = try makeStore(path, copy: copy)
        try FileManager.default.copyItem(atPath: path, toPath: damaged)
        var data = try Data(contentsOf: URL(filePath: damaged + "/data.mdb"))
        for page in 2..<data.count / 4_096 { data[page * 4_096 + 12] ^= 0xFF }
        try data.write(to: URL(filePath: damaged + "/data.mdb"))
        try #require(disk.becomeReadOnly())
        for place in [path, copy] {
            #expect(storeErrorCode { try Library.open(place) } == .permissionDenied)
            let reading = try PersistentStoreDescription.lmdb(place).readOnly()
                .open(model: Library.model)
            #expect(try reading.value(id, "label") == .text("a"))
            #expect(try reading.snapshot().count(reading.query("Tag")) == 201)
            try reading.close()
        }
        await #expect(processExitsWith: .success) { [damaged = damaged as String] in
            let description = PersistentStoreDescription.lmdb(damaged).readOnly()
            let code = storeErrorCode { try description.open(model: Library.model) }
            guard code == .damagedFile else {
                throw StoreError(.io, "\(code?.rawValue ?? "none")")
            }
        }
    }

    /// A store of 201 tags and a copy, of which nothing stays open.
    private func makeStore(_ path: String, copy: String) throws -> ManagedObjectID {
        let store = try Library.open(path)
        let id = try store.insert("Tag", ["label": .text("a")])
        try store.insert("Tag", all: (0..<200).map { _ in ["label": .text("b")] })
        try LMDBStoreType().copy(.lmdb(path), to: .lmdb(copy))
        try store.close()
        return id
    }
    #endif
}
