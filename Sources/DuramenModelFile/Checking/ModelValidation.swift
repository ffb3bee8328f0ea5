/// Everything that is wrong or odd about a model, in all of its versions: nothing hides what comes
/// behind it.
///
/// ```swift
/// let validation = try ModelValidation(path: "Trips.xcdatamodeld")
/// for line in validation.lines { print(line) }
/// ```
public struct ModelValidation: Sendable {
    /// Lines in the form of a compiler's, by version and then in the order of the file.
    public private(set) var lines: [String] = []
    /// The severity of the worst finding, or nil if there are no findings.
    public private(set) var worst: ModelFinding.Severity?
    /// How many versions there are.
    public let versionCount: ModelVersionCount

    /// Looks at a bundle, a folder of one version, or one `contents` file.
    ///
    /// - Throws: ``ModelFileError`` when there is no version to look at: `.notFound`, `.io`,
    ///   `.unsafeFile`, `.oldFormat`.
    public init(path: String) throws(ModelFileError) {
        let reading = try BundleReading(path: path)
        versionCount = reading.bundle.versionCount
        for problem in reading.problems { note(problem.description, .error) }
        for version in reading.bundle.versions {
            // An element without a name is a mistake of the model as well, and said once.
            // All places are equal to each other, so that documents are compared without them.
            let known = Set(
                reading.problems.filter { $0.path == version.path }.compactMap {
                    $0.place.map(Self.spelling)
                })
            for finding in version.document.findings()
            where finding.severity != .error || !known.contains(Self.spelling(finding.place)) {
                note(finding.line(in: version.path), finding.severity)
            }
        }
    }

    private static func spelling(_ place: SourcePlace) -> String {
        "\(place.line):\(place.column)"
    }

    private mutating func note(_ line: String, _ severity: ModelFinding.Severity) {
        lines.append(line)
        worst = max(worst ?? severity, severity)
    }
}
