import Foundation
import PackagePlugin

/// Checks the model files of a package: that versions which have shipped were not edited, and that
/// literal conditions, key paths and names of entities in the sources fit the current version.
///
///     swift package model-check
///     swift package --allow-writing-to-package-directory model-check --freeze
@main struct ModelCheck: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        var extractor = ArgumentExtractor(arguments)
        let freezes = extractor.extractFlag(named: "freeze") > 0
        let names = extractor.extractOption(named: "target")
        if let unknown = extractor.remainingArguments.first {
            Diagnostics.error(
                "model-check does not know '\(unknown)'; it takes --freeze and --target NAME.")
            return
        }
        let targets =
            names.isEmpty ? context.package.targets : try context.package.targets(named: names)
        let tool = try context.tool(named: "DuramenGenerator")
        var isSound = true
        for target in targets {
            guard let module = target.sourceModule else { continue }
            let process = Process()
            process.executableURL = tool.url
            process.arguments =
                ["check"] + (freezes ? ["--freeze"] : []) + [module.directoryURL.path]
            try process.run()
            process.waitUntilExit()
            isSound = isSound && process.terminationStatus == 0
        }
        if !isSound { Diagnostics.error("The models and what uses them do not fit; see above.") }
    }
}
