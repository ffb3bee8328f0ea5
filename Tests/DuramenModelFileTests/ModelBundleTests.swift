import DuramenModelFile
import Foundation
import Testing

/// What the folders of a model hold, and which of its versions is the current one.
struct ModelBundleTests {
    // MARK: - Fixtures

    /// Writes files into a new folder, and removes it afterwards.
    private func withFolder(
        _ files: [String: String], _ body: (_ folder: String) throws -> Void
    ) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        for (path, text) in files {
            let file = url.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try body(url.path)
    }

    private static func contents(_ entity: String) -> String {
        "<model><entity name=\"\(entity)\"/></model>"
    }

    private static func current(_ folder: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
        "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>_XCCurrentVersionName</key>
        \t<string>\(folder)</string>
        </dict>
        </plist>
        """
    }

    private static let old = "bplist00\u{1}"

    /// The error of a bundle that is not read.
    private func error(
        of path: String, _ files: [String: String], _ location: SourceLocation = #_sourceLocation
    ) throws -> ModelFileError? {
        var error: ModelFileError?
        try withFolder(files) { folder in
            error = #expect(throws: ModelFileError.self, sourceLocation: location) {
                try ModelBundle(path: folder + path)
            }
        }
        return error
    }

    // MARK: - Versions

    @Test func theCurrentVersionIsTheOneThatIsNamed() throws {
        let files = [
            "Shop.xcdatamodeld/Shop.xcdatamodel/contents": Self.contents("A"),
            "Shop.xcdatamodeld/Shop 2.xcdatamodel/contents": Self.contents("B"),
            "Shop.xcdatamodeld/.xccurrentversion": Self.current("Shop.xcdatamodel"),
        ]
        try withFolder(files) { folder in
            let bundle = try ModelBundle(path: "\(folder)/Shop.xcdatamodeld")
            #expect(bundle.name == "Shop")
            #expect(bundle.currentVersionName == "Shop")
            #expect(bundle.currentVersion?.document.entities.map(\.name) == ["A"])
            #expect(try bundle.requiredCurrentVersion() == bundle.version(named: "Shop"))
        }
    }

    @Test func versionsAreInTheOrderInWhichPeopleCount() throws {
        let names = ["Shop", "Shop 2", "Shop 9", "Shop 10", "Shop 10.1", "Shop 11"]
        var files: [String: String] = [:]
        for name in names {
            files["Shop.xcdatamodeld/\(name).xcdatamodel/contents"] = Self.contents("A")
        }
        try withFolder(files) { folder in
            let bundle = try ModelBundle(path: "\(folder)/Shop.xcdatamodeld")
            #expect(bundle.versions.map(\.name) == names)
        }
    }

    @Test func theOnlyVersionIsCurrentWhereNoneIsNamed() throws {
        let files = ["Shop.xcdatamodeld/Other.xcdatamodel/contents": Self.contents("A")]
        try withFolder(files) { folder in
            let bundle = try ModelBundle(path: "\(folder)/Shop.xcdatamodeld")
            #expect(bundle.currentVersionName == nil)
            #expect(bundle.currentVersion?.name == "Other")
        }
    }

    @Test(arguments: ["/Shop.xcdatamodel", "/Shop.xcdatamodel/", "/Shop.xcdatamodel/contents"])
    func aFolderOfOneVersionIsABundleAndSoIsItsFile(_ path: String) throws {
        try withFolder(["Shop.xcdatamodel/contents": Self.contents("A")]) { folder in
            let bundle = try ModelBundle(path: folder + path)
            #expect(bundle.name == "Shop")
            #expect(bundle.versions.map(\.name) == ["Shop"])
            #expect(bundle.currentVersion?.document.entities.map(\.name) == ["A"])
        }
    }

    @Test func aVersionOfAnotherNameIsNotFound() throws {
        try withFolder(["Shop.xcdatamodel/contents": Self.contents("A")]) { folder in
            let bundle = try ModelBundle(path: "\(folder)/Shop.xcdatamodel")
            let error = #expect(throws: ModelFileError.self) { try bundle.version(named: "B") }
            #expect(error?.code == .notFound)
        }
    }

    @Test func aBundleWhoseCurrentVersionIsNotThereHasNone() {
        let bundle = ModelBundle(name: "Shop", versions: [], currentVersionName: "A")
        #expect(bundle.currentVersion == nil)
        let error = #expect(throws: ModelFileError.self) { try bundle.requiredCurrentVersion() }
        #expect(error?.code == .notFound)
    }

    // MARK: - What is no bundle

    @Test(
        arguments: [
            ("/Gone.xcdatamodeld", [:]), ("/Gone.xcdatamodel", [:]), ("", [:]),
            ("", ["Photo.png": "", "Notes/read.me": ""]),
            ("/Shop.xcdatamodeld", ["Shop.xcdatamodeld/.xccurrentversion": ""]),
            ("/Shop.xcdatamodel", ["Shop.xcdatamodel/layout": ""]),
            ("/Shop.xcdatamodeld", ["Shop.xcdatamodeld/Shop.xcdatamodel/layout": ""]),
        ] as [(String, [String: String])])
    func whatHoldsNoModelIsNotFound(_ path: String, _ files: [String: String]) throws {
        var files = files
        if files["Shop.xcdatamodeld/.xccurrentversion"] != nil {
            files["Shop.xcdatamodeld/.xccurrentversion"] = Self.current("Shop.xcdatamodel")
        }
        #expect(try error(of: path, files)?.code == .notFound)
    }

    @Test func aCurrentVersionThatIsMissingIsNotFound() throws {
        let error = try error(
            of: "/Shop.xcdatamodeld",
            [
                "Shop.xcdatamodeld/Shop.xcdatamodel/contents": Self.contents("A"),
                "Shop.xcdatamodeld/.xccurrentversion": Self.current("Shop 2.xcdatamodel"),
            ])
        #expect(error?.code == .notFound)
    }

    @Test(arguments: [
        "<plist>", "plist", "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist/>",
        "<plist><dict><key>&a;</key></dict></plist>",
    ])
    func aDamagedNameOfTheCurrentVersionIsMalformedInItsFile(_ text: String) throws {
        let error = try error(
            of: "/Shop.xcdatamodeld",
            [
                "Shop.xcdatamodeld/Shop.xcdatamodel/contents": Self.contents("A"),
                "Shop.xcdatamodeld/.xccurrentversion": text,
            ])
        #expect(error?.code == .malformed)
        #expect(error?.path?.hasSuffix("/Shop.xcdatamodeld/.xccurrentversion") == true)
    }

    @Test func anErrorInAVersionNamesItsFile() throws {
        let error = try error(
            of: "/Shop.xcdatamodeld",
            [
                "Shop.xcdatamodeld/Shop.xcdatamodel/contents": Self.contents("A"),
                "Shop.xcdatamodeld/Shop 2.xcdatamodel/contents": "<model>\n<entity/></model>",
            ])
        #expect(error?.code == .invalidContent)
        #expect(error?.path?.hasSuffix("/Shop 2.xcdatamodel/contents") == true)
        #expect(error?.place?.line == 2)
    }

    @Test func aFileOfMoreThan4MiBIsTooLarge() throws {
        let text = Self.contents("A") + String(repeating: " ", count: 4 << 20)
        let error = try error(of: "/Shop.xcdatamodel", ["Shop.xcdatamodel/contents": text])
        #expect(error?.code == .tooLarge)
    }

    // MARK: - The old format

    @Test func aVersionOfTheOldFormatIsLeftOutAndNamed() throws {
        let files = [
            "Shop.xcdatamodeld/Shop.xcdatamodel/elements": Self.old,
            "Shop.xcdatamodeld/Shop 2.xcdatamodel/contents": Self.contents("B"),
            "Shop.xcdatamodeld/.xccurrentversion": Self.current("Shop 2.xcdatamodel"),
        ]
        try withFolder(files) { folder in
            let bundle = try ModelBundle(path: "\(folder)/Shop.xcdatamodeld")
            #expect(bundle.versions.map(\.name) == ["Shop 2"])
            #expect(bundle.oldFormatVersionNames == ["Shop"])
            #expect(
                bundle.versionCount.description
                    == "1 of 2 versions; 1 in the format before Xcode 4.3")
            let old = #expect(throws: ModelFileError.self) { try bundle.version(named: "Shop") }
            #expect(old?.code == .oldFormat)
            let missing = #expect(throws: ModelFileError.self) { try bundle.version(named: "X") }
            #expect(missing?.description.contains("1 in the format before Xcode 4.3") == true)
        }
    }

    @Test(arguments: [
        ["Shop.xcdatamodel/elements": old],
        ["Shop.xcdatamodeld/A.xcdatamodel/elements": old],
        [
            "Shop.xcdatamodeld/A.xcdatamodel/elements": old,
            "Shop.xcdatamodeld/B.xcdatamodel/contents": contents("B"),
            "Shop.xcdatamodeld/.xccurrentversion": current("A.xcdatamodel"),
        ],
    ])
    func aCurrentVersionOfTheOldFormatIsRefused(_ files: [String: String]) throws {
        let folder = files["Shop.xcdatamodel/elements"] == nil ? "xcdatamodeld" : "xcdatamodel"
        #expect(try error(of: "/Shop.\(folder)", files)?.code == .oldFormat)
    }

    // MARK: - Writing

    private func bundle() throws -> ModelBundle {
        ModelBundle(
            name: "Shop",
            versions: [
                .init(name: "Shop", document: try Contents.thing("")),
                .init(name: "Shop 2", document: try Contents.model("<entity name=\"é &amp; b\"/>")),
            ], currentVersionName: "Shop")
    }

    @Test func aBundleIsReadAsItWasWritten() throws {
        try withFolder([:]) { folder in
            let path = "\(folder)/New/Shop.xcdatamodeld"
            let bundle = try bundle()
            try bundle.write(toPath: path)
            var again = try ModelBundle(path: path)
            for place in again.versions.indices { again.versions[place].path = nil }
            #expect(again == bundle)
        }
    }

    @Test func whatBelongsToNoVersionStaysWhenABundleIsWritten() throws {
        let files = [
            "Shop.xcdatamodeld/Shop.xcdatamodel/layout": "layout",
            "Shop.xcdatamodeld/Shop.xcdatamodel/contents": Self.contents("Before"),
            "Shop.xcdatamodeld/Shop 3.xcdatamodel/contents": Self.contents("C"),
        ]
        try withFolder(files) { folder in
            let path = "\(folder)/Shop.xcdatamodeld"
            try bundle().write(toPath: path)
            let again = try ModelBundle(path: path)
            #expect(again.versions.map(\.name) == ["Shop", "Shop 2", "Shop 3"])
            #expect(again.currentVersion?.document.entities.map(\.name) == ["Thing"])
            let layout = FileManager.default.contents(atPath: "\(path)/Shop.xcdatamodel/layout")
            #expect(layout == Data("layout".utf8))
        }
    }

    @Test func aFolderThatCannotBeWrittenIsAnError() throws {
        try withFolder(["Shop.xcdatamodeld": "a file"]) { folder in
            let error = #expect(throws: ModelFileError.self) {
                try bundle().write(toPath: "\(folder)/Shop.xcdatamodeld")
            }
            #expect(error?.code == .io)
        }
    }
}
