import DebianPackages
import Duramen
import Foundation
import PackageImport
import PackageModel
import Testing

/// An import by batch requests leaves what one by objects leaves.
@MainActor
struct PackageBatchesTests {
    /// A file that is removed in the end.
    private func withFile<Result>(
        _ text: String, _ body: (String) async throws -> Result
    ) async throws -> Result {
        let path = NSTemporaryDirectory() + "packages-\(UUID().uuidString)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    /// Everything that a store holds, a line each.
    private func lines(_ container: PersistentContainer) throws -> [String] {
        let context = container.makeContext()
        var lines = try context.fetch(FetchRequest<Package>()).map { package in
            "\(package.identifier) \(package.state) \(package.version ?? "-") "
                + "\(package.architecture ?? "-") \(package.synopsis ?? "-") "
                + "\(package.homepage ?? "-") \(package.installedSizeKiB ?? -1) "
                + "\(package.section?.name ?? "-") \(package.maintainer?.contact ?? "-") "
                + "\(package.dependencies.identifiers) \(package.alternatives.identifiers) "
                + "\(package.provides.identifiers)"
        }
        lines += try context.fetch(FetchRequest<Section>()).map { "section \($0.name)" }
        lines += try context.fetch(FetchRequest<Maintainer>()).map {
            "\($0.contact): \($0.name), \($0.address ?? "-")"
        }
        return lines.sorted()
    }

    private func check(_ text: String, _ label: Comment? = nil) async throws {
        let (batched, plain) = (try makeContainer(), try makeContainer())
        let expected = try await plain.importing(text, stanzasPerChunk: 3)
        let summary = try await withFile(text) {
            try await PackageBatches(container: batched).run(path: $0)
        }
        #expect(try lines(batched) == lines(plain), label)
        #expect(summary.inserted == expected.inserted, label)
        #expect(summary.packages == expected.packages, label)
        #expect(summary.malformed == expected.malformed, label)
    }

    @Test func theSampleIsTheSame() async throws {
        try await check(sample + "\n\nPackage: Not A Name\nVersion: 1\n\nPackage: x\nVersion: 1")
        try await check("")
    }

    @Test func filesAtRandomAreTheSame() async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("seed \(seed)")
        var random = Generator(state: seed)
        for round in 0..<30 {
            var text = ""
            for _ in 0..<Int.random(in: 1..<20, using: &random) { text += stanza(&random) }
            try await check(text, "seed \(seed), round \(round):\n\(text)")
        }
    }

    private func stanza(_ random: inout Generator) -> String {
        func name() -> String { "n\(Int.random(in: 0..<8, using: &random))" }
        func maybe(_ field: String, _ value: @autoclosure () -> String) -> String {
            Bool.random(using: &random) ? "\(field): \(value())\n" : ""
        }
        let architectures = ["amd64", "i386", "all"]
        return "Package: \(name())\nVersion: \(Int.random(in: 0..<9, using: &random))\n"
            + maybe("Architecture", architectures.randomElement(using: &random) ?? "")
            + maybe("Status", "install ok installed") + maybe("Section", name())
            + maybe("Maintainer", "\(name()) <\(name())@example.org>")
            + maybe("Installed-Size", "7")
            + maybe("Depends", "\(name()) | \(name()), \(name()) (>= 1)")
            + maybe("Provides", "\(name()), virtual") + "\n"
    }

    @Test func aStoreThatListsPackagesIsLeftAsItIs() async throws {
        let container = try makeContainer()
        try await container.importing(sample)
        let before = try lines(container)
        await #expect(throws: PackageBatches.Refusal.storeListsPackages(5)) {
            try await withFile("Package: new\nVersion: 1") {
                try await PackageBatches(container: container).run(path: $0)
            }
        }
        #expect(try lines(container) == before)
    }

    @Test func whatCanBeReadOnceOnlyIsRefused() async throws {
        let container = try makeContainer()
        let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        // Open both ways, so that the reader waits for nobody.
        let pipe = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? pipe.close() }
        await #expect(throws: PackageBatches.Refusal.inputIsNoFile(path)) {
            try await PackageBatches(container: container).run(path: path)
        }
        #expect(try lines(container).isEmpty)
    }
}

private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}
