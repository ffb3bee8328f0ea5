import Foundation

extension ModelCodeGenerator {
    /// Generates the source of a bundle's current version, named after the bundle.
    ///
    /// - Throws: ``ModelFileError`` with the file and the position.
    public static func current(
        of bundle: ModelBundle, options: Options = Options()
    ) throws(ModelFileError) -> ModelCodeGenerator {
        let version = try bundle.requiredCurrentVersion()
        do {
            return try ModelCodeGenerator(version.document, name: bundle.name, options: options)
        } catch {
            throw error.of(version.path)
        }
    }

    /// Writes the source to a file, unless the file already has it. An unchanged file keeps its
    /// date, so that nothing is recompiled.
    ///
    /// - Throws: ``ModelFileError`` `.io`.
    /// - Throws: ``ModelFileError`` `.io`.
    public func write(toPath path: String) throws(ModelFileError) {
        let data = Data(source.utf8)
        if FileManager.default.contents(atPath: path) == data { return }
        do {
            try data.write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw ModelFileError(.io, path: path, "the file cannot be written.")
        }
    }
}

extension ModelCodeGenerator.Options {
    /// Reads options from a JSON file: `{"access": "public", "codeGeneration": "class"}`. Both are
    /// optional.
    ///
    /// - Throws: ``ModelFileError`` `.io`, `.unsafeFile`, or `.invalidContent` for invalid options.
    public static func read(path: String) throws(ModelFileError) -> Self {
        let data = Data(try BundleFolder.read(path, called: path))
        do {
            return try JSONDecoder().decode(Self.self, from: data)
        } catch {
            throw ModelFileError(
                .invalidContent, path: path,
                "these are no options: write an object with \"access\" (internal, package, public) and "
                    + "\"codeGeneration\" (class, category, none).")
        }
    }
}
