import DuramenModel
import DuramenStore
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
