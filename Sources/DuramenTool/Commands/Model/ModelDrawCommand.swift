import ArgumentParser
import DuramenModelFile
import Foundation

/// `duramen model draw`
struct ModelDrawCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "draw",
        abstract: "Draws the entities and relationships of a model as SVG.")

    @Argument(help: "A bundle, a folder of one version, or a contents file.")
    var path: String

    @OptionGroup var choice: VersionChoice

    @Option(
        name: .shortAndLong,
        help: .init("The file to write; the output if none.", valueName: "file"))
    var output: String?

    func run() throws {
        do throws(ModelFileError) {
            let bundle = try ModelBundle(path: path)
            let version = try choice.version(of: bundle)
            let drawing = ModelDrawing(version.document, name: bundle.name)
            guard let output else { return Screen.print(file: drawing.svg) }
            do {
                try Data(drawing.svg.utf8).write(to: URL(filePath: output), options: .atomic)
            } catch {
                throw ModelFileError(.io, path: output, "the file cannot be written.")
            }
        } catch {
            throw ModelFailure(error)
        }
    }
}
