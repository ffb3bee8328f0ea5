import ArgumentParser

/// `duramen model`
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract:
            "Works with model files: .xcdatamodeld bundles, .xcdatamodel folders, contents files.",
        subcommands: [
            ModelValidateCommand.self, ModelShowCommand.self, ModelDiffCommand.self,
            ModelChecksumCommand.self, ModelCheckCommand.self, ModelGenerateCommand.self,
            ModelDrawCommand.self, ModelFreezeCommand.self,
        ])
}
