import ArgumentParser
import DuramenModel
import DuramenModelFile

/// `duramen model checksum`
struct ModelChecksumCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checksum",
        abstract: "Prints the checksum of each version, which its stores carry.",
        discussion: "Versions with one checksum read and write the same stores.")

    @Argument(help: "Bundles, folders of one version, or contents files.")
    var paths: [String]

    @Flag(help: "Also print the hash of each entity.")
    var entities = false

    func run() throws {
        do throws(ModelFileError) {
            for path in paths {
                for version in try ModelBundle(path: path).versions {
                    let model = try version.document.generatedModel()
                    Screen.print("\(model.versionChecksum)  \(version.name)")
                    guard entities else { continue }
                    for entity in model.entities {
                        Screen.print("  \(entity.versionHash)  \(entity.name)")
                    }
                }
            }
        } catch {
            throw ModelFailure(error)
        }
    }
}
