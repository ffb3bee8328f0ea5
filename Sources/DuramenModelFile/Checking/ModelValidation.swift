/// All errors and warnings of a model, in all of its versions. An error does not hide later ones.
///
/// ```swift
/// let validation = try ModelValidation(path: "Trips.xcdatamodeld")
/// for line in validation.lines { print(line) }
/// ```
public struct ModelValidation: Sendable {
    /// Lines in the form of compiler messages, by version and then in the order of the file.
    public private(set) var lines: [String] = []
    /// The severity of the worst finding, or nil if there are no findings.
    public private(set) var worst: ModelFinding.Severity?
    /// The number of versions.
    public let versionCount: ModelVersionCount

    /// Validates a bundle, a folder of one version, or one `contents` file.
    ///
    /// - Throws: ``ModelFileError`` if there is nothing to validate: `.notFound`, `.io`,
    ///   `.unsafeFile`, `.oldFormat`.
    public init(path: String) throws(ModelFileError) {
        let reading = try BundleReading(path: path)
        versionCount = reading.bundle.versionCount
        for problem in reading.problems { note(problem.description, .error) }
        for version in reading.bundle.versions {
            // An element without a name is also a mistake of the model, and is reported once. All
            // places compare as equal, so that documents are compared without them.
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
