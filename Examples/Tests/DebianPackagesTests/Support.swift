@testable import DebianPackages

/// Everything that the reader finds in the text.
func entries(
    in text: String, limits: PackageReader.Limits = PackageReader.Limits()
) -> [PackageReader.Entry] {
    Array(PackageReader(bytes: Array(text.utf8), limits: limits))
}

/// The packages among the entries.
func packages(in text: String) -> [PackageStanza] {
    entries(in: text).compactMap(\.package)
}

/// The problems of the only stanza in the text, which must be a malformed one.
func problems(
    in text: String, limits: PackageReader.Limits = PackageReader.Limits()
) -> [MalformedStanza.Problem]? {
    let all = entries(in: text, limits: limits)
    return all.count == 1 ? all[0].malformed?.problems : nil
}

extension PackageReader.Entry {
    /// The package, when it is one.
    var package: PackageStanza? {
        if case .package(let stanza) = self { stanza } else { nil }
    }

    /// The report, when the stanza is malformed.
    var malformed: MalformedStanza? {
        if case .malformed(let stanza) = self { stanza } else { nil }
    }
}

/// Hands out a few bytes at a time and then ends or fails.
struct DrippingSource: ByteSource {
    var rest: ArraySlice<UInt8>
    var bytesPerRead: Int
    var failure: PackageReaderError?
    let totalBytes: Int? = nil

    init(_ text: String, bytesPerRead: Int, failure: PackageReaderError? = nil) {
        rest = Array(text.utf8)[...]
        self.bytesPerRead = bytesPerRead
        self.failure = failure
    }

    mutating func read(into block: inout [UInt8]) throws(PackageReaderError) -> Int {
        if rest.isEmpty, let failure { throw failure }
        let count = min(bytesPerRead, block.count, rest.count)
        block.replaceSubrange(..<count, with: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
    }
}

/// Hands out the same bytes many times without ever holding them all.
struct RepeatingSource: ByteSource {
    var unit: [UInt8]
    var repetitions: Int
    var prefix: [UInt8] = []
    let totalBytes: Int? = nil

    mutating func read(into block: inout [UInt8]) -> Int {
        if !prefix.isEmpty {
            let count = min(prefix.count, block.count)
            block.replaceSubrange(..<count, with: prefix.prefix(count))
            prefix.removeFirst(count)
            return count
        }
        guard repetitions > 0 else { return 0 }
        repetitions -= 1
        let count = min(unit.count, block.count)
        block.replaceSubrange(..<count, with: unit.prefix(count))
        return count
    }
}

/// Three stanzas with most of what the format has.
let sample = """
    # The database of a small system.
    Package: exim4-daemon-light
    Status: install ok installed
    Priority: optional
    Section: mail
    Installed-Size: 1577
    Maintainer: Exim4 Maintainers <pkg-exim4@example.org>
    Architecture: amd64
    Source: exim4
    Version: 4.96-15+deb12u4
    Replaces: mail-transport-agent
    Provides: default-mta (= 1), mail-transport-agent
    Pre-Depends: init-system-helpers (>= 1.54~)
    Depends: exim4-base (>= 4.96-15), libc6 (>= 2.36) | libc6.1,
     debconf (>= 0.5) | debconf-2.0,
    # libldap is loaded on demand
     python3:any
    Recommends: mailx
    Suggests: swaks, exim4-doc-html | exim4-doc-info
    Conffiles:
     /etc/exim4/exim4.conf 0123
     /etc/cron.daily/exim4 4567
    Description: lightweight mail daemon
     First paragraph,
     on two lines.
     .
      * kept indentation
    Homepage: https://www.exim.org/
    Tag: works-with::mail

    Package: tiny
    Version: 1


    Package: last
    Version: 2:0~rc1-1
    Architecture: all
    """
