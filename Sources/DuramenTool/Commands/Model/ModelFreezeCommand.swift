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
            application compares the present model with the last one. A frozen version is never overwritten.
            """)

    @Argument(
        help: .init(
            "A store, or a model file such as 'Library.xcdatamodeld', with ':VERSION' behind it for another than the "
                + "current version.", valueName: "store or model"))
    var source: String

    @Option(help: "The name of the version, such as '1.1'.")
    var name: String

    @Option(help: "The folder.")
    var into: String

    func run() throws {
        do throws(StoreError) {
            let model = try NamedModel(source).model()
            Screen.print("\(try freeze(model))  \(model.versionChecksum)")
        } catch {
            throw StoreFailure(error)
        }
    }

    private func freeze(_ model: ManagedObjectModel) throws(StoreError) -> String {
        do throws(FrozenModelError) {
            return try FrozenModels.freeze(model, as: name, in: into)
        } catch {
            throw StoreError(.invalidRequest, error.description)
        }
    }
}
