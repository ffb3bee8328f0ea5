import ArgumentParser
import DuramenModelFile

/// `duramen model validate`
struct ModelValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Prints what is wrong or odd about models, with file, line and column.",
        discussion: """
            An error keeps a model from being used; a warning names what is used otherwise than the file says; a \
            note is about what is kept but has no meaning here. Every version of a bundle is looked at. Exits \
            with 1 when there is an error, or a warning and --strict.
            """)

    @Argument(help: "Bundles, folders of one version, or contents files.")
    var paths: [String]

    @Flag(help: "Fail for warnings, too.")
    var strict = false

    func run() throws {
        var worst = ModelFinding.Severity.note
        var versions = ModelVersionCount()
        var findings = 0
        for path in paths {
            do throws(ModelFileError) {
                let bundle = try ModelBundle(path: path)
                versions += bundle.versionCount
                for version in bundle.versions {
                    for finding in version.document.findings() {
                        findings += 1
                        worst = max(worst, finding.severity)
                        print(PlainLine(finding.line(in: version.path)).text)
                    }
                }
            } catch {
                findings += 1
                worst = .error
                print(ModelFailure(error).description)
            }
        }
        print(
            "\(versions), \(findings) finding\(findings == 1 ? "" : "s")"
        )
        if worst == .error || (strict && worst == .warning) { throw ExitCode(1) }
    }
}
