import ArgumentParser
import DuramenModelFile

/// The version of a model for a command.
struct VersionChoice: ParsableArguments {
    @Option(
        help: .init(
            "A version by the name of its folder; the current one if none.", valueName: "name")
    )
    var version: String?

    func version(of bundle: ModelBundle) throws(ModelFileError) -> ModelBundle.Version {
        if let version { return try bundle.version(named: version) }
        return try bundle.requiredCurrentVersion()
    }
}
