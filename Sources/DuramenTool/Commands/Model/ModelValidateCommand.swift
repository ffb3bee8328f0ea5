import ArgumentParser
import DuramenModelFile

/// `duramen model validate`
struct ModelValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Prints what is wrong or odd about models, with file, line and column.",
        discussion: """
            An error keeps a model from being used. A warning names a part that is used differently than the file says. A \
            note names a part that is kept but has no effect here. Every version of a bundle is checked. Exits \
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
                let validation = try ModelValidation(path: path)
                versions += validation.versionCount
                findings += validation.lines.count
                worst = max(worst, validation.worst ?? .note)
                Screen.print(lines: validation.lines)
            } catch {
                findings += 1
                worst = .error
                Screen.print(text: ModelFailure(error).description)
            }
        }
        Screen.print(
            "\(versions), \(findings) finding\(findings == 1 ? "" : "s")"
        )
        if worst == .error || (strict && worst == .warning) { throw ExitCode(1) }
    }
}
