import DuramenModel
import Foundation

/// Checks the model files in a folder of sources, and the sources against them.
///
/// Literals must fit the current version of one of the models in the folder. Without a model,
/// sources are not checked.
public struct TargetCheck {
    /// Lines in the form of compiler messages, in the order of the files' paths.
    public private(set) var lines: [String] = []
    /// The number of lines that are errors.
    public private(set) var errorCount = 0

    private var checks: [SourceCheck] = []

    /// Checks a folder.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - freezes: Whether to freeze versions first that are not frozen yet.
    /// - Throws: ``ModelFileError`` if a lock cannot be read or written.
    public init(folder: String, freezes: Bool = false) throws(ModelFileError) {
        let files = Self.files(in: folder)
        for path in Self.models(among: files) { try check(path, freezes: freezes) }
        for path in files where path.hasSuffix("." + FrozenModels.pathExtension) {
            do throws(FrozenModelError) { _ = try FrozenModels.read(path) } catch {
                note("\(path):1:1: error: \(error.message)", isError: true)
            }
        }
        if checks.isEmpty { return }
        for file in files where file.hasSuffix(".swift") {
            // Only regular files are sources.
            guard let bytes = try? BundleFolder.read(file, called: file),
                bytes.count <= MarkupLimits.bytes
            else { continue }
            let source = String(decoding: bytes, as: UTF8.self)
            // A literal that does not fit one model may fit another.
            let findings = checks.map { $0.findings(in: source) }
            let places = findings.map { Set($0.map(\.place)) }
            for finding in findings.first ?? []
            where places.allSatisfy({ $0.contains(finding.place) }) {
                note(finding.line(in: file), isError: true)
            }
        }
    }

    private mutating func check(_ path: String, freezes: Bool) throws(ModelFileError) {
        let bundle: ModelBundle
        do throws(ModelFileError) {
            bundle = try ModelBundle(path: path)
        } catch {
            return note(error.description, isError: true)
        }
        var lock = try ModelLock.read(bundlePath: path)
        if freezes {
            var changed = lock ?? ModelLock()
            let added = try changed.freeze(bundle)
            if !added.isEmpty {
                try changed.write(bundlePath: path)
                note("\(path): note: frozen: \(added.joined(separator: ", "))", isError: false)
            }
            lock = changed
        }
        if let lock {
            for problem in try lock.problems(with: bundle, path: path) {
                note(problem, isError: true)
            }
        } else {
            note(
                "\(path): note: no version is frozen; freeze them when one ships", isError: false)
        }
        guard let current = bundle.currentVersion else { return }
        let findings = current.document.findings().filter { $0.severity == .error }
        for finding in findings { note(finding.line(in: current.path), isError: true) }
        guard findings.isEmpty, let model = try? current.document.generatedModel() else { return }
        let names = current.document.entities.compactMap { entity in
            entity.className.map { (entity.name, $0) }
        }
        checks.append(
            SourceCheck(model, classNames: Dictionary(names, uniquingKeysWith: { $1 })))
    }

    private mutating func note(_ line: String, isError: Bool) {
        lines.append(line)
        if isError { errorCount += 1 }
    }

    // MARK: - Files

    private static func files(in folder: String) -> [String] {
        var isFolder: ObjCBool = false
        guard let enumerator = FileManager.default.enumerator(atPath: folder) else { return [] }
        return enumerator.compactMap { $0 as? String }.sorted().map { "\(folder)/\($0)" }.filter {
            FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }

    /// Returns the bundles, and the folders of single versions outside of bundles.
    private static func models(among files: [String]) -> [String] {
        var models: [String] = []
        for file in files where file.hasSuffix(".xcdatamodel/contents") {
            let version = URL(filePath: file).deletingLastPathComponent()
            let bundle = version.deletingLastPathComponent()
            let path = bundle.pathExtension == "xcdatamodeld" ? bundle.path : version.path
            if !models.contains(path) { models.append(path) }
        }
        return models
    }
}
