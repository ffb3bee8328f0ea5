import ArgumentParser
import DuramenModelFile

/// `duramen model generate`
struct ModelGenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Writes the Swift classes of a model.",
        discussion: """
            The plugin ModelCodegen does this in every build. Entities whose classes the application writes, as their \
            'codeGenerationType' says, are left to it, unless '--code-generation' says otherwise for all.
            """)

    @Argument(help: "A bundle, a folder of one version, or a contents file.")
    var path: String

    @OptionGroup var choice: VersionChoice

    @Option(
        name: .shortAndLong,
        help: .init("The file to write; the output if none.", valueName: "file"))
    var output: String?

    @Option(
        help: "The access level of the generated code: internal, package or public.",
        transform: ModelGenerateCommand.choice)
    var access = ModelCodeGenerator.Options.Access.internal

    @Option(
        help: "The author of the classes: class, category or none.",
        transform: ModelGenerateCommand.choice)
    var codeGeneration: ModelDocument.Entity.CodeGeneration?

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ text: String
    ) throws -> Choice {
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("'\(text)' is not one of \(choices).")
    }

    func run() throws {
        do throws(ModelFileError) {
            var bundle = try ModelBundle(path: path)
            bundle.currentVersionName = try choice.version(of: bundle).name
            let generator = try ModelCodeGenerator.current(
                of: bundle, options: .init(access: access, codeGeneration: codeGeneration))
            for finding in generator.findings where finding.severity == .warning {
                Screen.printNote(finding.line(in: bundle.currentVersion?.path))
            }
            if let output {
                try generator.write(toPath: output)
            } else {
                Screen.print(file: generator.source)
            }
        } catch {
            throw ModelFailure(error)
        }
    }
}
