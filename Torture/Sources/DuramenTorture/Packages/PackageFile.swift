import DuramenTestKit

/// A file of made-up packages in the format of /var/lib/dpkg/status.
enum PackageFile {
    /// The first `count` stanzas, which are the same for every count.
    static func text(_ count: Int, seed: UInt64) -> String {
        (0..<count).map { stanza($0, seed) }.joined(separator: "\n")
    }

    private static func stanza(_ number: Int, _ seed: UInt64) -> String {
        var random = SplitMix64(seed: seed, case: number)
        func some(_ range: Range<Int>, _ word: String) -> [String] {
            (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                "\(word)\(Int.random(in: range, using: &random))"
            }
        }
        // Some of the names come later in the file, some before, and some never.
        let near = max(0, number - 60)..<(number + 60)
        let dependencies = some(near, "package") + some(0..<20, "virtual")
        let alternatives = some(near, "package").map { "missing\(number) | \($0)" }
        let length = Int.random(in: 20...300, using: &random)
        let synopsis = String(repeating: "heartwood ", count: length / 10)
        let team = Int.random(in: 0..<12, using: &random)
        return """
            Package: package\(number)
            Status: install ok installed
            Section: section\(Int.random(in: 0..<9, using: &random))
            Installed-Size: \(Int.random(in: 1...90_000, using: &random))
            Maintainer: Team \(team) <team\(team)@example.org>
            Architecture: amd64
            Version: \(Int.random(in: 1...9, using: &random)).\(number)
            Provides: virtual\(Int.random(in: 0..<20, using: &random))
            Depends: \((["base"] + dependencies + alternatives).joined(separator: ", "))
            Description: \(synopsis)

            """
    }
}
