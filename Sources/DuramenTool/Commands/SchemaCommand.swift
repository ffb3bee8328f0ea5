import ArgumentParser
import DuramenStore

/// `duramen schema`
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the SQL statements that make a store on PostgreSQL.",
        discussion: """
            Let the owner run them once, such as with psql. Programs whose role may not make tables can \
            then use the store. The server is not asked.
            """)

    @Argument(help: "The store to make: 'postgres://HOST/DATABASE?schema=NAME'.")
    var store: String

    @Argument(
        help: """
            The model: a model file, a frozen version, or a store with the model; 'BUNDLE:VERSION' \
            names a version.
            """)
    var model: String

    @Option(help: "A role that may use the store; repeat the option for more.")
    var role: [String] = []

    func run() throws {
        do throws(StoreError) {
            let description = try NamedStore(store).description
            guard let type = description.type as? any ScriptedStoreType else {
                throw StoreError(
                    .unsupported,
                    "A store of kind '\(description.type.name)' makes its own files; only stores "
                        + "on PostgreSQL are made with statements.")
            }
            let script = try type.creationScript(
                of: description, model: NamedModel(model).model(), for: role)
            Screen.print(file: script)
        } catch {
            throw StoreFailure(error)
        }
    }
}
