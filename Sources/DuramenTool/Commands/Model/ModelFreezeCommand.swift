import ArgumentParser
import DuramenModel
import DuramenStore

/// `duramen model freeze`
struct ModelFreezeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freeze",
        abstract: "Archives the model of a store or of a model file, as a version that ships.",
        discussion: """
            Writes NAME.duramenmodel into the folder. Stages of a migration name such files, and a test of the \
            application compares the present model with the last one. What was frozen is never written again.
            """)

    @Argument(
        help: .init(
            "A store, or a model file such as 'Library.xcdatamodeld', with ':VERSION' behind it for another than the "
                + "current version.", valueName: "store or model"))
    var source: String

    @Option(help: "What the version is called, such as '1.1'.")
    var name: String

    @Option(help: "The folder.")
    var into: String

    func run() throws {
        do {
            let model = try NamedModel(source).model()
            let path = try FrozenModels.freeze(model, as: name, in: into)
            print(PlainLine("\(path)  \(model.versionChecksum)").text)
        } catch let error as StoreError {
            throw StoreFailure(error)
        } catch let error as FrozenModelError {
            throw ValidationError(PlainLine(error.description).text)
        }
    }
}
