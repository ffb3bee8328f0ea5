import DebianPackages
import Testing

@Suite struct StanzaTests {
    @Test func everyFieldOfAStanzaIsRead() throws {
        let stanza = try #require(packages(in: sample).first)
        #expect(stanza.name == "exim4-daemon-light")
        #expect(stanza.version == "4.96-15+deb12u4")
        #expect(stanza.architecture == "amd64")
        #expect(stanza.priority == "optional")
        #expect(stanza.section == "mail")
        #expect(stanza.installedSizeKiB == 1577)
        #expect(stanza.homepage == "https://www.exim.org/")
        #expect(
            stanza.maintainer
                == Contact(name: "Exim4 Maintainers", address: "pkg-exim4@example.org"))
        #expect(
            stanza.status
                == InstallationStatus(selection: "install", flag: "ok", state: "installed"))
        #expect(stanza.status?.isInstalled == true)
        #expect(stanza.lines == 2...29)
    }

    @Test func theRelationsOfAStanzaAreReadAcrossContinuationsAndComments() throws {
        let stanza = try #require(packages(in: sample).first)
        #expect(
            stanza.depends.map(\.description) == [
                "exim4-base (>= 4.96-15)", "libc6 (>= 2.36) | libc6.1",
                "debconf (>= 0.5) | debconf-2.0", "python3:any",
            ])
        #expect(stanza.preDepends.map(\.description) == ["init-system-helpers (>= 1.54~)"])
        #expect(stanza.recommends.map(\.description) == ["mailx"])
        #expect(
            stanza.suggests.map(\.description) == ["swaks", "exim4-doc-html | exim4-doc-info"])
        #expect(
            stanza.provides == [
                ProvidedPackage(name: "default-mta", version: "1"),
                ProvidedPackage(name: "mail-transport-agent"),
            ])
    }

    @Test func aDescriptionIsSplitAndItsFullStopLinesBecomeEmpty() throws {
        let stanza = try #require(packages(in: sample).first)
        #expect(stanza.synopsis == "lightweight mail daemon")
        #expect(
            stanza.extendedDescription
                == "First paragraph,\non two lines.\n\n * kept indentation")
    }

    @Test func fieldsWithoutAPropertyAreKeptInOrder() throws {
        let stanza = try #require(packages(in: sample).first)
        #expect(stanza.otherFields.map(\.name) == ["Source", "Replaces", "Conffiles", "Tag"])
        #expect(stanza.otherField("source") == "exim4")
        #expect(
            stanza.otherField("Conffiles")
                == "\n/etc/exim4/exim4.conf 0123\n/etc/cron.daily/exim4 4567")
        #expect(stanza.otherField("Sourc") == nil)
        #expect(stanza.otherField("Depends") == nil)
    }

    @Test func emptyLinesSeparateStanzasAndTheLastNeedsNoLineFeed() {
        let found = packages(in: sample)
        #expect(found.map(\.name) == ["exim4-daemon-light", "tiny", "last"])
        #expect(found.map(\.lines) == [2...29, 31...32, 35...37])
    }

    @Test func aStanzaThatStatesLittleLeavesTheRestEmpty() throws {
        let stanza = try #require(packages(in: "Package: a\nVersion: 1\nSection:\n").first)
        #expect(stanza == PackageStanza(name: "a", version: "1", lines: 1...3))
    }

    @Test func fieldNamesDoNotDependOnCase() {
        let found = packages(in: "PACKAGE: a\nversion: 1\npre-depends: b\n")
        #expect(found.first?.preDepends.map(\.description) == ["b"])
    }

    @Test func carriageReturnsBeforeLineFeedsDoNotCount() {
        let text = sample.replacing("\n", with: "\r\n")
        #expect(packages(in: text) == packages(in: sample))
        #expect(packages(in: text).count == 3)
    }

    @Test func linesOfBlanksSeparateStanzas() {
        let found = packages(in: "Package: a\nVersion: 1\n \t \nPackage: b\nVersion: 1")
        #expect(found.map(\.name) == ["a", "b"])
    }

    @Test func textWithoutStanzasHasNoEntries() {
        #expect(entries(in: "").isEmpty)
        #expect(entries(in: "\n\n  \n# only a comment\n\n# another").isEmpty)
    }

    @Test func textBeyondASCIIIsKept() throws {
        let text =
            "Package: a\nVersion: 1\nMaintainer: Łukasz Żółć <l@example.org>\n"
            + "Description: naïve 漢字\n über alles 🦊\n"
        let stanza = try #require(packages(in: text).first)
        #expect(stanza.maintainer?.name == "Łukasz Żółć")
        #expect(stanza.synopsis == "naïve 漢字")
        #expect(stanza.extendedDescription == "über alles 🦊")
    }

    @Test(arguments: [
        ("\"Doe, J. R.\" <j@example.org>", "Doe, J. R.", "j@example.org"),
        ("J. Doe <j@example.org>", "J. Doe", "j@example.org"),
        ("a <b> c <d@example.org>", "a <b> c", "d@example.org"),
        ("Team <>", "Team", nil),
        ("<j@example.org>", "", "j@example.org"),
        ("j@example.org", "j@example.org", nil),
        ("broken <j@example.org", "broken <j@example.org", nil),
    ])
    func aMaintainerHasANameAndPerhapsAnAddress(text: String, name: String, address: String?) {
        let found = packages(in: "Package: a\nVersion: 1\nMaintainer: \(text)\n").first?.maintainer
        #expect(found == Contact(name: name, address: address))
    }
}
