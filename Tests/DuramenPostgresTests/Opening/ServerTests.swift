import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenPostgres

/// Servers that stop, are full, or are not the ones that they should be.
@Suite(.enabled(if: TestServer.isThere)) struct ServerTests {
    @Test func aStoppedServerIsUnavailableAndTheStoreGoesOnWithIt() throws {
        guard let server = try PrivateServer() else { return }
        let place = PersistentStoreDescription.postgres(server.text).allowingUnsafeServer()
            .timeout(seconds: 5)
        let store = try place.open(model: FaultModel.model)
        let id = try store.insert("Tag", ["label": .text("a")])
        let held = try store.snapshot()
        try server.stop()
        #expect(storeErrorCode { try store.insert("Tag") } == .storeUnavailable)
        #expect(storeErrorCode { try store.snapshot() } == .storeUnavailable)
        #expect(storeErrorCode { try store.metadata() } == .storeUnavailable)
        #expect(
            storeErrorCode { try place.open(model: FaultModel.model) } == .storeUnavailable)
        let code = storeErrorCode { try held.rows(for: [id]) }
        #expect(code == .storeUnavailable || code == .snapshotExpired)
        try server.start()
        try store.insert("Tag", ["label": .text("b")])
        #expect(try store.snapshot().count(store.query("Tag")) == 2)
        #expect(storeErrorCode { try held.rows(for: [id]) } == .snapshotExpired)
        // A server that is full refuses, and takes again.
        try server.stop()
        try server.start(["max_connections=6", "superuser_reserved_connections=0"])
        var others: [Connection] = []
        let settings = try ConnectionSettings.parse(server.text).settings
        while let other = try? Connection(settings, within: Deadline(seconds: 5)) {
            others.append(other)
        }
        #expect(storeErrorCode { try store.insert("Tag") } == .storeBusy)
        #expect(storeErrorCode { try place.open(model: FaultModel.model) } == .storeBusy)
        others.forEach { $0.close() }
        let goesOn = try eventually {
            do throws(StoreError) {
                _ = try store.snapshot()
                return true
            } catch {
                if error.code == .storeBusy { return false }
                throw error
            }
        }
        #expect(goesOn)
        try store.close()
    }

    @Test func aFullDiskIsTypedAndLosesNothing() throws {
        guard let server = try PrivateServer() else { return }
        let place = PersistentStoreDescription.postgres(server.text).allowingUnsafeServer()
        let store = try place.open(model: FaultModel.model)
        try server.stop()
        // More than a segment of the log, and no whole number of pages: the last is half written.
        try server.start(fileKilobytes: 17_412)
        var random = SplitMix64(seed: randomSeed())
        // Such a text is not made smaller by compression.
        func megabyte() -> [String: StoredValue] {
            let digits = (0..<65_536).map { _ in String(random.next(), radix: 16) }
            return ["label": .text(StoredText(digits.joined()))]
        }
        var saved: Int = 0
        var code: StoreError.Code?
        while code == nil, saved < 40 {
            code = storeErrorCode { try store.insert("Tag", megabyte()) }
            if code == nil { saved += 1 }
        }
        #expect(code == .diskFull)
        #expect(saved > 0)
        #expect(try store.snapshot().count(store.query("Tag")) == saved)
        let batches = try #require(store as? any BatchWritingStore)
        let keys = try store.allocateKeys(4, for: store.entity("Tag").id)
        let rows = try keys.map { try store.row("Tag", key: $0, megabyte()) }
        let failed = storeErrorCode {
            _ = try batches.writeBatch(ChangeSet()) { (batch) throws(StoreError) in
                for row in rows { _ = try batch.write(ChangeSet(inserts: RowList([row]))) }
            }
        }
        #expect(failed == .diskFull)
        // What needs no more room goes on.
        try store.insert("Counter")
        #expect(try store.snapshot().count(store.query("Tag")) == saved)
        try server.stop()
        try server.start()
        try store.insert("Tag", megabyte())
        #expect(try store.snapshot().count(store.query("Tag")) == saved + 1)
        #expect(try StoreVerification(of: store).run() == [])
        try store.close()
    }

    @Test func onlyAVerifiedServerIsTrusted() throws {
        guard let server = try PrivateServer() else { return }
        let folder = TemporaryFolder()
        guard
            try DumpTests.output(
                "openssl",
                [
                    "req", "-new", "-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                    folder.file("key"), "-out", folder.file("certificate"),
                ]) != nil
        else {
            recordNotTested("certificates", because: "there is no openssl here")
            return
        }
        let port = 20_000 + Int(getpid()) % 20_000
        let key = try server.write(
            "key", String(contentsOfFile: folder.file("key"), encoding: .utf8))
        let certificate = try server.write(
            "certificate", String(contentsOfFile: folder.file("certificate"), encoding: .utf8))
        let network = ["listen_addresses=127.0.0.1", "port=\(port)"]
        let root = "sslrootcert=\(folder.file("certificate"))"
        func place(_ host: String, _ more: String) -> PersistentStoreDescription {
            .postgres(
                "host=\(host) hostaddr=127.0.0.1 port=\(port) user=duramen dbname=postgres "
                    + "password=\(server.password) \(more)"
            ).allowingUnsafeServer().timeout(seconds: 5)
        }
        func code(_ place: PersistentStoreDescription) -> StoreError.Code? {
            storeErrorCode { try place.open(model: FaultModel.model).close() }
        }
        try server.stop()
        try server.start(network)
        #expect(code(place("localhost", root)) == .storeUnavailable, "no TLS")
        #expect(code(place("localhost", root).allowingUnverifiedServer()) == nil)
        try server.stop()
        try server.start(
            network + ["ssl=on", "ssl_cert_file=\(certificate)", "ssl_key_file=\(key)"])
        #expect(code(place("localhost", root)) == nil)
        #expect(code(place("other.example", root)) == .storeUnavailable, "another host's name")
        try writeFile(folder.file("empty"), "")
        #expect(
            code(place("localhost", "sslrootcert=\(folder.file("nothing"))")) == .storeUnavailable)
        _ = try DumpTests.output(
            "openssl",
            [
                "req", "-new", "-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2", "-subj",
                "/CN=localhost", "-keyout", folder.file("key2"), "-out", folder.file("other"),
            ])
        let unknown = "sslrootcert=\(folder.file("other"))"
        #expect(code(place("localhost", unknown)) == .storeUnavailable, "an unknown root")
        // Less than a verified server has to be asked for in so many words.
        #expect(code(place("localhost", "\(root) sslmode=require")) == .invalidRequest)
        #expect(code(place("localhost", "sslmode=disable")) == .invalidRequest)
    }
}
