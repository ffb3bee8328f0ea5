import Foundation
import PackagePlugin

/// Generates the managed classes of every `.xcdatamodeld` in a target, before the target is
/// compiled.
@main struct ModelCodegen: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        guard let target = target.sourceModule else { return [] }
        let files = try files(in: target.directoryURL)
        let options = files.filter { $0.lastPathComponent == "modelcodegen.json" }
        let tool = try context.tool(named: "DuramenGenerator")
        return models(among: files).map { model in
            let name = model.deletingPathExtension().lastPathComponent
            let output = context.pluginWorkDirectoryURL.appending(path: "\(name)+Model.swift")
            var arguments = [model.path, output.path]
            if let path = options.first?.path { arguments.append(path) }
            return .buildCommand(
                displayName: "Generating the classes of \(model.lastPathComponent)",
                executable: tool.url, arguments: arguments,
                // Editing any version runs the command again: which one is current may have
                // changed. The folder itself is named so that the package manager knows it as taken
                // care of.
                inputFiles: [model] + files.filter { $0.path.hasPrefix(model.path + "/") }
                    + options,
                outputFiles: [output])
        }
    }

    /// All files below a folder, in an order that does not change.
    private func files(in folder: URL) throws -> [URL] {
        guard let enumerator = FileManager.default.enumerator(atPath: folder.path) else {
            return []
        }
        return enumerator.compactMap { $0 as? String }.sorted()
            .map { folder.appending(path: $0) }
            .filter { url in
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
                    && !isFolder.boolValue
            }
    }

    /// The bundles, and folders of one version that stand outside of bundles.
    private func models(among files: [URL]) -> [URL] {
        var models: [URL] = []
        for file in files where file.lastPathComponent == "contents" {
            let version = file.deletingLastPathComponent()
            guard version.pathExtension == "xcdatamodel" else { continue }
            let bundle = version.deletingLastPathComponent()
            let model = bundle.pathExtension == "xcdatamodeld" ? bundle : version
            if !models.contains(model) { models.append(model) }
        }
        return models
    }
}
