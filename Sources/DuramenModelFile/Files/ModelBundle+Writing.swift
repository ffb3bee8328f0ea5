import Foundation

extension ModelBundle {
    /// Writes the bundle as an `.xcdatamodeld` folder over an existing one. Each file is replaced
    /// as a whole. Files that do not belong to a version are kept.
    ///
    /// - Throws: ``ModelFileError`` `.io`.
    public func write(toPath path: String) throws(ModelFileError) {
        for version in versions {
            try Self.write(
                version.document.text, to: "contents", in: "\(path)/\(version.name).xcdatamodel")
        }
        guard let currentVersionName else { return }
        var list = MarkupElement("plist", ["version": "1.0"])
        var dictionary = MarkupElement("dict")
        for (name, text) in [
            ("key", "_XCCurrentVersionName"), ("string", "\(currentVersionName).xcdatamodel"),
        ] {
            var entry = MarkupElement(name)
            entry.text = text
            dictionary.children.append(entry)
        }
        list.children = [dictionary]
        try Self.write(MarkupWriter.text(list), to: ".xccurrentversion", in: path)
    }

    private static func write(
        _ text: String, to name: String, in folder: String
    ) throws(ModelFileError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(
                to: URL(filePath: "\(folder)/\(name)"), options: .atomic)
        } catch {
            throw ModelFileError(.io, path: "\(folder)/\(name)", "the file cannot be written.")
        }
    }
}
