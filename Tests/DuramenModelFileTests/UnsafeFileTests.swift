import DuramenModelFile
import Foundation
import StoreTestSupport
import Testing

/// Files of models that nobody should read: pipes, and links to what is elsewhere.
struct UnsafeFileTests {
    private let folder = TemporaryFolder()
    private static let contents = "<model><entity name=\"A\"/></model>"

    private var bundle: String { folder.file("Shop.xcdatamodeld") }

    /// Makes a bundle with one sound version.
    private func makeBundle() throws {
        try makeVersion("Shop.xcdatamodeld/Shop.xcdatamodel")
    }

    private func makeVersion(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder.file(name), withIntermediateDirectories: true)
        try writeFile(folder.file(name + "/contents"), Self.contents)
    }

    private func link(_ name: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.file(name), withDestinationPath: destination)
    }

    private func code(_ path: String) -> ModelFileError.Code? {
        #expect(throws: ModelFileError.self) { try ModelBundle(path: path) }?.code
    }

    // Reading a pipe that nobody writes to would never end.
    @Test(arguments: ["", "/Shop 2.xcdatamodel", "/Shop 2.xcdatamodel/contents"])
    func aPipeIsNotReadAsContents(_ place: String) throws {
        try makeBundle()
        try makeVersion("Shop.xcdatamodeld/Shop 2.xcdatamodel")
        let contents = bundle + "/Shop 2.xcdatamodel/contents"
        try FileManager.default.removeItem(atPath: contents)
        #expect(mkfifo(contents, 0o600) == 0)
        #expect(code(bundle + place) == .unsafeFile)
    }

    @Test(arguments: [".xccurrentversion", "checksums.lock"])
    func noOtherFileOfABundleIsReadFromAPipe(_ name: String) throws {
        try makeBundle()
        #expect(mkfifo(bundle + "/" + name, 0o600) == 0)
        let error = #expect(throws: ModelFileError.self) {
            _ = try ModelLock.read(bundlePath: bundle)
            _ = try ModelBundle(path: bundle)
        }
        #expect(error?.code == .unsafeFile)
        #expect(error?.path?.hasSuffix("/" + name) == true)
    }

    @Test func aFolderInThePlaceOfAFileIsRefused() throws {
        try FileManager.default.createDirectory(
            atPath: bundle + "/Shop.xcdatamodel/contents", withIntermediateDirectories: true)
        #expect(code(bundle) == .unsafeFile)
    }

    @Test(arguments: ["Shop 2.xcdatamodel", "Shop 2.xcdatamodel/contents", ".xccurrentversion"])
    func aLinkThatLeadsOutOfABundleIsRefused(_ name: String) throws {
        try makeBundle()
        try makeVersion("Elsewhere.xcdatamodel")
        var target = folder.file("Elsewhere.xcdatamodel")
        if !name.hasSuffix("2.xcdatamodel") { target += "/contents" }
        if name.hasSuffix("contents") {
            try FileManager.default.createDirectory(
                atPath: bundle + "/Shop 2.xcdatamodel", withIntermediateDirectories: true)
        }
        try link("Shop.xcdatamodeld/" + name, to: target)
        #expect(code(bundle) == .unsafeFile)
    }

    // The names of the two begin alike.
    @Test func aFolderBesideTheBundleIsNotWithinIt() throws {
        try makeBundle()
        try makeVersion("Shop.xcdatamodeld2/Other.xcdatamodel")
        try link(
            "Shop.xcdatamodeld/Other.xcdatamodel", to: "../Shop.xcdatamodeld2/Other.xcdatamodel")
        #expect(code(bundle) == .unsafeFile)
    }

    @Test func aLinkThatStaysInTheBundleIsFollowed() throws {
        try makeBundle()
        try link("Shop.xcdatamodeld/Shop 2.xcdatamodel", to: "Shop.xcdatamodel")
        #expect(try ModelBundle(path: bundle).versions.map(\.name) == ["Shop", "Shop 2"])
    }

    @Test func aBundleMayBeReachedByALink() throws {
        try makeBundle()
        try link("Linked.xcdatamodeld", to: "Shop.xcdatamodeld")
        let linked = folder.file("Linked.xcdatamodeld")
        #expect(try ModelBundle(path: linked).versions.map(\.name) == ["Shop"])
    }

    @Test func aSourceThatIsAPipeIsPassedOver() throws {
        try makeBundle()
        #expect(mkfifo(folder.file("a.swift"), 0o600) == 0)
        #expect(try TargetCheck(folder: folder.path).errorCount == 0)
    }
}
